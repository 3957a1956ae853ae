"""Items of one hardware model against each other: how far each lies from the median, in robust standard deviations.

The median and the median absolute deviation, unlike mean and variance, are not moved by the few items that are
being looked for. Beside an absolute limit this finds the item that is slow but legal; alone it would pass a
fleet that is slow everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

CONSISTENT = Decimal("0.6745")
"""Makes the median absolute deviation of a normal distribution its standard deviation."""

LEAST = 5
"""Items below which a spread says nothing; assumption."""

SPREAD_FLOOR = Decimal("0.0025")
"""The least spread that is believed, as a share of the median: items that agree to a quarter of a percent are
alike, and none of them is an outlier; assumption, the repeatability of a good benchmark."""


def robust_z(values: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """Give each item's distance from the median in robust standard deviations; none for fewer than five items."""
    if len(values) < LEAST:
        return {}
    centre = _median(values.values())
    spread = max(_median(abs(value - centre) for value in values.values()), abs(centre) * SPREAD_FLOOR)
    if not spread:
        return {item: Decimal(0) if value == centre else Decimal("Infinity") for item, value in values.items()}
    return {item: (CONSISTENT * (value - centre) / spread) for item, value in values.items()}


def outliers(op: str, limit: Decimal, values: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """Give the items that lie more than `limit` robust deviations on the bad side of a criterion's operator.

    The bad side of `>=` is below, of `<=` above; of any other operator both.
    """
    return {item: z for item, z in robust_z(values).items() if _off(op, z) > limit}


def _off(op: str, z: Decimal) -> Decimal:
    """Give how far a distance goes to the bad side."""
    match op:
        case ">" | ">=":
            return -z
        case "<" | "<=":
            return z
        case _:
            return abs(z)


def _median(values: Iterable[Decimal]) -> Decimal:
    """Give the middle value; the standard library's statistics would be slow to import for one line."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
