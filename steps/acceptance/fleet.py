"""Compares items of one hardware model: the distance of each from the median, in robust standard deviations.

A few slow items move the mean and the variance, but not the median and the median absolute deviation. Together with an
absolute limit this finds an item that meets the limit and is slower than its equals. Without such a limit a fleet that is
slow everywhere would pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TypeVar

Real = TypeVar("Real", float, Decimal)
Values = Mapping[str, Decimal]
"""A metric's values by item."""

CONSISTENT = Decimal("0.6745")
"""Divided by this, the median absolute deviation of a normal distribution is its standard deviation."""

LEAST = 5
"""With fewer items a spread says nothing; assumption."""

SPREAD_FLOOR = Decimal("0.0025")
"""The smallest spread, as a share of the median. Items that agree to a quarter of a percent have no outliers; assumption:
the repeatability of a good benchmark."""


def robust_z(values: Values) -> dict[str, Decimal]:
    """Return each item's distance from the median in robust standard deviations; empty for fewer than five items."""
    if len(values) < LEAST:
        return {}
    centre = middle_of(values.values())
    offsets = {item: value - centre for item, value in values.items()}
    deviation = middle_of(abs(offset) for offset in offsets.values())
    spread = max(deviation, abs(centre) * SPREAD_FLOOR)
    if not spread:
        far = Decimal("Infinity")
        return {item: far if offset else Decimal(0) for item, offset in offsets.items()}
    return {item: CONSISTENT * offset / spread for item, offset in offsets.items()}


def outliers(op: str, limit: Decimal, values: Values) -> dict[str, Decimal]:
    """Return the items that are more than `limit` robust deviations on the bad side of a criterion's operator.

    The bad side of `>=` is below the median, that of `<=` above it; any other operator has both.
    """
    distances = robust_z(values)
    return {item: z for item, z in distances.items() if _off(op, z) > limit}


def _off(op: str, z: Decimal) -> Decimal:
    """Return the distance towards the bad side; it is negative on the good side."""
    match op:
        case ">" | ">=":
            return -z
        case "<" | "<=":
            return z
        case _:
            return abs(z)


def middle_of(values: Iterable[Real]) -> Real:
    """Return the middle value. The standard library's module `statistics` is slow to import."""
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
