"""How many, as people write it: 32 servers, not 32.0 server; of a long list the first few, and how many more."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal


def counted(quantity: Decimal | int, unit: str) -> str:
    """Return a quantity with its unit of measure as people write it: 32 servers, 1 rack, 12.5 m; 327 of what is counted by itself."""
    number = f"{Decimal(quantity).normalize():,f}"
    if unit == "each":
        return number
    if quantity == 1 or len(unit) < 3:
        return f"{number} {unit}"
    return f"{number} {unit}{'es' if unit.endswith(('ch', 's', 'sh', 'x')) else 's'}"


def first_of(items: Sequence[object], most: int, between: str = ", ") -> str:
    """Return the first of some items in a line, and how many more there are: `a, b and 3 more`, or `a; b; and 3 more`."""
    more = len(items) - most
    rest = f"{between.removeprefix(',')}and {more} more" if more > 0 else ""
    return between.join(map(str, items[:most])) + rest
