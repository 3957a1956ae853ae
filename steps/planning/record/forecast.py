"""Forecasts the finish of a project from its data date: what has happened is fixed, and the rest follows from it.

A started activity ends its planned duration after its start, but never before the data date (retained logic). An order that is
placed late, or promised for another day, moves what waits for it. Crews go on in the order of the plan, or in a shorter one, at
the rates that their finished work shows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from schedule.cpm.columns import NONE
from schedule.cpm.columns import Actuals as Progress
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.shifts import Minutes
from schedule.crews.levelled_network import CrewedSolution, solve_with_crews
from schedule.levelling.level import Effort
from steps.planning.dates.approvals import Approving, approval_times, approver_of
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import closing_row, crew_order, crews_of, critical_rows, last_row, network_of
from steps.planning.dates.learned import ApprovalTime
from steps.planning.plan import Plan
from steps.planning.record.holds import Span, joined, within
from steps.planning.record.rates import LearnedRates, learned_rates


class Actual(NamedTuple):
    """The start and the finish of an activity, order or delivery; None if it has not happened.

    `out_of_sequence` is true while something before it is open. What comes after it then waits for that too. `share` is the part
    of running work that is done, from 0 to 1, as its items or people say; None if nobody says it. Work ends at its finish. It was
    `approved` later, by the role `approver`; None while it waits for that. `holds` are the times in which it was on hold, in any
    order: nobody worked on it then, and its approval did not wait for people. A hold that lasts ends at the data date. `unworked_h`
    are hours of the plan's calendar that were no working hours when it was done, because an earlier plan was in force; negative if
    that plan had more.
    """

    started: datetime | None
    finished: datetime | None
    out_of_sequence: bool = False
    share: float | None = None
    approved: datetime | None = None
    approver: str | None = None
    holds: tuple[Span, ...] = ()
    unworked_h: float = 0.0


MINUTE = timedelta(minutes=1)
IN_THE_PLANS_ORDER = Effort(schedules=1)
UNTOUCHED = Actual(None, None)
Actuals = Mapping[str, Actual]


class Forecast(NamedTuple):
    """The forecast finish of the project and of each node that is not finished."""

    as_of: datetime
    finish: datetime
    unlimited_finish: datetime
    """The finish with unlimited crews."""
    nodes: dict[str, datetime]
    starts: dict[str, datetime]
    """Of those nodes."""
    critical: tuple[str, ...]


class Recorded(NamedTuple):
    """A plan's network, and what has happened to it, at the rates of the plan and without its crews."""

    network: CompiledNetwork
    """With promised dates; without the links that no longer hold what has begun."""
    progress: Progress
    approving: Approving
    """The approvals that work has waited for, and how long they are expected to take from now on."""
    approvals: tuple[ApprovalTime, ...]
    """What the record shows of each role that has approved."""


class ForecastSolution(NamedTuple):
    """A plan solved from its data date, to be read and sampled."""

    plan: Plan
    as_of: datetime
    recorded: Recorded
    crewed: CrewedSolution
    progress: Progress
    finished: frozenset[str]
    rates: LearnedRates | None = None
    """What finished work teaches; None before there is any."""

    @property
    def forecast(self) -> Forecast:
        """The forecast dates."""
        found, unlimited, names = self.crewed.solution, self.crewed.unlimited, self.crewed.base.activities.names
        origin = WorkCalendar.from_plan(self.plan).origin
        finishes = [origin + timedelta(minutes=minutes) for minutes in found.finish.tolist()]
        last, early_last = last_row(self.crewed.base, found), last_row(self.crewed.base, unlimited)
        open_ = [row for row, name in enumerate(names) if name not in self.finished]
        starts = [origin + timedelta(minutes=minutes) for minutes in found.start.tolist()]
        driving = critical_rows(self.plan, self.crewed.network, found) & set(open_)
        return Forecast(
            as_of=self.as_of,
            finish=finishes[last],
            unlimited_finish=origin + timedelta(minutes=int(unlimited.finish[early_last])),
            nodes={names[row]: finishes[row] for row in open_},
            starts={names[row]: starts[row] for row in open_},
            critical=tuple(names[row] for row in sorted(driving, key=lambda row: (starts[row], finishes[row], row))),
        )


