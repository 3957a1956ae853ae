"""What would be if something were late, a site had other crews or shifts, or some pods came first: the same plan, solved again.

Nothing is recorded. The draws of samples go by name, so that what a change does not touch is as lucky as before.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from schedule.cpm.drag import drags
from schedule.errors import InputError
from schedule.meant import meant
from steps.catalog.terms import WITH_OFFICES
from steps.design.figures import figure_specs
from steps.design.shifts import Shifts, hours_of_work
from steps.planning.activity import WORKING, Hours, PlanActivity
from steps.planning.dates.dating import last_row
from steps.planning.odds.milestone_odds import MilestoneOdds
from steps.planning.odds.plan_odds import solved_odds
from steps.planning.plan import Plan, PlanCalendar, PlanOrder, PlanTranche
from steps.planning.record.driving import titles
from steps.planning.record.forecast import (
    MINUTE,
    Actuals,
    Forecast,
    ForecastSolution,
    solve_forecast,
    with_those_that_follow,
)
from steps.planning.scenarios.pods_first import before_all, delivered_first, ready

AMOUNT = re.compile(r"(?P<what>[^=]+)=(?P<sign>[+-]?)(?P<number>\d+(?:\.\d+)?)(?P<unit>[hdw])")
CREWS = re.compile(r"(?P<role>[a-z0-9-]+?)(?P<change>[+-]\d+|=\d+)")
DAY_H, WEEK_H = 24.0, 168.0
MINUTES_OF_DAY = 1440
UNITS = {"h": 1.0, "d": DAY_H, "w": WEEK_H}


class Case(NamedTuple):
    """A plan, and what has happened to it. Crews serve what is `first`, by id, before all else."""

    plan: Plan
    actuals: Actuals
    now: datetime
    first: frozenset[str] = frozenset()


def delayed(case: Case, text: str) -> Case:
    """Return the case with a delay such as `077=8w`, `034@pod-001=2d`, `001@site#gpu-server=-1w` or `001@site#gpu-server/5=8w`.

    A step's number delays its orders, or where it has none its activities at every unit. A delay of an order, or of one of its
    deliveries, moves what its supplier has promised too. Days and weeks of working time have the hours of the activity's own calendar.
    """
    found = AMOUNT.fullmatch(text)
    if found is None:
        raise InputError(
            f"{text!r} is no delay",
            hint="write what and how long, as 077=8w, 034@pod-001=2d or 001@site#gpu-server=12h",
        )
    what, unit = found["what"], found["unit"]
    number = float(found["number"]) * (-1 if found["sign"] == "-" else 1)
    orders = {one.id for one in case.plan.orders if what in {one.id, one.step, f"{one.step}@{one.unit}"}}
    if orders:
        return _later(case, orders, number * UNITS[unit])
    if any(what == tranche.id for order in case.plan.orders for tranche in order.tranches):
        return _delivered_later(case, what, number * UNITS[unit])
    named = [one for one in case.plan.activities if what in {one.id, one.step}]
    activities = {one.id for one in named if one.applicable}
    if named and not activities:
        raise InputError(f"{what} has nothing to delay at this site: {named[0].not_applicable_because}")
    if not activities:
        raise InputError(
            f"no order or activity of the plan is {what!r}",
            hint="write a step's number, or an id as `list` and `orders` show it",
        )
    return case._replace(plan=_longer(case.plan, activities, number, unit))


def _later(case: Case, orders: set[str], hours: float) -> Case:
    tranches = {tranche.id for one in case.plan.orders if one.id in orders for tranche in one.tranches}

    def late(order: PlanOrder) -> PlanOrder:
        lead = Hours(*(max(0.0, point + hours) for point in (order.lead.o, order.lead.m, order.lead.p)))
        return order.model_copy(update={"lead": lead}) if order.id in orders else order

    plan = case.plan.model_copy(update={"orders": tuple(map(late, case.plan.orders))})
    return case._replace(plan=plan, actuals=_promised_later(case, tranches, hours))


def _delivered_later(case: Case, name: str, hours: float) -> Case:
    """Return the case in which one delivery comes later, and the others of its order when they would."""

    def late(one: PlanTranche) -> PlanTranche:
        return one.model_copy(update={"after_first_h": one.after_first_h + hours}) if one.id == name else one

    known = with_those_that_follow(case.plan, case.actuals, case.now)
    orders = (one.model_copy(update={"tranches": tuple(map(late, one.tranches))}) for one in case.plan.orders)
    plan = case.plan.model_copy(update={"orders": tuple(orders)})
    return case._replace(plan=plan, actuals=_promised_later(case._replace(actuals=known), {name}, hours))


def _promised_later(case: Case, deliveries: Collection[str], hours: float) -> Actuals:
    """Return what has happened, with what is promised of these deliveries so many hours later."""
    moved = {
        name: one._replace(finished=one.finished + timedelta(hours=hours))
        for name, one in case.actuals.items()
        if name in deliveries and one.finished is not None and one.finished > case.now
    }
    return {**case.actuals, **moved}


def as_needed(case: Case, what: str) -> Case:
    """Return the case in which an order, or one of its deliveries, comes when the plan has it, whatever its supplier has promised.

    Raise InputError for what is no order and no delivery, and for one of which nothing is promised.
    """
    planned = {
        tranche.id: max(tranche.dates.early_finish, case.now + MINUTE)
        for order in case.plan.orders
        for tranche in order.tranches
        if tranche.dates and what in {order.id, tranche.id}
    }
    known = with_those_that_follow(case.plan, case.actuals, case.now)
    promised = {name: known[name] for name in planned if name in known}
    open_ = {name: one for name, one in promised.items() if one.finished is not None and one.finished > case.now}
    if not open_:
        raise InputError(
            f"nothing is promised of {what!r}", hint=f"say how many days it is late: impact '{what}' --days 56"
        )
    back = {name: one._replace(finished=planned[name]) for name, one in open_.items()}
    return case._replace(actuals={**known, **back})


def _longer(plan: Plan, activities: set[str], number: float, unit: str) -> Plan:
    def longer(one: PlanActivity) -> PlanActivity:
        day = plan.hours_a_day(one.calendar)
        more = number * {"h": 1.0, "d": day, "w": day * plan.days_a_week(one.calendar)}[unit]
        points = (one.duration.o, one.duration.m, one.duration.p)
        return replace(one, duration=Hours(*(max(0.0, point + more) for point in points)))

    found = (longer(one) if one.id in activities else one for one in plan.activities)
    return plan.model_copy(update={"activities": tuple(found)})


def with_crews(case: Case, text: str) -> Case:
    """Return the case with other crews, as `cabling-technician+4`, `rigger-1` or `rigger=6`. Durations stay."""
    found = CREWS.fullmatch(text)
    if found is None:
        raise InputError(f"{text!r} is no change of crews", hint="write a trade and a change, as rigger+2 or rigger=6")
    role, change = found["role"], found["change"]
    if role not in case.plan.crews:
        there = f"there are: {', '.join(sorted(case.plan.crews))}"
        raise InputError(f"no crew of the plan is {role!r}", hint=meant(role, case.plan.crews, then=there, most=3))
    has = int(change[1:]) if change[0] == "=" else case.plan.crews[role] + int(change)
    least = max((one.crews for one in case.plan.activities if one.role == role), default=0)
    if has < max(1, least):
        raise InputError(f"{role} would have {has} crews", hint=f"one activity alone takes {max(1, least)}")
    return case._replace(plan=case.plan.model_copy(update={"crews": case.plan.crews | {role: has}}))


def with_shifts(case: Case, shifts: int, offices: Collection[str]) -> Case:
    """Return the case in which crews work so many shifts a day; each crew has its people for each of them.

    Roles that are `offices`, and trades with a calendar of their own, keep their hours.
    """
    plan, pattern = case.plan, Shifts.model_validate({"shifts": shifts})
    figures = {name: one.value for name, one in figure_specs().items() if one.value is not None} | plan.figures
    opens, _ = plan.working_hours
    hours = opens, opens + hours_of_work(pattern, len(plan.working_days), figures)
    calendar = PlanCalendar(working_days=plan.working_days, working_hours=hours, holidays=plan.holidays)
    in_shifts = (replace(one, calendar=str(pattern)) if _works_shifts(one, offices) else one for one in plan.activities)
    changed = {"calendars": plan.calendars | {str(pattern): calendar}, "activities": tuple(in_shifts)}
    return case._replace(plan=plan.model_copy(update=changed))


def _works_shifts(one: PlanActivity, offices: Collection[str]) -> bool:
    """Return whether an activity is crews' work on the site's calendar, and not an office's or an authority's."""
    at_desk = one.kind in WITH_OFFICES or one.role in offices
    return bool(one.crews) and one.calendar == WORKING and not at_desk


def with_pods_first(case: Case, pods: tuple[str, ...]) -> Case:
    """Return the case in which the next delivery of each order serves these pods, and crews serve them first."""
    here = {name for name, one in case.actuals.items() if one.finished is not None and one.finished <= case.now}
    plan = delivered_first(case.plan, pods, here)
    return case._replace(plan=plan, first=before_all(plan, ready(plan, pods)))


class Seen(NamedTuple):
    """What a case comes to: go-live, halls, phases, and when the pods that come first are ready."""

    forecast: Forecast
    milestones: tuple[MilestoneOdds, ...]

    @property
    def go_live(self) -> MilestoneOdds:
        """How sure go-live is."""
        return self.milestones[0]


class Saving(NamedTuple):
    """What an activity of the driving chain costs: go-live would be so much earlier without it, or with a day less of it."""

    id: str
    title: str
    days: float
    days_of_a_day: float


def seen(case: Case, *, samples: int | None, seed: int, pods: tuple[str, ...] = ()) -> tuple[Seen, ForecastSolution]:
    """Return what a case comes to, and when `pods` are ready in it.

    Crews go on in the plan's order of work, so that two cases differ by their change alone.
    """
    found = solve_forecast(case.plan, case.actuals, case.now, first=case.first)
    also = ready(case.plan, pods) if pods else {}
    odds = solved_odds(found, samples=samples, seed=seed, also=also)
    return Seen(found.forecast, odds.milestones), found


def savings(found: ForecastSolution, *, most: int) -> list[Saving]:
    """Return which activities and deliveries go-live waits for longest, the greatest first."""
    network, solution = found.crewed.network, found.crewed.solution
    minutes = np.array([round(found.plan.hours_a_day(one.name) * 60) for one in network.calendars])
    day = minutes[network.activities.calendar]
    names, title = network.activities.names, titles(found.plan)
    return [
        Saving(names[one.row], title[names[one.row]], one.minutes / MINUTES_OF_DAY, one.of_a_day / MINUTES_OF_DAY)
        for one in drags(network, solution, last_row(network, solution), day=day)[:most]
    ]
