"""Keeping `ready_from` true: after a change, only the successors of what changed are worked out again.

Each link row remembers when its own wait ends, lag included. A node is ready from the latest of these, and
not at all while one is unknown; both are one look in an index, however many links run into go-live.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import func, select, update
from sqlmodel import Session, col

from ledger.readiness import NEVER, Calendar, Times, activity_times, satisfied_at
from ledger.tables import Activity, Link, OrderLine, PlanRevision, Tranche

MARGIN = timedelta(days=366)
"""The calendar reaches back this far before the plan's start, for work recorded from before."""

PUT_OFF = "readiness is put off"
"""A mark on a session: no event's handler asks how ready anything is, so a replay may work it out once, at its end."""


class Facts(NamedTuple):
    """What the working calendar asks of a plan revision."""

    time_zone: str
    start: datetime
    working_days: tuple[int, ...]
    working_hours: tuple[float, float]
    holidays: tuple[str, ...]


def in_force(session: Session) -> PlanRevision | None:
    """Give the plan revision in force."""
    return session.scalars(select(PlanRevision).order_by(col(PlanRevision.revision).desc()).limit(1)).first()


class SiteCalendar:
    """The site's working calendar, worked out when a working lag first asks for it."""

    def __init__(self, revision: PlanRevision) -> None:
        """Take the facts of the revision in force."""
        opens, closes = json.loads(revision.working_hours)
        self._facts = Facts(
            revision.time_zone,
            revision.start - MARGIN,
            tuple(json.loads(revision.working_days)),
            (float(opens), float(closes)),
            tuple(revision.holidays),
        )

    def add(self, start: datetime, hours: float) -> datetime:
        """Give the instant `hours` working hours after `start`."""
        return _work_calendar(self._facts).add(start, hours)


@lru_cache(maxsize=8)
def _work_calendar(facts: Facts) -> Calendar:
    # numpy comes with the calendar; most decisions have no working lag and never pay for it
    from steps.schedule.calendar import WorkCalendar

    return WorkCalendar.from_plan(facts)


@contextmanager
def put_off(session: Session) -> Iterator[None]:
    """Leave readiness alone inside, and work out all of it at the end: a replay of many events takes a third of the time."""
    session.info[PUT_OFF] = True
    try:
        yield
    finally:
        del session.info[PUT_OFF]
    session.flush()
    if in_force(session) is not None:
        refresh_all(session)


def refresh(session: Session, changed: Iterable[str]) -> None:
    """Work out again what follows the changed nodes, and on through what is bridged."""
    revision = None if PUT_OFF in session.info else in_force(session)
    if revision is None:
        return
    calendar = SiteCalendar(revision)
    queue = list(changed)
    while queue:
        node = queue.pop()
        times = times_of(session, node)
        touched = set()
        for link in session.scalars(select(Link).where(col(Link.before) == node)).all():
            ends = satisfied_at(link.type, link.lag_h, link.lag_calendar, times, calendar)
            if ends != link.satisfied_at:
                link.satisfied_at = ends
                touched.add(link.after)
        session.flush()
        moved = [after for after in sorted(touched) if _settle(session, after, revision.first_at)]
        queue += [after for after in moved if _is_bridged(session, after)]


def refresh_all(session: Session) -> None:
    """Work out every link and every node: after a plan is adopted."""
    if PUT_OFF in session.info:
        return
    revision = in_force(session)
    assert revision is not None
    calendar = SiteCalendar(revision)
    times = _all_times(session)
    worst: dict[tuple[str, str], datetime | None] = {}
    known: dict[int, datetime] = {}
    for link in session.scalars(select(Link)).all():
        ends = satisfied_at(link.type, link.lag_h, link.lag_calendar, times.get(link.before, NEVER), calendar)
        if ends is not None:
            known[link.id] = ends
        key = (link.after, link.side)
        held = worst.get(key, ends)
        worst[key] = None if ends is None or held is None else max(held, ends)
    session.expunge_all()
    if known:
        session.execute(update(Link), [{"id": i, "satisfied_at": at} for i, at in known.items()])
    _write_readiness(session, worst, revision.first_at)
    bridged = select(col(Activity.id)).where(col(Activity.na_decided)).order_by(col(Activity.ordinal))
    refresh(session, list(session.scalars(bridged).all()))


def times_of(session: Session, node: str) -> Times:
    """Give a node's times as its successors see them."""
    if "#" not in node:
        activity = session.get(Activity, node)
        return NEVER if activity is None else _times(activity)
    if "/" in node.partition("#")[2]:
        tranche = session.get(Tranche, node)
        return NEVER if tranche is None else Times(tranche.received_at, tranche.received_at)
    order = session.get(OrderLine, node)
    return NEVER if order is None else Times(order.placed_at, order.placed_at)


def _times(activity: Activity) -> Times:
    return activity_times(
        state=activity.state,
        started_at=activity.started_at,
        done_at=activity.done_at,
        na_at=activity.na_at,
        ready_from=activity.ready_from,
        stale_hold_point=activity.hold_point and activity.stale_since is not None,
    )


def _all_times(session: Session) -> dict[str, Times]:
    """Only what has times: the rest is NEVER. Bridged activities follow in a second pass."""
    times: dict[str, Times] = {}
    begun = select(Activity).where(col(Activity.state).not_in(["open", "not_applicable"]))
    for activity in session.scalars(begun).all():
        times[activity.id] = _times(activity)
    for order in session.scalars(select(OrderLine).where(col(OrderLine.placed_at).is_not(None))).all():
        times[order.id] = Times(order.placed_at, order.placed_at)
    for t in session.scalars(select(Tranche).where(col(Tranche.received_at).is_not(None))).all():
        times[t.id] = Times(t.received_at, t.received_at)
    return times


def _write_readiness(session: Session, worst: dict[tuple[str, str], datetime | None], first: datetime) -> None:
    starts: dict[str, dict[str, datetime | None]] = defaultdict(dict)
    for (after, side), ends in worst.items():
        starts[after][side] = ends
    for table in (Activity, OrderLine):
        rows = []
        for node in session.scalars(select(col(table.id))).all():
            sides = starts.get(node, {})
            row = {"id": node, "ready_from": sides.get("start", first)}
            if table is Activity:
                row["finish_from"] = sides.get("finish", first)
            rows.append(row)
        if rows:
            session.execute(update(table), rows)


def _settle(session: Session, after: str, first: datetime) -> bool:
    """Set the node's readiness from its links; True where it changed."""
    row: Activity | OrderLine | None
    row = session.get(OrderLine, after) if "#" in after else session.get(Activity, after)
    if row is None:
        return False
    ready = _latest(session, after, "start", first)
    changed = ready != row.ready_from
    row.ready_from = ready
    if isinstance(row, Activity):
        row.finish_from = _latest(session, after, "finish", first)
    session.flush()
    return changed


def _latest(session: Session, after: str, side: str, first: datetime) -> datetime | None:
    into = select(col(Link.id)).where(col(Link.after) == after, col(Link.side) == side)
    if session.execute(into.where(col(Link.satisfied_at).is_(None)).limit(1)).first():
        return None
    latest = select(func.max(Link.satisfied_at)).where(col(Link.after) == after, col(Link.side) == side)
    return session.execute(latest).scalar() or first


def _is_bridged(session: Session, node: str) -> bool:
    if "#" in node:
        return False
    activity = session.get(Activity, node)
    return activity is not None and activity.na_decided
