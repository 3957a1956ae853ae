"""A plan with its progress and baseline, as the neutral schedule that other programs are written from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from schedule.cpm.columns import NONE, Actuals, Tie
from schedule.cpm.compiled import CompiledNetwork
from schedule.exchange.model import (
    ALL_DAY,
    DAY,
    Assignment,
    Branch,
    DayCalendar,
    Exchange,
    ExchangeLink,
    ExchangeResource,
    ExchangeTask,
    Spans,
)
from steps.planning.activity import ELAPSED, Dates, PlanActivity
from steps.planning.dates.calendar import DaysAndHours, WorkCalendar, calendars_of
from steps.planning.dates.dating import CLOSING, critical_rows, in_minutes, lags_of, shifts_of
from steps.planning.dates.milestones import CONTINGENCY, CONTINGENCY_OWNER
from steps.planning.exchange.appointments import appointments_of, phase_in_words
from steps.planning.plan import Plan
from steps.planning.record.forecast import UNTOUCHED, Actual, ForecastSolution, with_those_that_follow

MINUTE = timedelta(minutes=1)


class Foreseen(NamedTuple):
    """A forecast, and what has happened by its data date, by id."""

    solved: ForecastSolution
    happened: Mapping[str, Actual]


@dataclass(frozen=True)
class Exported:
    """A schedule that is to be written, and sentences on what the plan has and the schedule has not."""

    schedule: Exchange
    notices: list[str] = field(default_factory=list)


def exchange_of_plan(
    plan: Plan,
    *,
    forecast: Foreseen | None = None,
    baseline: Plan | None = None,
    commitment: datetime | None = None,
) -> Exported:
    """Return a plan as a schedule.

    With a forecast the dates are those, and what has happened is there. Without one they are the plan's own. Activities that do
    not apply are left out. With a commitment the time from go-live until then is the last task, the schedule contingency.
    """
    making = _Making(plan)
    rows = [*making.activities(), *making.supplies()]
    row = {task.id: number for number, task in enumerate(rows)}
    tasks: Iterable[ExchangeTask] = rows
    if forecast is not None:
        tasks = _forecast_tasks(rows, forecast, making)
    if baseline is not None:
        tasks = _with_baseline(tasks, baseline, making)
    calendar = {one.name: number for number, one in enumerate(making.calendars)}
    approving = None if forecast is None else forecast.solved.recorded.approving
    lags = lags_of(plan, plan.links, row, shifts_of(plan), approving).tolist()
    links = [
        ExchangeLink(row[link.before], row[link.after], Tie[link.type.value], lag, calendar[link.lag_calendar])
        for link, lag in zip(plan.links, lags, strict=True)
    ]
    resources, assignments = _resources(plan, row)
    tasks = list(tasks)
    if commitment is not None:
        last = max(
            range(len(tasks)),
            key=lambda number: (tasks[number].id.startswith(CLOSING), tasks[number].finish or making.local(plan.start)),
        )
        links.append(ExchangeLink(last, len(tasks), Tie.FS, 0, calendar[ELAPSED]))
        tasks.append(_contingency(tasks[last], making, commitment))
    found = Exchange(
        name=plan.site,
        start=making.local(plan.start),
        data_date=making.local(plan.start if forecast is None else forecast.solved.as_of),
        calendars=making.calendars,
        branches=making.branches,
        tasks=tasks,
        links=links,
        resources=resources,
        assignments=assignments,
        baseline="" if baseline is None else f"{plan.site} baseline",
        currency=plan.currency,
        zone=plan.time_zone,
        appointments=list(appointments_of(plan, {task.id: task for task in tasks}, making.local)),
    )
    return Exported(found, _notices(plan, found))


def _contingency(last: ExchangeTask, making: _Making, commitment: datetime) -> ExchangeTask:
    """Return the task from the end of the last one until the commitment. It takes no time where that is past."""
    begins, until = last.finish or making.local(making.plan.start), making.local(commitment)
    return ExchangeTask(
        id=CONTINGENCY,
        title=f"Schedule contingency, owner {making.plan.roles.get(CONTINGENCY_OWNER, CONTINGENCY_OWNER)}",
        calendar=making.calendar[ELAPSED],
        minutes=max(0, (until - begins) // MINUTE),
        branch=last.branch,
        start=begins,
        finish=max(begins, until),
        no_later=until,
    )


def _notices(plan: Plan, found: Exchange) -> list[str]:
    left_out = sum(not activity.applicable for activity in plan.activities)
    held = sum(task.no_earlier is not None for task in found.tasks)
    notices = []
    if left_out:
        notices.append(f"{left_out:,} activities that do not apply at this site are left out")
    if held:
        notices.append(
            f"{held:,} tasks wait for a crew or have a promised date: each may start no earlier than its date, "
            "so that the other program keeps it"
        )
    return notices


class _Making:
    """The parts of a schedule that are made once: calendars, the work breakdown structure, local times."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.zone = ZoneInfo(plan.time_zone)
        self.origin = WorkCalendar.from_plan(plan).origin
        working = [_day_calendar(name, own) for name, own in calendars_of(plan).items()]
        self.calendars = [*working, DayCalendar(ELAPSED, (ALL_DAY,) * 7)]
        self.calendar = {one.name: number for number, one in enumerate(self.calendars)}
        self.branches: list[Branch] = []
        self._branch: dict[str, int] = {}
        self._units = {unit.id: unit.title for unit in plan.units}

    def local(self, instant: datetime) -> datetime:
        """Return an instant by the site's clocks, to the minute."""
        return instant.astimezone(self.zone).replace(second=0, microsecond=0, tzinfo=None)

    def at(self, minute: int) -> datetime:
        """Return a minute of the plan's network by the site's clocks."""
        return self.local(self.origin + minute * MINUTE)

    def branch(self, phase: str, unit: str) -> int:
        """Return the node of a unit within a phase."""
        first = self._node(phase, phase_in_words(phase), None)
        return self._node(f"{phase}.{unit}", self._units.get(unit, unit), first)

    def _node(self, code: str, title: str, parent: int | None) -> int:
        if code not in self._branch:
            self._branch[code] = len(self.branches)
            self.branches.append(Branch(code, title, parent))
        return self._branch[code]

    def activities(self) -> Iterator[ExchangeTask]:
        """Yield the tasks of activities that apply."""
        for activity in self.plan.activities:
            if activity.applicable:
                task = ExchangeTask(
                    id=activity.id,
                    title=activity.title,
                    calendar=self.calendar[activity.calendar],
                    minutes=in_minutes(activity.duration.m),
                    branch=self.branch(str(activity.phase), activity.unit),
                )
                yield self._dated(task, activity.dates)

    def supplies(self) -> Iterator[ExchangeTask]:
        """Yield the tasks of orders and deliveries. A delivery lasts from the order until it arrives."""
        phases = {activity.step: str(activity.phase) for activity in self.plan.activities}
        around_the_clock = self.calendar[ELAPSED]
        for order in self.plan.orders:
            branch = self.branch(phases.get(order.step, "supply"), order.unit)
            placed = ExchangeTask(
                id=order.id, title=f"Order: {order.title}", calendar=around_the_clock, minutes=0, branch=branch
            )
            yield self._dated(placed, order.dates)
            for tranche in order.tranches:
                delivery = ExchangeTask(
                    id=tranche.id,
                    title=f"Delivery {tranche.number}: {order.title}",
                    calendar=around_the_clock,
                    minutes=in_minutes(order.lead.m + tranche.after_first_h),
                    branch=branch,
                )
                yield self._dated(delivery, tranche.dates)

    def _dated(self, task: ExchangeTask, dates: Dates | None) -> ExchangeTask:
        if dates is None:
            return task
        start = self.local(dates.early_start)
        return replace(
            task,
            start=start,
            finish=self.local(dates.early_finish),
            late_start=self.local(dates.late_start),
            late_finish=self.local(dates.late_finish),
            total_float=round(dates.total_float_h * 60),
            free_float=round(dates.free_float_h * 60),
            is_critical=dates.is_critical,
            no_earlier=start if dates.crew is not None else None,
        )