def solve_forecast(
    plan: Plan, actuals: Actuals, now: datetime, *, first: Collection[str] = frozenset()
) -> ForecastSolution:
    """Return an adopted plan solved with what has happened, by id, until the time `now`. Crews serve what is `first` first."""
    actuals = with_those_that_follow(plan, actuals, now)
    recorded = _recorded(plan, actuals, now)
    network, progress = recorded.network, recorded.progress
    rates = learned_rates(plan, network, progress)
    if rates is not None:
        network, progress = _at_these_rates(network, progress, rates)
    crewed = in_the_plans_order(plan, network, progress, first)
    ended = frozenset(name for name, one in actuals.items() if one.finished is not None and one.finished <= now)
    return ForecastSolution(plan, now, recorded, crewed, progress, ended, rates)


def in_the_plans_order(
    plan: Plan, network: CompiledNetwork, progress: Progress | None = None, first: Collection[str] = frozenset()
) -> CrewedSolution:
    """Return a plan's network solved with its crews in the order of the plan, or in a shorter one; `first` are ids to serve first."""
    return solve_with_crews(
        network,
        crews_of(plan, network),
        IN_THE_PLANS_ORDER,
        actuals=progress,
        target=closing_row(network),
        planned=crew_order(plan, network),
        first=np.array([name in first for name in network.activities.names]) if first else None,
    )


def with_those_that_follow(plan: Plan, actuals: Actuals, now: datetime) -> Actuals:
    """Return what has happened, with a date for each delivery that has none: it comes as long after its order's first as planned."""
    found = dict(actuals)
    for order in plan.orders:
        first, *later = order.tranches
        came = actuals.get(first.id, UNTOUCHED).finished
        for one in later if came is not None else ():
            own = actuals.get(one.id, UNTOUCHED)
            if came is not None and own.started is not None and own.finished is None:
                due = came + timedelta(hours=one.after_first_h - first.after_first_h)
                found[one.id] = own._replace(finished=max(due, now + MINUTE))
    return found


def _recorded(plan: Plan, actuals: Actuals, now: datetime) -> Recorded:
    calendar = WorkCalendar.from_plan(plan)
    ends = {name: actual.finished for name, actual in actuals.items() if actual.finished is not None}
    promised = {name: _minute(calendar, end) for name, end in ends.items() if end > now}
    in_sequence = ((name, one) for name, one in actuals.items() if name not in promised and not one.out_of_sequence)
    begun = {name: one.finished is not None for name, one in in_sequence}
    happened = {name: actual for name, actual in actuals.items() if name not in promised}
    times = approval_times(plan, _waits(plan, happened, now))
    hours = plan.approvals | {role: one.expected_h for role, one in times.items()}
    approving = Approving(hours, dict(_approved(plan, happened, hours, now)))
    network = network_of(plan, promised, begun, approving)
    return Recorded(network, _progress(network, calendar, happened, now), approving, tuple(times.values()))


