"""Coolant of loops: its temperature, and the dew point of the room around it."""

from __future__ import annotations

from decimal import Decimal

from steps.acceptance.building.trends import Part, parts, read_of, series, shown, span_s, stated
from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

DEGREES = "degC"
MAGNUS_B, MAGNUS_C = Decimal("17.625"), Decimal("243.04")
"""Of the dew point by temperature and humidity over water (Alduchov and Eskridge, 1996)."""


def above_dew_point(handed: Handed) -> Found:
    """Return the least difference between a loop's supply and the dew point of its room, over the whole time."""
    least: tuple[Decimal, str] | None = None
    for name, loop in parts(read_of(handed, "coolant"), "loops").items():
        supply, dew = series(loop, "supply", DEGREES, name), _dew_points(loop, name)
        for at in supply.readings.keys() & dew.keys():
            margin = supply.readings[at] - dew[at]
            if least is None or margin < least[0]:
                least = margin, f"{name}: supply {shown(supply.readings[at])}, dew point {shown(dew[at])} degC"
    if least is None:
        raise NotMeasuredError("supply and dew point were never read together")
    return Found(least[0].quantize(Decimal("0.01")), least[1])


def _dew_points(loop: Part, name: str) -> dict[Decimal, Decimal]:
    """Return dew points by time: as read, or worked out from the room's temperature and humidity."""
    if loop.get("dew_point") is not None:
        return dict(series(loop, "dew_point", DEGREES, name).readings)
    room = stated(loop, "room", f"{name}, nor a dew_point")
    air, humidity = series(room, "temperature", DEGREES, name), series(room, "humidity", "percent", name)
    both = air.readings.keys() & humidity.readings.keys()
    return {at: dew_point(air.readings[at], humidity.readings[at]) for at in both}


def dew_point(celsius: Decimal, humidity: Decimal) -> Decimal:
    """Return the dew point of air by Magnus' formula. Raise for a humidity that no air has."""
    if not 0 < humidity <= 100 or celsius <= -MAGNUS_C:
        raise NotMeasuredError(f"a room has no {shown(humidity)} % of humidity at {shown(celsius)} degC")
    gamma = (humidity / 100).ln() + MAGNUS_B * celsius / (MAGNUS_C + celsius)
    return MAGNUS_C * gamma / (MAGNUS_B - gamma)


def supply_max(handed: Handed) -> Found:
    """Return the highest supply temperature of all loops, over the whole time."""
    loops = parts(read_of(handed, "coolant"), "loops")
    supplies = [series(loop, "supply", DEGREES, name) for name, loop in loops.items()]
    value, name = max((max(one.values), one.name) for one in supplies)
    return Found(value, f"at {name} over {shown(span_s(supplies[0]))} s")


COOLANT = Tool(
    "coolant points",
    "coolant",
    "role building_read",
    (
        Metric("coolant.above_dew_point", "delta_degC", above_dew_point),
        Metric("coolant.supply_max", DEGREES, supply_max),
    ),
)
