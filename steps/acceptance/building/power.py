"""Power of PDUs, panels and meters: balance of phases, and which meters are read and tell what flows."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from steps.acceptance.building.trends import (
    Part,
    listed,
    most_readings,
    parts,
    read_of,
    series,
    shown,
    span_s,
    unanswered,
)
from steps.acceptance.handed import Found, Handed, NotMeasuredError, share_of
from steps.acceptance.metric import Metric, Tool

PHASES = ("L1", "L2", "L3")
RESOLVED = Decimal("0.02")
"""The largest share of a current that one step of its meter may be: a fifth of the imbalance that is allowed. An assumption."""

HOUR_S = Decimal(3600)


def imbalance_max(handed: Handed) -> Found:
    """Return the largest deviation of a phase from the mean of its meter's three, in percent of the mean."""
    worst: tuple[Decimal, str] | None = None
    idle = []
    meters = parts(read_of(handed, "phase_currents"), "meters")
    for name, meter in meters.items():
        currents = [series(meter, phase, "A", name) for phase in PHASES]
        average = sum((one.mean for one in currents), Decimal(0)) / len(PHASES)
        if average <= 0 or max(one.step for one in currents) > RESOLVED * average:
            idle.append(f"{name} ({shown(average)} A)")
            continue
        off, phase = max((abs(one.mean - average), one.name) for one in currents)
        percent = 100 * off / average
        if worst is None or percent > worst[0]:
            worst = percent, f"{phase}: {' '.join(shown(one.mean) for one in currents)} A"
    if idle:
        raise NotMeasuredError(
            f"load {listed(idle)}: a step of the meter is more than {RESOLVED * 100:g} % of such a current"
        )
    assert worst is not None
    return Found(worst[0].quantize(Decimal("0.01")), f"{worst[1]}; {len(meters)} meters")


def devices_polled(handed: Handed) -> Found:
    """Return the share of the meters that answer and do not stand still, rounded down. Every level of the step must have meters."""
    read = handed.document("power_meters")["read"]
    meters = parts(read, "meters")
    lacking = [level for level in read["levels"] if level not in {meter.get("level") for meter in meters.values()}]
    if lacking:
        raise NotMeasuredError(f"the inventory names no meter of the level {', '.join(lacking)}")
    times = most_readings(read)
    if times == 1:
        raise NotMeasuredError("read once; a meter that stands still is seen by reading it for a time")
    silent = {name for name, meter in meters.items() if any(unanswered(meter, times))}
    still = {name for name, meter in meters.items() if name not in silent and stands_still(name, meter)}
    words = [f"no answer: {listed(sorted(silent))}"] if silent else []
    words += [f"stands still: {listed(sorted(still))}"] if still else []
    share = share_of(len(meters) - len(silent | still), len(meters))
    return Found(share, "; ".join(words) or f"{len(meters)} meters")


def stands_still(name: str, meter: Part) -> bool:
    """Return whether a meter shows the same all the time: its energy does not grow as its power says, or its power never differs.

    Raise if it was not read long enough for its energy to grow by a step.
    """
    power = series(meter, "power", "kW", name)
    if meter.get("energy") is None:
        return len(set(power.values)) == 1
    energy = series(meter, "energy", "kWh", name)
    expected = power.mean * span_s(power) / HOUR_S
    if expected < 2 * energy.step:
        raise NotMeasuredError(
            f"read longer: {shown(power.mean)} kW of {name} are less than two steps of its energy meanwhile"
        )
    grown = energy.values[-1] - energy.values[0]
    return grown < energy.step


def levels_differ(handed: Handed) -> Found:
    """Return the largest difference between a meter and the sum of those that it feeds, in percent of the meter."""
    meters = parts(read_of(handed, "power_meters"), "meters")
    found = list(_differences(meters))
    if not found:
        raise NotMeasuredError("no meter of the inventory says which other one feeds it (of)")
    percent, note = max(found)
    return Found(percent.quantize(Decimal("0.01")), note)


def _differences(meters: dict[str, Part]) -> Iterator[tuple[Decimal, str]]:
    for name, meter in meters.items():
        fed = [series(one, "power", "kW", other) for other, one in meters.items() if one.get("of") == name]
        own = series(meter, "power", "kW", name).mean
        if fed and own > 0:
            below = sum((one.mean for one in fed), Decimal(0))
            yield 100 * abs(own - below) / own, f"{name} {shown(own)} kW, what it feeds {shown(below)} kW"


BALANCE = Tool(
    "phase currents",
    "phase_currents",
    "role building_read",
    (Metric("phase.imbalance_max", "percent", imbalance_max),),
)
METERS = Tool(
    "power meters",
    "power_meters",
    "role building_read",
    (
        Metric("power.devices_polled_ratio", "ratio", devices_polled),
        Metric("power.levels_differ_max", "percent", levels_differ),
    ),
)