def _approved(
    plan: Plan, happened: Actuals, hours: Mapping[str, float], now: datetime
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield when each approved activity was finished and approved, in minutes. What waits for longer than expected waits until now."""
    calendar = WorkCalendar.from_plan(plan)
    for activity in plan.activities:
        one = happened.get(activity.id, UNTOUCHED)
        if one.finished is None:
            continue
        approved, role = one.approved, approver_of(activity, hours)
        if approved is None and role is not None and role in hours and calendar.add(one.finished, hours[role]) < now:
            approved = now
        if approved is not None:
            yield activity.id, (_minute(calendar, one.finished), _minute(calendar, approved))


def _waits(plan: Plan, happened: Actuals, now: datetime) -> Iterator[tuple[str, float]]:
    """Yield for how many working hours each approval was waited for, with its role; also what waits for longer than planned."""
    calendar = WorkCalendar.from_plan(plan)
    for activity in plan.activities:
        one = happened.get(activity.id, UNTOUCHED)
        role = approver_of(activity, plan.approvals)
        if role is None or one.finished is None:
            continue
        begins, ends = one.finished, one.approved or now
        held = sum(calendar.between(*span) for span in within(one.holds, begins, ends))
        hours = calendar.between(begins, ends) - held
        if one.approved is not None or hours > plan.approvals.get(role, hours):
            yield one.approver or role, hours


def _at_these_rates(
    network: CompiledNetwork, progress: Progress, rates: LearnedRates
) -> tuple[CompiledNetwork, Progress]:
    """Return the network with what its work is now expected to take, and the progress with what remains of what runs."""
    likely = np.rint(rates.likely).astype(np.int64)
    forecast = rates.step >= 0
    running = forecast & (progress.started != NONE)
    durations = np.where(forecast & ~running, likely, network.activities.duration)
    remaining = np.where(running, likely, NONE) if progress.remaining is None else progress.remaining.copy()
    remaining[running] = likely[running]
    activities = replace(network.activities, duration=durations)
    return replace(network, activities=activities), replace(progress, remaining=remaining)


def forecast(plan: Plan, actuals: Actuals, now: datetime) -> Forecast:
    """Return the forecast of an adopted plan from what has happened, by id, at the time `now`."""
    return solve_forecast(plan, actuals, now).forecast


def _progress(network: CompiledNetwork, calendar: WorkCalendar, actuals: Actuals, now: datetime) -> Progress:
    """Return what has happened in minutes. A row that only has a finish started then, too.

    What has finished out of sequence counts as work of which nothing remains: it ends when what is before it has. Of running work
    what its items leave remains, and otherwise what it has not worked yet.
    """
    number = len(network.activities)
    started, finished, remaining = (np.full(number, NONE) for _ in range(3))
    data_date = max(0, _minute(calendar, now))
    for row, name in enumerate(network.activities.names):
        actual = actuals.get(name, UNTOUCHED)
        begun = actual.started or actual.finished
        if begun is not None:
            started[row] = min(_minute(calendar, begun), data_date)
        if actual.finished is not None and not actual.out_of_sequence:
            finished[row] = min(max(_minute(calendar, actual.finished), int(started[row])), data_date)
        elif actual.finished is not None:
            remaining[row] = 0
        elif begun is not None and actual.share is not None:
            remaining[row] = round(int(network.activities.duration[row]) * (1 - actual.share))
    until = np.where(finished == NONE, data_date, finished)
    held = _held(network, calendar, actuals, started, until, now)
    return Progress(data_date, started, finished, remaining, held=held)


def _held(
    network: CompiledNetwork, calendar: WorkCalendar, actuals: Actuals, started: Minutes, until: Minutes, now: datetime
) -> Minutes | None:
    """Return the working minutes between its start and an instant in which each row was on hold, or that were not worked then. None if there are none.

    Where the plan begins only later, the data date is its first day. Nobody has worked from now until then.
    """
    ahead = (now, calendar.origin)
    if now >= calendar.origin and not any(one.holds or one.unworked_h for one in actuals.values()):
        return None
    held = np.zeros(len(started), np.int64)
    for row, name in enumerate(network.activities.names):
        shifts = network.calendars[int(network.activities.calendar[row])]
        actual = actuals.get(name, UNTOUCHED)
        if started[row] == NONE:
            continue
        held[row] = round(actual.unworked_h * 60)
        for begins, ends in joined((*actual.holds, ahead)):
            span = (_minute(calendar, begins), _minute(calendar, ends))
            first, last = np.clip(np.array(span, np.int64), started[row], until[row])
            held[row] += int(shifts.work(last) - shifts.work(first))
    return held


def _minute(calendar: WorkCalendar, instant: datetime) -> int:
    return (instant - calendar.origin) // MINUTE
