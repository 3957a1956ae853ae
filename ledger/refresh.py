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

from sqlalchemy import select, text, update
from sqlmodel import Session, col

from ledger.readiness import NEVER, Calendar, Times, activity_times, satisfied_at
from steps.stamps import instant
from ledger.tables import Activity, Link, OrderLine, PlanRevision, Tranche

ALL = "*"
"""Stands for every node: no activity, order or delivery is called so."""

MARGIN = timedelta(days=366)
"""The calendar reaches back this far before the plan's start, for work recorded from before."""

PUT_OFF = "readiness is put off"
"""Where a session's `info` collects what changed: no event's handler asks how ready anything is."""

MANY = 2000
"""From so many changed nodes on it is quicker to work out every link."""


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
    """Leave readiness alone inside, and work it out once at the end, of everything that changed or of all there is."""
    changed: dict[str, None] = {}
    session.info[PUT_OFF] = changed
    try:
        yield
    finally:
        del session.info[PUT_OFF]
    if ALL in changed or len(changed) >= MANY:
        refresh_all(session)
    elif changed:
        refresh(session, changed)


def refresh(session: Session, changed: Iterable[str]) -> None:
    """Work out again what follows the changed nodes, and on through what is bridged."""
    if PUT_OFF in session.info:
        session.info[PUT_OFF] |= dict.fromkeys(changed)
        return
    revision = in_force(session)
    if revision is None:
        return
    calendar = SiteCalendar(revision)
    wave = list(changed)
    while wave:
        times = {node: times_of(session, node) for node in wave}
        touched = set()
        for link in session.scalars(_LINKS_OF, {"named": json.dumps(wave)}):
            ends = satisfied_at(link.type, link.lag_h, link.lag_calendar, times[link.before], calendar)
            if ends != link.satisfied_at:
                link.satisfied_at = ends
                touched.add(link.after)
        moved = _settle(session, touched, revision.first_at) if touched else []
        wave = [row.id for row in moved if isinstance(row, Activity) and row.na_decided]


_LINKS = select(
    col(Link.id),
    col(Link.before),
    col(Link.after),
    col(Link.side),
    col(Link.type),
    col(Link.lag_h),
    col(Link.lag_calendar),
)


def refresh_all(session: Session) -> None:
    """Work out every link and every node: after a plan is adopted."""
    if PUT_OFF in session.info:
        session.info[PUT_OFF][ALL] = None
        return
    revision = in_force(session)
    assert revision is not None
    calendar = SiteCalendar(revision)
    times = _all_times(session)
    worst: dict[tuple[str, str], datetime | None] = {}
    known: dict[int, datetime] = {}
    for name, before, after, side, kind, lag_h, lag_calendar in session.execute(_LINKS):
        ends = satisfied_at(kind, lag_h, lag_calendar, times.get(before, NEVER), calendar)
        if ends is not None:
            known[name] = ends
        key = (after, side)
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


def _settle(session: Session, names: Iterable[str], first: datetime) -> list[Activity | OrderLine]:
    """Set nodes' readiness from their links; give those where it changed."""
    session.flush()
    named = {"named": json.dumps(sorted(names))}
    found: list[Activity | OrderLine] = [*session.scalars(_ACTIVITIES, named), *session.scalars(_ORDERS, named)]
    rows = {row.id: row for row in found}
    moved = []
    for name, waits, ready, waits_to_finish, finish in session.execute(_READINESS, named):
        row = rows.get(name)
        if row is None:
            continue
        ready_from = None if waits else instant(ready) or first
        if ready_from != row.ready_from:
            row.ready_from = ready_from
            moved.append(row)
        if isinstance(row, Activity):
            row.finish_from = None if waits_to_finish else instant(finish) or first
    session.flush()
    return moved


_NAMED = select(text("value")).select_from(text("json_each(:named)"))
_LINKS_OF = select(Link).where(col(Link.before).in_(_NAMED))
_ACTIVITIES = select(Activity).where(col(Activity.id).in_(_NAMED))
_ORDERS = select(OrderLine).where(col(OrderLine.id).in_(_NAMED))
_READINESS = text(
    "SELECT value,"
    """ EXISTS (SELECT 1 FROM link WHERE "after" = value AND side = 'start' AND satisfied_at IS NULL),"""
    """ (SELECT max(satisfied_at) FROM link WHERE "after" = value AND side = 'start'),"""
    """ EXISTS (SELECT 1 FROM link WHERE "after" = value AND side = 'finish' AND satisfied_at IS NULL),"""
    """ (SELECT max(satisfied_at) FROM link WHERE "after" = value AND side = 'finish')"""
    " FROM json_each(:named) ORDER BY value"
)
"""Each is one look in an index, however many links run into go-live."""
