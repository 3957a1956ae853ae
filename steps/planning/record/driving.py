"""Why a date of a plan is what it is: the chain that drives it, from the data date on, in words that people use."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import NamedTuple

from schedule.cpm.why import HeldBy, Reason, why
from schedule.errors import InputError
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.plan import Plan
from steps.planning.record.forecast import ForecastSolution

PROMISE = "the day that the supplier promised"
TURN = "its turn with the crews"
"""Only these are dates of a plan before which something may not start: of what is bought, and of work."""


class Driven(NamedTuple):
    """One activity, order or delivery of a chain, and what sets its date. Times in hours are elapsed."""

    id: str
    title: str
    start: datetime
    finish: datetime
    held_by: str
    """The predecessor, what hands its crew over, or what else holds it."""
    type: str | None
    """FS, SS, FF or SF; None where no link holds it."""
    reason: str
    lag_h: float
    lag_calendar: str | None
    closed_h: float
    """Hours in which it could not begin since its calendar is closed."""
    crew: str | None
    """The trade whose crew it waits for, or another resource with its place, as `whole-cluster@site`."""
    crew_wait_h: float


def driving_chain(solved: ForecastSolution, target: str) -> tuple[Driven, ...]:
    """Return what drives the finish of a target, in the order in which it drives. Raise InputError for what has no date."""
    plan, crewed = solved.plan, solved.crewed
    names = crewed.network.activities.names
    row = {name: number for number, name in enumerate(names)}
    if target not in row:
        raise InputError(f"{target} has no date in the plan", hint="it does not apply, or is in no plan")
    links, calendars = crewed.network.links, crewed.network.calendars
    title, reasons = titles(plan), {(one.before, one.after, one.type.value): one.reason for one in plan.links}
    origin = WorkCalendar.from_plan(plan).origin

    def driven(one: Reason) -> Driven:
        name = names[one.row]
        before = None if one.link is None else names[links.before[one.link]]
        tie = None if one.type is None else one.type.name
        crew = None if one.link is None else crewed.crew(one.link)
        reason = "" if before is None or tie is None or crew else reasons.get((before, name, tie), "")
        return Driven(
            id=name,
            title=title[name],
            start=origin + timedelta(minutes=one.start),
            finish=origin + timedelta(minutes=one.finish),
            held_by=before or _held_by(one.held_by, is_bought="#" in name),
            type=None if crew else tie,
            reason=reason,
            lag_h=one.lag / 60,
            lag_calendar=None if one.lag_calendar is None or not one.lag else calendars[one.lag_calendar].name,
            closed_h=one.closed / 60,
            crew=crew,
            crew_wait_h=one.crew_wait / 60,
        )

    return tuple(map(driven, why(crewed.network, crewed.solution, row[target], crew_links=crewed.crew_links)))


def _held_by(held_by: HeldBy, *, is_bought: bool) -> str:
    """Return what else than a link holds a node."""
    if held_by is HeldBy.DATE:
        return PROMISE if is_bought else TURN
    return held_by.value


def driven_by(solved: ForecastSolution, names: Collection[str]) -> dict[str, str]:
    """Return by id which of `names` drives the date of each node: the nearest one before it on its driving chain."""
    if not names:
        return {}
    network, found = solved.crewed.network, {}
    all_names, before = network.activities.names, network.links.before
    driver = [-1 if link < 0 else int(before[link]) for link in solved.crewed.solution.driving_link.tolist()]
    known: dict[int, str | None] = {-1: None}
    for row, name in enumerate(all_names):
        chain, at = [], row
        while at not in known and all_names[at] not in names:
            chain.append(at)
            at = driver[at]
        by = known[at] if at in known else all_names[at]
        known.update(dict.fromkeys(chain, by))
        if by is not None and name not in names:
            found[name] = by
    return found


def titles(plan: Plan) -> dict[str, str]:
    """Return what activities, orders and deliveries are called, by id."""
    found = {one.id: one.title for one in plan.activities}
    for order in plan.orders:
        found[order.id] = f"Order: {order.title}"
        found |= {tranche.id: f"Delivery {tranche.number}: {order.title}" for tranche in order.tranches}
    return found
