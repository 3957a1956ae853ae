"""The air of a hall: temperatures of cold aisles, and of the air that enters and leaves servers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from operator import itemgetter

from steps.acceptance.building.trends import Series, listed, mean, parts, read_of, series, shown, span_s, stated
from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

DEGREES = "degC"
TELLS_K = Decimal(1)
"""The least difference between two sensors of a server from which it is known which air is warmer. An assumption."""


def _extreme(handed: Handed, beyond: Callable[..., tuple[Decimal, Series]]) -> Found:
    """Return the highest or the lowest temperature of all points of the cold aisles, over the whole time."""
    read = read_of(handed, "cold_aisle")
    aisles = [series(parts(read, "aisles"), name, DEGREES, "cold_aisle_points") for name in parts(read, "aisles")]
    inlets = [series(one, "intake", DEGREES, name) for name, one in stated(read, "servers", "this step").items()]
    read_there = [(value, one) for one in (*aisles, *inlets) for value in one.values]
    value, where = beyond(read_there, key=itemgetter(0))
    return Found(
        value, f"at {where.name}; {len(aisles)} points and {len(inlets)} servers over {shown(span_s(where))} s"
    )


def reversed_fans(handed: Handed) -> Found:
    """Count servers whose air leaves colder than it enters. A server that does not warm its air enough tells nothing."""
    wrong, unclear, count = [], [], 0
    for rack in parts(read_of(handed, "airflow"), "racks").values():
        for name, server in stated(rack, "servers", "the rack").items():
            count += 1
            warming = series(server, "exhaust", DEGREES, name).mean - series(server, "intake", DEGREES, name).mean
            if abs(warming) < TELLS_K:
                unclear.append(name)
            elif warming < 0:
                wrong.append(f"{name} ({shown(warming)} K)")
    if not wrong and unclear:
        raise NotMeasuredError(
            f"load {listed(unclear)}: the air is not warmed by {TELLS_K} K, so its direction is not known"
        )
    return Found(Decimal(len(wrong)), f"exhaust colder than intake: {listed(wrong)}" if wrong else f"{count} servers")


def rise_over_supply(handed: Handed) -> Found:
    """Return by how much the air that enters a server is warmer than what its rack is supplied with: the worst server's mean."""
    rises = []
    for rack_name, rack in parts(read_of(handed, "airflow"), "racks").items():
        supply = series(rack, "supply", DEGREES, rack_name)
        for name, server in stated(rack, "servers", rack_name).items():
            rises.append((_rise(series(server, "intake", DEGREES, name), supply), f"{name} in {rack_name}"))
    if not rises:
        raise NotMeasuredError("no rack of the inventory has a server whose controller can be read")
    rise, where = max(rises, key=itemgetter(0))
    return Found(rise.quantize(Decimal("0.01")), where)


def _rise(intake: Series, supply: Series) -> Decimal:
    both = intake.readings.keys() & supply.readings.keys()
    if not both:
        raise NotMeasuredError(f"{intake.name} and {supply.name} were never read together")
    return mean([intake.readings[at] - supply.readings[at] for at in both])


AISLE = Tool(
    "cold aisle points",
    "cold_aisle",
    "role building_read",
    (
        Metric("aisle.temperature_max", DEGREES, partial(_extreme, beyond=max)),
        Metric("aisle.temperature_min", DEGREES, partial(_extreme, beyond=min)),
    ),
)
AIRFLOW = Tool(
    "servers' air",
    "airflow",
    "role building_read",
    (
        Metric("airflow.reversed_fans", "count", reversed_fans),
        Metric("inlet.rise_over_supply", "delta_degC", rise_over_supply),
    ),
)
