"""The dates of a plan: its network solved, and the dates of activities, orders and deliveries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from msgspec.structs import replace

from schedule.cpm.columns import NONE, Activities, Links, Tie
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import Minutes, ShiftCalendar, continuous
from schedule.cpm.solution import Solution
from schedule.cpm.weekly import WeeklyHours, weekly_calendar
from schedule.crews.levelled_network import CrewedSolution, Crews, solve_with_crews
from schedule.crews.slots import Needs
from schedule.errors import InputError
from schedule.levelling.level import Effort
from schedule.levelling.problem import Capacity
from steps.catalog.terms import LinkType
from steps.planning.activity import ELAPSED, Dates, PlanActivity
from steps.planning.dates.approvals import Approving, approval_hours, waits_of
from steps.planning.dates.calendar import WorkCalendar, calendars_of
from steps.planning.dates.milestones import halls_of
from steps.planning.plan import Plan, PlanLevelling, PlanLink, PlanOrder

CLOSING = "195@"
"""How the id of the activity begins with which a site is live."""
MINUTES = 60
"""In an hour."""
MINUTE = timedelta(minutes=1)
YEAR = timedelta(days=366)
TIES = {one: Tie[one.value] for one in LinkType}
YEARS_BEFORE, YEARS_AFTER = 10, 50
"""Of shifts about a project's start. In one sample of many a utility takes nine years, a late one longer, to serve a site."""


OF_A_SMALL_SITE, SMALL = 2_000, 500
"""Schedules, and activities with orders and deliveries. With half as many schedules some small sites are later with more crews."""


class _Row(NamedTuple):
    id: str
    hours: float
    calendar: str


def network_of(
    plan: Plan,
    promised: Mapping[str, int] = MappingProxyType({}),
    begun: Mapping[str, bool] = MappingProxyType({}),
    approving: Approving | None = None,
) -> CompiledNetwork:
    """Return the plan's network: the activities that apply, the orders and the deliveries, at their most likely durations.

    `promised` has the minute at which something will be there, by id. It takes the place of its duration. What has `begun` in sequence,
    as the record judged it then, waits no longer for what holds its start, and once it is finished (true) for nothing: also not
    for what a later revision puts before it.
    """
    rows = list(_rows(plan))
    plan_links = [link for link in plan.links if not _is_past(link, begun)] if begun else plan.links
    index = {row.id: number for number, row in enumerate(rows)}
    calendars = shifts_of(plan)
    calendar = {one.name: number for number, one in enumerate(calendars)}
    _refuse_unknown_calendar(rows, calendar)
    activities = Activities(
        [row.id for row in rows],
        np.array([0 if row.id in promised else in_minutes(row.hours) for row in rows], np.int64),
        np.array([calendar[row.calendar] for row in rows], np.int32),
        no_earlier=np.array([promised.get(row.id, NONE) for row in rows], np.int64) if promised else None,
    )
    links = Links(
        np.array([index[link.before] for link in plan_links], np.int32),
        np.array([index[link.after] for link in plan_links], np.int32),
        np.array([TIES[link.type] for link in plan_links], np.uint8),
        lags_of(plan, plan_links, index, calendars, approving),
        np.array([calendar[link.lag_calendar] for link in plan_links], np.int32),
    )
    return compile_network(activities, links, calendars)


def lags_of(
    plan: Plan,
    links: Sequence[PlanLink],
    index: Mapping[str, int],
    calendars: Sequence[ShiftCalendar],
    approving: Approving | None = None,
) -> Minutes:
    """Return the lag of each link in minutes of its calendar. It contains the wait for the approval of the predecessor.

    `index` has the row of each node of the network. Without `approving`, approvals take as long as planned.
    """
    own = np.array([in_minutes(link.lag_h) if link.lag_h else 0 for link in links], np.int64)
    return own + waits_of(plan, links, index, calendars, approving or Approving(plan.approvals))


def shifts_of(plan: Plan) -> tuple[ShiftCalendar, ...]:
    """Return the calendars of a plan: around the clock, the site's, and those of trades."""
    working = (working_shifts(calendar, name) for name, calendar in calendars_of(plan).items())
    return (continuous(ELAPSED), *working)


def _refuse_unknown_calendar(rows: Iterable[_Row], known: Collection[str]) -> None:
    for row in rows:
        if row.calendar not in known:
            raise InputError(f"{row.id} works on the calendar {row.calendar!r}, which the plan does not have")


def _is_past(link: PlanLink, begun: Mapping[str, bool]) -> bool:
    """Return whether the end of a link's successor has happened, so that it holds nothing any more."""
    holds_start = link.type.value in {"FS", "SS"}
    return link.after in begun and (holds_start or begun[link.after])


