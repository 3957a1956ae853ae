"""When a wait ends, and what something still waits for: arithmetic over links and what is known of their ends.

FS and SS links hold back a start, FF and SF links hold back a finish. Lags run on the working calendar or around the clock. A
node is an activity, an order (over when it is placed) or a delivery (over when it is received).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from ledger.rules.activity import Activity, State
from ledger.rules.rows import LinkRow, Unmet
from steps.errors import NotSatisfiedError

NAMED = 20
"""How many predecessors a refusal names; the rest are counted."""

GO_LIVE = "195"
"""The step that no open class A non-conformance lets pass, wherever it was found."""

EXPIRED = "expired"
"""How the other end of a link is shown that is a hold point whose approval is over."""


class Times(NamedTuple):
    """When a node began and was over, as its successors see it. None while it did not."""

    started: datetime | None
    finished: datetime | None


NEVER = Times(None, None)


class Calendar(Protocol):
    """Anything that can add working hours to an instant."""

    def add(self, start: datetime, hours: float) -> datetime:
        """Return the instant `hours` working hours after `start`."""


def side_of(link_type: str) -> str:
    """Return which side of the successor a link holds back: `start` or `finish`."""
    return "start" if link_type[1] == "S" else "finish"


def satisfied_at(
    link_type: str,
    lag_h: float,
    lag_calendar: str,
    before: Times,
    calendar: Calendar,
) -> datetime | None:
    """Return when a link's wait ends, or None while what it waits for has not happened."""
    begin = before.finished if link_type[0] == "F" else before.started
    if begin is None or lag_h == 0:
        return begin
    if lag_calendar == "working":
        return calendar.add(begin, lag_h)
    return begin + timedelta(hours=lag_h)


def activity_times(row: Activity) -> Times:
    """Return an activity's times as its successors see them.

    A hold point that is stale counts as not passed. What was decided not to apply is bridged: it is over once its own
    predecessors are, but not before the decision.
    """
    if row.plan.policy.hold_point and row.stale:
        return NEVER
    match row.state:
        case State.DONE:
            return Times(row.started_at or row.done_at, row.done_at)
        case State.NOT_APPLICABLE:
            if row.ready_from is None or row.na_at is None:
                return NEVER
            over = max(row.ready_from, row.na_at)
            return Times(over, over)
        case State.OPEN | State.BLOCKED | State.READY:
            return NEVER
        case _:
            return Times(row.started_at, None)


def unmet(links: Sequence[LinkRow], side: str, now: datetime) -> list[Unmet]:
    """Return what of the links into a node still holds back its `start` or its `finish` at `now`."""
    return [_unmet(link) for link in links if side_of(link.type) == side and _holds_back(link, side, now)]


def refuse_waiting(node: str, title: str, verb: str, waits: Sequence[Unmet]) -> None:
    """Raise with what a node waits for, so that a person can act on it."""
    tally = ", ".join(f"{state} {n}" for state, n in Counter(w.state for w in waits).most_common())
    named = "; ".join(f"{w.predecessor} {w.title}: {w.state} ({w.reason})" for w in waits[:NAMED])
    rest = f"; and {len(waits) - NAMED} more" if len(waits) > NAMED else ""
    raise NotSatisfiedError(
        f"{node} {title!r} cannot {verb} yet; it waits for {len(waits)} ({tally}): {named}{rest}",
        hint=f"clusterwright why '{node}'",
    )


def _holds_back(link: LinkRow, side: str, now: datetime) -> bool:
    """Return whether a link holds back. A hold point whose approval is over does, although its link was satisfied once."""
    is_open = link.satisfied_at is None or link.satisfied_at > now
    return is_open or (side == "start" and link.state == EXPIRED)


def _unmet(link: LinkRow) -> Unmet:
    return Unmet(
        link.before,
        link.title,
        _in_words(link),
        link.type,
        link.lag_h,
        link.reason,
        link.bridged,
        link.satisfied_at,
    )


def _in_words(link: LinkRow) -> str:
    if link.state == EXPIRED:
        return f"its approval ended {link.valid_until:%Y-%m-%d}, to be signed again"
    if link.satisfied_at is not None:
        return f"over, its lag ends {link.satisfied_at:%Y-%m-%d %H:%M}Z"
    if link.state == "stale":
        return "stale, to be signed again"
    return State(link.state).words if link.state in set(State) else link.state
