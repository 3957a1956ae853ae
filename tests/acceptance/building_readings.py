"""Readings of a building's points as the role `building_read` hands them over, written by a case."""

from __future__ import annotations

import json
from typing import Any

EVERY_S = 10


def trend(unit: str, *values: float, step: float = 0) -> dict[str, Any]:
    """Return a point that showed these values, one every ten seconds; a single value was shown all the time."""
    shown = values if len(values) > 1 else values * 6
    return {"unit": unit, "step": step, "readings": [[number * EVERY_S, value] for number, value in enumerate(shown)]}


def read(**parts: Any) -> str:
    """Return what was read of these parts."""
    return json.dumps({"begun": "2026-11-27T12:00:00+00:00", "window_s": 50, "read": parts})


def phases(*amperes: float) -> str:
    """Return the currents of a PDU's phases."""
    return read(meters={"pdu-a": {f"L{n}": trend("A", value, step=0.1) for n, value in enumerate(amperes, 1)}})


def meters(**kilowatts: dict[str, Any]) -> str:
    """Return meters of a rack, a row and the facility, some of which show something else than a live meter."""
    levels = ("rack", "row", "facility")
    live = trend("kW", 10, 11, 10, 12, 11, 10)
    shown = {level: {"level": level, "power": kilowatts.get(level, live)} for level in levels}
    return read(meters=shown, levels=levels)


def group(**speeds: dict[str, Any]) -> str:
    """Return a group of machines of these speeds, whose demand rises from 40 to 90 percent."""
    return read(
        groups={
            "group-1": {
                "demand": trend("percent", 40, 40, 40, 90, 90, 90),
                "held": {"value": trend("kPa", 180), "set_point": trend("kPa", 180), "within_percent": 5},
                "settles_s": EVERY_S,
                "units": {name: {"speed": speed} for name, speed in speeds.items()},
            }
        }
    )


def aisle(*celsius: float) -> str:
    """Return a sensor of a cold aisle."""
    return read(aisles={"aisle-1": trend("degC", *celsius)}, servers={})


def air(intake: float, exhaust: float, supply: float = 22) -> str:
    """Return the air of a server in a rack."""
    server = {"intake": trend("degC", intake), "exhaust": trend("degC", exhaust)}
    return read(racks={"r01": {"supply": trend("degC", supply), "servers": {"node-1": server}}})


def coolant(supply: float, dew_point: float) -> str:
    """Return the coolant of a loop and the dew point of its room."""
    return read(loops={"loop-1": {"supply": trend("degC", supply), "dew_point": trend("degC", dew_point)}})


def closed_in_the_cold() -> str:
    """Return a plant that keeps its free cooling off while it is cold outside."""
    plant = {
        "outside": trend("degC", 3),
        "free_cooling": trend("bool", 0),
        "below": 8,
        "above": 12,
        "settles_s": EVERY_S,
    }
    return read(economisers={"plant": plant})