def in_minutes(hours: float) -> int:
    """Return hours as whole minutes. What takes time takes a minute at least."""
    minutes = round(hours * MINUTES)
    return minutes or (1 if hours > 0 else 0)


@lru_cache(maxsize=32)
def working_shifts(calendar: WorkCalendar, name: str) -> ShiftCalendar:
    """Return working hours as shifts, from years before their origin: work may have begun long before the plan."""
    opens, closes = (_time_of_day(hour) for hour in calendar.working_hours)
    hours = WeeklyHours(
        {day: [(opens, closes)] for day in calendar.working_days},
        {datetime.fromisoformat(day).date() for day in calendar.holidays},
    )
    first = calendar.origin.astimezone(ZoneInfo(calendar.time_zone)).date()
    known = (first - YEARS_BEFORE * YEAR, first + YEARS_AFTER * YEAR)
    return weekly_calendar(name, hours, zone=calendar.time_zone, origin=calendar.origin, known=known)


def _time_of_day(hour: float) -> time:
    whole, minutes = divmod(round(hour * MINUTES), MINUTES)
    return time(whole % 24, minutes)


def _rows(plan: Plan) -> Iterator[_Row]:
    for activity in plan.activities:
        if activity.applicable:
            yield _Row(activity.id, activity.duration.m, activity.calendar)
    for order in plan.orders:
        yield _Row(order.id, 0.0, ELAPSED)
        for tranche in order.tranches:
            yield _Row(tranche.id, order.lead.m + tranche.after_first_h, ELAPSED)


class SolvedPlan(NamedTuple):
    """A plan with its dates, and the solution that they come from."""

    plan: Plan
    crewed: CrewedSolution


def solved(plan: Plan) -> SolvedPlan:
    """Return the plan with dates that its crews can keep, floats, and the order-by and need-by dates of orders."""
    network = network_of(plan)
    crews = crews_of(plan, network)
    crewed = solve_with_crews(network, crews, effort_for(network), target=closing_row(network))
    dates = _dates(plan, crewed)
    last = network.activities.names[last_row(network, crewed.solution)]
    for hall in halls_of(plan):
        if (own := dates.get(hall.id)) is not None:
            dates[hall.id] = replace(own, approved=_approved(plan, hall, own.early_finish))
    activities = (replace(activity, dates=dates.get(activity.id)) for activity in plan.activities)
    orders = (_dated_order(order, dates) for order in plan.orders)
    found = {
        "finish": dates[last].early_finish,
        "levelling": _levelling(crewed, dates[last]),
        "activities": tuple(activities),
        "orders": tuple(orders),
    }
    return SolvedPlan(plan.model_copy(update=found), crewed)


def _approved(plan: Plan, activity: PlanActivity, finish: datetime) -> datetime:
    """Return when the approval of an activity is planned whose work ends at `finish`."""
    return WorkCalendar.from_plan(plan).add(finish, approval_hours(activity, plan.approvals))


def _levelling(crewed: CrewedSolution, last: Dates) -> PlanLevelling | None:
    found = crewed.levelled
    if found is None or last.unlimited_finish is None:
        return None
    return PlanLevelling(
        unlimited_finish=last.unlimited_finish,
        method=found.method,
        schedules=found.schedules,
        seed=found.seed,
        gap=round(found.gap, 4),
    )


def closing_row(network: CompiledNetwork) -> int | None:
    """Return the row that closes the project, or None if the site has none."""
    closing = (row for row, name in enumerate(network.activities.names) if name.startswith(CLOSING))
    return next(closing, None)


def last_row(network: CompiledNetwork, solution: Solution) -> int:
    """Return the row that closes the project, or of what finishes last."""
    closing = closing_row(network)
    return int(np.argmax(solution.finish)) if closing is None else closing


def critical_rows(plan: Plan, network: CompiledNetwork, solution: Solution) -> set[int]:
    """Return the critical rows: the chain that drives go-live, and everything without float.

    An activity that continues after go-live is critical only on that chain. The chain is followed because float alone
    has gaps where calendars mix: a delivery on a Saturday has the Sunday as float.
    """
    names = network.activities.names
    continuing = {activity.id for activity in plan.activities if activity.continuing}
    without_float = np.flatnonzero(solution.total_float <= 0).tolist()
    critical = {row for row in without_float if names[row] not in continuing}
    row: int | None = last_row(network, solution)
    while row is not None:
        critical.add(row)
        row = driver_of(network, solution, row)
    return critical


def driver_of(network: CompiledNetwork, solution: Solution, row: int) -> int | None:
    """Return the row of the predecessor that sets a start, or None if the start of the project does."""
    link = int(solution.driving_link[row])
    return None if link < 0 else int(network.links.before[link])