def _day_calendar(name: str, own: DaysAndHours) -> DayCalendar:
    """Return a calendar by days: a shift past midnight is in two pieces, and the second belongs to the next day."""
    opens, closes = (round(hour * 60) for hour in own.working_hours)
    evening: Spans = ((opens, min(closes, DAY)),)
    morning: Spans = ((0, closes - DAY),) if closes > DAY else ()
    working = set(own.working_days)

    def spans(*, began: bool, begins: bool) -> Spans:
        both = (*(morning if began else ()), *(evening if begins else ()))
        if len(both) == 2 and both[0][1] >= both[1][0]:
            return ((both[0][0], both[1][1]),)
        return both

    week = tuple(spans(began=(day or 7) in working, begins=day + 1 in working) for day in range(7))
    off = {date.fromisoformat(day) for day in own.holidays}
    exceptions: dict[date, Spans] = {}
    for day in sorted({near for one in off for near in (one, one + timedelta(days=1))}):
        before = day - timedelta(days=1)
        began = before.isoweekday() in working and before not in off
        begins = day.isoweekday() in working and day not in off
        found = spans(began=began, begins=begins)
        if found != week[day.weekday()]:
            exceptions[day] = found
    return DayCalendar(name, week, exceptions)


def _forecast_tasks(tasks: list[ExchangeTask], foreseen: Foreseen, making: _Making) -> Iterator[ExchangeTask]:
    """Yield the tasks at their forecast dates, with what has happened, and with the durations that finished work teaches."""
    found = foreseen.solved
    network, solution = found.crewed.base, found.crewed.solution
    rows = {name: number for number, name in enumerate(network.activities.names)}
    # as it was solved: a delivery that follows a received one has a date, and does not run
    happened = with_those_that_follow(making.plan, foreseen.happened, found.as_of)
    critical = critical_rows(making.plan, found.crewed.network, solution)
    dates = (solution.start, solution.finish, solution.late_start, solution.late_finish)
    columns = [column.tolist() for column in dates]
    floats = [column.tolist() for column in (solution.total_float, solution.free_float)]
    waits = found.crewed.waits.tolist()
    promised = network.activities.no_earlier
    for task in tasks:
        row = rows[task.id]
        start, finish, late_start, late_finish = (making.at(column[row]) for column in columns)
        started, finished = _actual_dates(happened.get(task.id, UNTOUCHED), found.as_of, making)
        is_held = waits[row] > 0 or (promised is not None and int(promised[row]) != NONE)
        is_running = started is not None and finished is None
        yield replace(
            task,
            minutes=int(network.activities.duration[row]),
            start=started or start,
            finish=finished or finish,
            late_start=late_start,
            late_finish=late_finish,
            total_float=floats[0][row],
            free_float=floats[1][row],
            is_critical=row in critical,
            no_earlier=start if is_held and started is None else None,
            actual_start=started,
            actual_finish=finished,
            remaining=_left(network, found.progress, row) if is_running else None,
        )


