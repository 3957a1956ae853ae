"""Long lists as people read them: the first few, and how many more there are."""

from __future__ import annotations

from collections.abc import Sequence


def first_of(items: Sequence[object], most: int, between: str = ", ") -> str:
    """Return the first of some items in a line, and how many more there are: `a, b and 3 more`, or `a; b; and 3 more`."""
    more = len(items) - most
    rest = f"{between.removeprefix(',')}and {more} more" if more > 0 else ""
    return between.join(map(str, items[:most])) + rest