def crews_of(plan: Plan, network: CompiledNetwork) -> Crews:
    """Return the crews and resources of a plan, and what each activity has of them; none for a plan that knows none."""
    names = network.activities.names
    row = {name: number for number, name in enumerate(names)}
    working = [activity for activity in plan.activities if activity.applicable]
    roles = sorted({activity.role for activity in working if activity.crews})
    there = {role: plan.crews[role] for role in roles} | {one.id: one.capacity for one in plan.resources}
    number = {name: place for place, name in enumerate(there)}
    held = [(row[one.id], number[one.role], one.crews) for one in working if one.crews]
    held += [(row[one.id], number[hold.resource], hold.amount) for one in working for hold in one.holds]
    unit = {one.id: place for place, one in enumerate(plan.units)}
    area = {activity.id: unit[activity.unit] for activity in plan.activities}
    return Crews(
        tuple(there),
        tuple(map(Capacity.constant, there.values())),
        Needs(*np.array(held, np.int64).reshape(-1, 3).T),
        np.array([area.get(name, 0) for name in names], np.int64),
    )


def crew_order(plan: Plan, network: CompiledNetwork) -> Minutes:
    """Return by row when levelling placed the planned work, in minutes: crews go on in this order."""
    return _planned(plan, network, lambda dates: dates.crew_order or dates.early_start)


def planned_starts(plan: Plan, network: CompiledNetwork) -> Minutes:
    """Return the planned starts by row, in minutes; what has no dates of its own starts with the plan."""
    return _planned(plan, network, lambda dates: dates.early_start)


def planned_finishes(plan: Plan, network: CompiledNetwork) -> Minutes:
    """Return the planned finishes by row, in minutes; what has no dates of its own ends with the plan's start."""
    return _planned(plan, network, lambda dates: dates.early_finish)


def _planned(plan: Plan, network: CompiledNetwork, of: Callable[[Dates], datetime]) -> Minutes:
    origin = WorkCalendar.from_plan(plan).origin
    found = {one.id: (of(one.dates) - origin) // MINUTE for one in plan.activities if one.dates}
    return np.array([found.get(name, 0) for name in network.activities.names], np.int64)


def effort_for(network: CompiledNetwork) -> Effort:
    """Return how long to search for an order of crews: about a second's work, at any size of site."""
    rows = len(network.activities)
    return Effort(schedules=OF_A_SMALL_SITE if rows <= SMALL else max(20, 400_000 // rows))


def _dates(plan: Plan, crewed: CrewedSolution) -> dict[str, Dates]:
    at = WorkCalendar.from_plan(plan).origin
    network, solution, unlimited = crewed.network, crewed.solution, crewed.unlimited
    names, critical = network.activities.names, critical_rows(plan, network, solution)
    columns = (
        *(solution.start, solution.finish, solution.late_start, solution.late_finish),
        *(unlimited.start, unlimited.finish, crewed.placed),
    )
    instant = {minutes: at + timedelta(minutes=minutes) for minutes in np.unique(np.stack(columns)).tolist()}
    instants = zip(*(column.tolist() for column in columns), strict=True)
    hours = zip(
        *((column / MINUTES).round(4).tolist() for column in (solution.total_float, solution.free_float, crewed.waits)),
        strict=True,
    )
    before, driving = network.links.before, solution.driving_link.tolist()
    dates = {}
    for row, (minutes, (total, free, waited)) in enumerate(zip(instants, hours, strict=True)):
        start, finish, late_start, late_finish, *early, placed = map(instant.__getitem__, minutes)
        link = driving[row]
        dates[names[row]] = Dates(
            early_start=start,
            early_finish=finish,
            late_start=late_start,
            late_finish=late_finish,
            total_float_h=total,
            free_float_h=free,
            driving=names[before[link]] if link >= 0 else None,
            is_critical=row in critical,
            unlimited_start=early[0],
            unlimited_finish=early[1],
            crew=crewed.crew(link),
            crew_wait_h=waited,
            crew_order=None if placed == start else placed,
        )
    return dates


def _dated_order(order: PlanOrder, dates: dict[str, Dates]) -> PlanOrder:
    own = dates[order.id]
    margin = MINUTE * in_minutes(max(0.0, (order.lead_p80_h or 0.0) - order.lead.m))
    deliveries = [tranche.model_copy(update={"dates": dates[tranche.id]}) for tranche in order.tranches]
    found = {
        "dates": own,
        "order_by": own.late_finish - margin,
        "need_by": min(dates[tranche.id].late_finish for tranche in order.tranches),
        "tranches": tuple(deliveries),
    }
    return order.model_copy(update=found)