def _actual_dates(actual: Actual, now: datetime, making: _Making) -> tuple[datetime | None, datetime | None]:
    """Return the actual start and finish. A finish that is still to come is a supplier's promise: nothing has happened."""
    if actual.finished is not None and actual.finished > now:
        return None, None
    begun = actual.started or actual.finished
    start, finish = (None if at is None else making.local(at) for at in (begun, actual.finished))
    return start, finish


def _left(network: CompiledNetwork, progress: Actuals, row: int) -> int:
    """Return the minutes of work that remain of what runs."""
    if progress.remaining is not None and int(progress.remaining[row]) != NONE:
        return int(progress.remaining[row])
    calendar = network.calendars[int(network.activities.calendar[row])]
    since = calendar.work(progress.data_date) - calendar.work(int(progress.started[row]))
    return max(0, int(network.activities.duration[row]) - int(since))


def _with_baseline(tasks: Iterable[ExchangeTask], baseline: Plan, making: _Making) -> Iterator[ExchangeTask]:
    """Yield the tasks with the dates that the baseline had for them."""
    dated = dict(baseline.nodes())
    for task in tasks:
        dates = dated.get(task.id)
        if dates is None:
            yield task
        else:
            start, finish = making.local(dates.early_start), making.local(dates.early_finish)
            yield replace(task, baseline_start=start, baseline_finish=finish)


def _resources(plan: Plan, row: Mapping[str, int]) -> tuple[list[ExchangeResource], list[Assignment]]:
    """Return the crews by trade and the other resources, and what each task has of them."""
    working = [activity for activity in plan.activities if activity.applicable]
    trades = sorted({activity.role for activity in working if activity.crews})
    found = [ExchangeResource(trade, plan.roles.get(trade, trade), plan.crews[trade]) for trade in trades]
    found += [ExchangeResource(one.id, one.title, one.capacity) for one in plan.resources]
    number = {resource.id: place for place, resource in enumerate(found)}
    held = [
        Assignment(row[activity.id], number[name], amount) for activity in working for name, amount in _held(activity)
    ]
    return found, held


def _held(activity: PlanActivity) -> Iterator[tuple[str, int]]:
    if activity.crews:
        yield activity.role, activity.crews
    for hold in activity.holds:
        yield hold.resource, hold.amount
