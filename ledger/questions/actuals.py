"""What has happened, for the forecast: when each activity, order and delivery started and finished."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from ledger.questions.case import lapsed, select
from ledger.questions.far_times import refuse_far
from ledger.questions.orders import orders
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import OVER, Activity, State
from ledger.rules.rows import OrderRow, TrancheRow
from ledger.rules.working_time import WorkingTime
from ledger.subjects.orders.rules import is_unready
from steps.planning.activity import WORKING
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.record.forecast import MINUTE, Actual
from steps.planning.record.holds import Span, within
from steps.stamps import local_day, moment

_APPROVERS = """
SELECT sign_off.activity, sign_off.role FROM sign_off JOIN activity ON activity.id = sign_off.activity
WHERE sign_off.decision = 'approved' AND sign_off.attempt = activity.attempt AND sign_off.at <= activity.done_at
ORDER BY sign_off.at, sign_off.role"""
"""The roles that approved each activity that is done; the last one is that of the approval which completed it."""

_BEGUN = "state <> 'open' OR started_at IS NOT NULL"
"""What has begun or does not apply. Of most activities of a large site nothing has happened for years."""

_HOLDS = """
SELECT hold.activity, hold.since, coalesce(hold.until, :now) FROM hold JOIN activity ON activity.id = hold.activity
WHERE hold.attempt = activity.attempt AND hold.since < :now"""

_CALENDARS = """
SELECT adopted_at, time_zone, start, working_days, working_hours, holidays, calendars FROM plan_revision ORDER BY revision"""


class _InForce(NamedTuple):
    """From when a plan was in force, and its working calendars by name."""

    since: datetime
    calendars: dict[str, WorkCalendar]


def actuals(snapshot: Snapshot) -> dict[str, Actual]:
    """Return when every node of the network that has begun started and finished, by its id.

    Work is finished when people say so, and approved when it is done. What does not apply is both from then on. Until a delivery is
    received, the date that the supplier promised counts as its finish. A promise that has passed counts as one for tomorrow.

    Raise InputError for a time that is years from the project. It names the event.
    """
    now, found = snapshot.now, {}
    approvers, holds = dict(snapshot.ask(_APPROVERS)), _holds(snapshot)
    plans = list(_plans(snapshot))
    for row in select(snapshot, _BEGUN):
        finished, approved = _ends(row, now)
        if row.started_at is not None or finished is not None:
            started = row.started_at or finished
            share = _share(row)
            approver, held = approvers.get(row.id), holds.get(row.id, ())
            span = row.started_at or now, finished or now
            unworked = _unworked(plans, row.plan.calendar, span, held)
            found[row.id] = Actual(
                started,
                finished,
                row.out_of_sequence,
                share,
                approved,
                approver,
                held,
                unworked,
            )
    for order in orders(snapshot):
        if order.placed_at is None:
            continue
        is_lapsed = order.id in lapsed(snapshot)
        early = bool(order.early_because) and is_unready(order, now, lapsed=is_lapsed)
        found[order.id] = Actual(order.placed_at, order.placed_at, early)
        for tranche in order.tranches:
            comes = tranche.received_at or _expected(tranche, order, now)
            found[tranche.id] = Actual(order.placed_at, comes, early)
    refuse_far(snapshot, found)
    return found


def _plans(snapshot: Snapshot) -> Iterator[_InForce]:
    """Yield since when each plan with other working hours was in force, the first one first, and these hours."""
    same_hours = groupby(snapshot.ask(_CALENDARS), itemgetter(slice(1, None)))
    for (zone, start, *texts), plans in same_hours:
        adopted, *_ = next(plans)
        days, hours, holidays, trades = map(json.loads, texts)
        weeks: dict[str, Any] = {WORKING: (days, hours, holidays)}
        for name, own in trades.items():
            weeks[name] = [own[field] for field in WorkingTime._fields[2:]]
        calendars = {}
        for name, week in weeks.items():
            facts = WorkingTime(zone, moment(start), *week)
            calendars[name] = WorkCalendar.from_plan(facts)
        yield _InForce(moment(adopted), calendars)


def _unworked(
    plans: Sequence[_InForce],
    name: str,
    span: Span,
    holds: Sequence[Span],
) -> float:
    """Return how many hours of a span, without its holds, a calendar of the plan in force has more than those of the plans of then."""
    calendar = plans[-1].calendars.get(name) if plans else None
    if calendar is None:  # time that passes by itself
        return 0.0
    more = 0.0
    begins, last = span
    for earlier, following in pairwise(plans):
        then = earlier.calendars.get(name, earlier.calendars[WORKING])
        ends = min(max(begins, following.since), last)
        if then != calendar:
            held = within(holds, begins, ends)
            for own, sign in ((calendar, 1), (then, -1)):
                worked = own.between(begins, ends) - sum(own.between(*one) for one in held)
                more += sign * worked
        begins = ends
    return more


def _holds(snapshot: Snapshot) -> dict[str, tuple[Span, ...]]:
    """Return when each activity was on hold in its present attempt. A hold that lasts ends at the snapshot's time."""
    found: dict[str, tuple[Span, ...]] = {}
    for name, since, until in snapshot.ask(_HOLDS):
        span = moment(since), moment(until)
        found[name] = (*found.get(name, ()), span)
    return found


def _ends(row: Activity, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return when the work of an activity was finished and when it was approved, as far as it was."""
    if row.state in OVER:
        approved = row.done_at or now
        finished = row.finished_at or approved
        return min(finished, approved), approved
    state = row.held_from if row.state is State.ON_HOLD else row.state
    is_finished = state == State.AWAITING_SIGN_OFF
    return (row.finished_at if is_finished else None), None


def _expected(tranche: TrancheRow, order: OrderRow, now: datetime) -> datetime | None:
    """Return when a delivery that is not here is expected. What was not ordered of it comes a lead time from now at the earliest."""
    due = _due(tranche, now, order.time_zone)
    if not tranche.unordered:
        return due
    rest = now + timedelta(hours=order.lead_m_h)
    return max(rest, due or rest)


def _due(tranche: TrancheRow, now: datetime, zone: str) -> datetime | None:
    """Return when a delivery that is not here is expected by its own promise: as the promised day begins at the site.

    None without a promise.
    """
    if tranche.promised is None:
        return None
    day = max(tranche.promised, local_day(now, zone) + timedelta(days=1))
    begins = datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)
    return max(begins, now + MINUTE)


def _share(row: Activity) -> float | None:
    """Return the part of an activity that is done, by its items where they are counted, else as people say."""
    if row.items_done is not None and row.plan.items:
        return min(1.0, row.items_done / row.plan.items)
    return None if row.percent is None else row.percent / 100
