"""Readings of a building's points over a time, as the role `building_read` hands them over.

What is stated in the inventory keeps its nesting; in place of each point are its readings. A point that did not answer makes what
needs it not measured, with its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from steps.acceptance.handed import Handed, NotMeasuredError
from steps.acceptance.units import converted
from steps.amount import first_of

SHOWN = 5
LEAST_ANSWERED = Decimal("0.9")
"""The share of readings that a point must have given: a controller may miss one now and then. An assumption."""

Part = Mapping[str, Any]


class Series(NamedTuple):
    """The readings of a point by the seconds at which they were read. `step` is the least difference that it shows; 0: not known."""

    name: str
    readings: Mapping[Decimal, Decimal]
    step: Decimal

    @property
    def values(self) -> list[Decimal]:
        """Return the values in their order."""
        return list(self.readings.values())

    @property
    def mean(self) -> Decimal:
        """Return the mean of all readings."""
        return mean(self.values)


def mean(values: list[Decimal]) -> Decimal:
    """Return the mean of values."""
    return sum(values, Decimal(0)) / len(values)


def read_of(handed: Handed, output: str) -> dict[str, Any]:
    """Return what was read. Raise with the names of points that did not answer, and if there is no more than one reading."""
    document = handed.document(output)
    read: dict[str, Any] = document["read"]
    silent = dict(unanswered(read, most_readings(read)))
    if silent:
        words = [f"{name} ({why})" for name, why in silent.items()]
        raise NotMeasuredError(f"no reading of {listed(words)}")
    if most_readings(read) < 2:
        raise NotMeasuredError("read once; read longer than building_read_interval_s")
    return read


def unanswered(read: Part, times: int) -> Iterator[tuple[str, str]]:
    """Yield each point that answered too seldom when it was asked so many times, and why."""
    for name, point in points(read):
        count = len(point["readings"])
        if not count:
            yield name, str(point.get("error") or "no answer")
        elif count < times * LEAST_ANSWERED:
            yield name, f"answered {count} of {times} times: {point.get('error')}"


def most_readings(read: Part) -> int:
    """Return how often the point that answered most often was read."""
    return max((len(point["readings"]) for _, point in points(read)), default=0)


def points(part: Any, name: str = "") -> Iterator[tuple[str, Part]]:
    """Yield every point with its name: the keys on the way to it."""
    if not isinstance(part, dict):
        return
    if "readings" in part:
        yield name, part
        return
    for key, inner in part.items():
        yield from points(inner, f"{name}.{key}" if name else key)


def stated(part: Part, key: str, name: str) -> Any:
    """Return what the inventory states under a key of a part of this name. Raise with what it should state."""
    if part.get(key) is None:
        raise NotMeasuredError(f"the inventory states no {key} of {name}")
    return part[key]


def parts(read: Part, key: str) -> dict[str, Part]:
    """Return the named parts under a key. Raise if the inventory names none."""
    found: dict[str, Part] = stated(read, key, "this step")
    if not found:
        raise NotMeasuredError(f"the inventory names none of the {key}")
    return found


def series(part: Part, key: str, unit: str, name: str) -> Series:
    """Return the readings of a point in `unit`. Raise if the inventory states none there, or another unit that does not compare."""
    point = stated(part, key, name)
    readings = {}
    for at, value in point["readings"]:
        in_unit = converted(Decimal(value), point["unit"], unit)
        if not isinstance(in_unit, Decimal):
            raise NotMeasuredError(
                f"{key} of {name} is stated in {point['unit']}; state it in {unit}, by scale and offset"
            )
        readings[Decimal(at)] = in_unit
    step = converted(Decimal(point["step"]), point["unit"], unit)
    return Series(f"{name} {key}", readings, Decimal(str(step)))


def span_s(one: Series) -> Decimal:
    """Return the seconds from the first reading to the last."""
    times = list(one.readings)
    return times[-1] - times[0]


def listed(words: list[str]) -> str:
    """Return the first of them."""
    return first_of(words, SHOWN)


def shown(value: Decimal) -> str:
    """Return a number for a note, with two decimals at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
