"""When a wait ends: pure arithmetic over one link and what is known of its two ends.

FS and SS links hold back a start, FF and SF links hold back a finish. Lags run on the working calendar or
around the clock. A node is an activity, an order (over when placed) or a delivery (over when received).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from ledger.transitions import State


class Times(NamedTuple):
    """When a node began and was over, as its successors see it; None while it did not."""

    started: datetime | None
    finished: datetime | None


NEVER = Times(None, None)


class Calendar(Protocol):
    """Anything that can add working hours to an instant."""

    def add(self, start: datetime, hours: float) -> datetime:
        """Give the instant `hours` working hours after `start`."""


def side_of(link_type: str) -> str:
    """Give which side of the successor a link holds back: `start` or `finish`."""
    return "start" if link_type[1] == "S" else "finish"


def satisfied_at(link_type: str, lag_h: float, lag_calendar: str, before: Times, calendar: Calendar) -> datetime | None:
    """Give when a link's wait ends, or None while what it hangs on has not happened."""
    begin = before.finished if link_type[0] == "F" else before.started
    if begin is None or lag_h == 0:
        return begin
    if lag_calendar == "working":
        return calendar.add(begin, lag_h)
    return begin + timedelta(hours=lag_h)


def activity_times(
    *,
    state: str,
    started_at: datetime | None,
    done_at: datetime | None,
    na_at: datetime | None,
    ready_from: datetime | None,
    stale_hold_point: bool,
) -> Times:
    """Give an activity's times as its successors see them.

    A hold point that is stale counts as not passed. What was decided not to apply is bridged: it is over
    once its own predecessors are, but not before the decision.
    """
    if stale_hold_point:
        return NEVER
    match State(state):
        case State.DONE:
            return Times(started_at or done_at, done_at)
        case State.NOT_APPLICABLE:
            if ready_from is None or na_at is None:
                return NEVER
            return Times(max(ready_from, na_at), max(ready_from, na_at))
        case State.OPEN | State.BLOCKED | State.READY:
            return NEVER
        case _:
            return Times(started_at, None)
