"""Times on hold: spans of a clock that may be entered in any order, and may overlap."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

Span = tuple[datetime, datetime]
"""When a hold began, and when it ended. One that ended before it began has no time."""


def joined(spans: Iterable[Span]) -> list[Span]:
    """Return the same times as spans that do not overlap, in order."""
    found: list[Span] = []
    for begins, ends in sorted(spans):
        if ends <= begins:
            continue
        if found and begins <= found[-1][1]:
            before, until = found[-1]
            found[-1] = before, max(until, ends)
        else:
            found.append((begins, ends))
    return found


def within(spans: Iterable[Span], begins: datetime, ends: datetime) -> list[Span]:
    """Return the parts of spans that are between two instants."""
    return joined((max(one, begins), min(other, ends)) for one, other in spans)
