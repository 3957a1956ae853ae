"""When the wait of a link ends, and what a node still waits for.

A node is an activity, an order or a delivery. An order is finished when it is placed, a delivery when it is received. A node's
start waits for its FS and SS links, its finish for its FF and SF links. Lags are counted on the working calendar or around the
clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from ledger.rules.activity import Activity, State
from ledger.rules.rows import LinkRow, Unmet
from schedule.errors import NotSatisfiedError
from steps.amount import first_of
from steps.stamps import local_day, minute

NAMED = 20
"""How many predecessors an error names. The others are counted."""

GO_LIVE = "195"
"""The step that waits for every open class A non-conformance of the site."""

EXPIRED = "expired"
"""The state in which a link shows a hold point whose approval has expired."""


class Times(NamedTuple):
    """When a node started and finished, as its successors see it. None if it has not."""

    started: datetime | None
    finished: datetime | None


NEVER = Times(None, None)


class Calendar(Protocol):
    """A calendar that counts working hours."""

    def add(self, start: datetime, hours: float) -> datetime:
        """Return the time `hours` working hours after `start`."""


def side_of(link_type: str) -> str:
    """Return which side of the successor waits for the link: `start` or `finish`."""
    return "start" if link_type[1] == "S" else "finish"


def satisfied_at(
    link_type: str,
    lag_h: float,
    lag_calendar: str,
    before: Times,
    calendar: Calendar,
) -> datetime | None:
    """Return when the wait of a link ends, its lag included. None while the predecessor has not started or finished."""
    begin = before.finished if link_type[0] == "F" else before.started
    if begin is None or lag_h == 0:
        return begin
    if lag_calendar == "working":
        return calendar.add(begin, lag_h)
    return begin + timedelta(hours=lag_h)


def activity_times(row: Activity) -> Times:
    """Return an activity's times as its successors see them.

    A stale hold point counts as not passed. An activity that does not apply is bridged: it counts as finished when its own
    predecessors are finished, but not before the decision that it does not apply. What was done out of sequence counts from
    when its own predecessors are finished.
    """
    if row.plan.policy.hold_point and row.stale:
        return NEVER
    match row.state:
        case State.DONE:
            return _in_sequence(row, Times(row.started_at or row.done_at, row.done_at))
        case State.NOT_APPLICABLE:
            if row.ready_from is None or row.na_at is None:
                return NEVER
            over = max(row.ready_from, row.na_at)
            return Times(over, over)
        case State.OPEN | State.BLOCKED | State.READY:
            return NEVER
        case _:
            return _in_sequence(row, Times(row.started_at, None))


def _in_sequence(row: Activity, times: Times) -> Times:
    if not row.early_because:
        return times
    started = counted_from(times.started, row.ready_from)
    finished = counted_from(times.finished, row.finish_from)
    return Times(started, None if started is None else counted_from(finished, started))


def counted_from(at: datetime | None, ready_from: datetime | None) -> datetime | None:
    """Return from when successors count what happened out of sequence at a time. None while it waits for something."""
    return None if at is None or ready_from is None else max(at, ready_from)


def is_out_of_sequence(row: Activity, now: datetime, *, lapsed: bool) -> bool:
    """Return whether something that should have come before early work is still open."""
    if not row.early_because:
        return False
    sides = (row.ready_from, row.finish_from) if row.finished_at else (row.ready_from,)
    return lapsed or any(since is None or since > now for since in sides)


def unmet(
    links: Sequence[LinkRow],
    side: str,
    now: datetime,
    zone: str,
) -> list[Unmet]:
    """Return the predecessors that a node's `start` or `finish` still waits for at `now`. Times in words are those of the zone."""
    return [_unmet(link, zone) for link in links if _is_waited_for(link, side, now)]


def refuse_waiting(
    node: str,
    title: str,
    verb: str,
    waits: Sequence[Unmet],
    *,
    otherwise: str = "",
) -> None:
    """Raise an error that names what a node waits for. `verb` is what the node cannot do yet, for example start.

    `otherwise` is added to the hint.
    """
    if not waits:
        raise NotSatisfiedError(
            f"{node} {title!r} could not {verb} then: the project had not begun",
            hint="look at the year; if work began earlier, write that day as `start` in site.yaml and adopt the plan",
        )
    counted = Counter(wait.state for wait in waits)
    tally = ", ".join(f"{state} {number}" for state, number in counted.most_common())
    named = first_of([f"{w.predecessor} {w.title}: {w.state} ({w.reason})" for w in waits], NAMED, "; ")
    raise NotSatisfiedError(
        f"{node} {title!r} cannot {verb} yet; it waits for {len(waits)} ({tally}): {named}",
        hint=f"clusterwright why '{node}'{otherwise}",
    )


def _is_waited_for(link: LinkRow, side: str, now: datetime) -> bool:
    """Return whether a side waits for a link. A start waits again for a hold point whose approval has expired."""
    if side_of(link.type) != side:
        return False
    is_open = link.satisfied_at is None or link.satisfied_at > now
    return is_open or (side == "start" and link.state == EXPIRED)


def _unmet(link: LinkRow, zone: str) -> Unmet:
    return Unmet(
        link.before,
        link.title,
        _in_words(link, zone),
        link.type,
        link.lag_h,
        link.reason,
        link.bridged,
        link.satisfied_at,
    )


def _in_words(link: LinkRow, zone: str) -> str:
    if link.state == EXPIRED and link.valid_until is not None:
        return f"its approval ended {local_day(link.valid_until, zone)}, to be signed again"
    if link.satisfied_at is not None:
        return f"over, its lag ends {minute(link.satisfied_at, zone)}"
    if link.state == "stale":
        return "stale, to be signed again"
    return State(link.state).words if link.state in set(State) else link.state
