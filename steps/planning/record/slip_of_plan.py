"""Why the forecast of a plan is not its planned date: every minute between them by activity, owner and cause.

Four changes lead from the plan to the forecast, one after the other, and each has its own parts:

1. Finished work waits for its approval as long as the record shows.
2. What has happened, and what suppliers have promised, comes into the plan. Crews go on in the order of the plan.
3. Work that remains takes as long as finished work shows.
4. Crews go on in the order of the forecast.

Each change begins with the dates of the one before it, so that the parts of all sum to the slip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import numpy as np

from schedule.cpm.columns import Links
from schedule.cpm.compiled import compile_network
from schedule.cpm.shifts import Minutes
from schedule.crews.levelled_network import CrewedSolution
from schedule.slip.causes import CauseInWords, SlipCause
from schedule.slip.chain import Bought
from schedule.slip.concurrent import near_chains
from schedule.slip.explain import explain
from schedule.slip.standing import Standing
from steps.planning.dates.approvals import approver_of
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import MINUTE, lags_of, last_row, network_of
from steps.planning.plan import Plan
from steps.planning.record.driving import titles
from steps.planning.record.forecast import ForecastSolution, in_the_plans_order

Key = TypeVar("Key")

NEAR_DAYS = 10
"""Working days. A chain that has less float is near."""
CHAINS_SEARCHED = 40
"""Most of the near ones are late for the same reason as go-live, and not shown."""


class PlanCause(CauseInWords):
    """Causes that only a plan with crews and approvals has, in words if they make go-live later, and if they make it earlier."""

    APPROVAL = ("waits longer for its approval", "waits less time for its approval")
    RATE = (
        "is expected to take longer, as finished work shows",
        "is expected to take less time, as finished work shows",
    )
    CREWS = ("waits for a crew, in the new order of crews", "has its crew earlier, in the new order of crews")


Cause = SlipCause | PlanCause


class SlippedPart(NamedTuple):
    """What one activity, order or delivery did to go-live by one cause."""

    id: str
    title: str
    owner: str
    """The role of work and of placing an order, the supplier of a delivery."""
    cause: Cause
    minutes: int
    """By which go-live is later; negative where it is earlier."""

    @property
    def words(self) -> str:
        """Return what happened, in words."""
        return self.cause.later if self.minutes > 0 else self.cause.earlier


class LateChain(NamedTuple):
    """A chain that is late for a reason of its own, and would drive go-live if the driving one did not."""

    ids: tuple[str, ...]
    """In the order in which they drive."""
    id: str
    """What made it late most, beside what made go-live late."""
    title: str
    owner: str
    late_minutes: int
    """Of the last of its activities."""
    float_minutes: int
    """In minutes of the calendar of the one that has the least."""


class Slipped(NamedTuple):
    """By how much the forecast finish is later than the plan's, and why."""

    target: str
    planned: datetime
    finish: datetime
    parts: tuple[SlippedPart, ...]
    """What made it later first, the greatest first; then what made it earlier. They sum to the slip."""

    @property
    def minutes(self) -> int:
        """Return by how much the finish is later than planned; negative where it is earlier."""
        return (self.finish - self.planned) // MINUTE

    def summed(self, key: Callable[[SlippedPart], Key]) -> list[tuple[Key, int]]:
        """Return the minutes by owner, by cause or by anything else of a part, the greatest first. They have the same sum."""
        sums: dict[Key, int] = {}
        for part in self.parts:
            sums[key(part)] = sums.get(key(part), 0) + part.minutes
        return sorted(sums.items(), key=lambda one: -one[1])


class PlanSlip:
    """A forecast beside the plan that it is of."""

    def __init__(self, solved: ForecastSolution, suppliers: Mapping[str, str] = MappingProxyType({})) -> None:
        """Take a forecast, and the suppliers of orders, by id, where they are others than in the plan."""
        self._solved, self._plan = solved, solved.plan
        self._suppliers = {one.id: one.supplier for one in solved.plan.orders} | dict(suppliers)
        crewed = solved.crewed
        self._target = crewed.base.activities.names[last_row(crewed.base, crewed.solution)]
        self._origin = WorkCalendar.from_plan(self._plan).origin
        self._bought = _bought(self._plan)
        self._as_planned = in_the_plans_order(self._plan, network_of(self._plan))
        self._standings = self._all_standings()

    @cached_property
    def slipped(self) -> Slipped:
        """Return why the forecast finish is not the planned one."""
        sums: dict[tuple[str, Cause], int] = {}
        at = (self._plan.finish - self._origin) // MINUTE
        begins = _finish(self._as_planned, self._target)
        if begins != at:  # another order of crews than the plan's is found for it, or something else ended last
            sums[self._target, PlanCause.CREWS] = begins - at
        for name, cause, minutes in self._changes():
            sums[name, cause] = sums.get((name, cause), 0) + minutes
        title, owner, approver = titles(self._plan), self._owners(), self._approvers()
        parts = [
            SlippedPart(name, title[name], (approver if cause is PlanCause.APPROVAL else owner)[name], cause, minutes)
            for (name, cause), minutes in sums.items()
            if minutes
        ]
        finish = self._origin + _finish(self._solved.crewed, self._target) * MINUTE
        return Slipped(self._target, self._plan.finish, finish, tuple(sorted(parts, key=_greatest_first)))

    def late_chains(self) -> tuple[LateChain, ...]:
        """Return what makes other chains late, with the nearest chain that each makes late; those with less than NEAR_DAYS of float."""
        before, after = self._standings[0], self._standings[-1]
        known, title, owner = {part.id for part in self.slipped.parts}, titles(self._plan), self._owners()
        opens, closes = self._plan.working_hours
        within = round(NEAR_DAYS * (closes - opens) * 60)
        found = []
        for one in near_chains(before, after, self._target, within=within, most=CHAINS_SEARCHED, bought=self._bought):
            own = [part.activity for part in one.slip.parts if part.activity not in known and part.minutes > 0]
            if own:
                late, left = one.slip.minutes, one.total_float
                found.append(LateChain(one.activities, own[0], title[own[0]], owner[own[0]], late, left))
                known.add(own[0])
        return tuple(found)

    def _changes(self) -> Iterator[tuple[str, Cause, int]]:
        """Return each part of each of the four changes."""
        causes = (PlanCause.APPROVAL, None, PlanCause.RATE, PlanCause.CREWS)
        for cause, before, after in zip(causes, self._standings, self._standings[1:], strict=False):
            if before is not after:
                for part in explain([before, after], self._target, bought=self._bought).parts:
                    name = self._awaited(part.activity) if cause is PlanCause.APPROVAL else part.activity
                    yield name, cause or part.cause, part.minutes

    def _all_standings(self) -> tuple[Standing, ...]:
        """Return how the project stands before the first change and after each. Two that are one have nothing between them."""
        planned, recorded, crewed = self._as_planned, self._solved.recorded, self._solved.crewed
        network, progress = recorded.network, recorded.progress
        as_planned = Standing(planned.network, crew_links=planned.crew_links)
        at_approvals = as_planned
        links = self._recorded_links
        if not np.array_equal(links.lag, planned.network.links.lag):
            compiled = compile_network(planned.network.activities, links, planned.network.calendars)
            at_approvals = replace(as_planned, network=compiled)
        activities = replace(
            network.activities,
            names=planned.network.activities.names,
            no_earlier=_latest(network.activities.no_earlier, planned.network.activities.no_earlier),
        )
        with_promises = replace(at_approvals.network, activities=activities)
        happened = replace(at_approvals, network=with_promises, actuals=progress)
        at_rates = happened
        if self._solved.rates is not None:
            at_rates = replace(
                happened, actuals=self._solved.progress, durations=np.asarray(crewed.base.activities.duration)
            )
        forecast = Standing(crewed.network, crewed.solution.actuals, crew_links=crewed.crew_links)
        return as_planned, at_approvals, happened, at_rates, forecast

    def _awaited(self, name: str) -> str:
        """Return the activity before this one whose approval is most later or earlier than planned."""
        planned, recorded = self._as_planned.network.links.lag, self._recorded_links.lag
        into = [row for row, link in enumerate(self._plan.links) if link.after == name]
        return self._plan.links[max(into, key=lambda row: abs(int(recorded[row] - planned[row])))].before

    @cached_property
    def _recorded_links(self) -> Links:
        """Return the plan's links and handovers, at the waits for approvals that the record shows."""
        network = self._as_planned.network
        lags = lags_of(
            self._plan,
            self._plan.links,
            {name: row for row, name in enumerate(network.activities.names)},
            network.calendars,
            self._solved.recorded.approving,
        )
        return replace(network.links, lag=np.concatenate([lags, network.links.lag[len(lags) :]]))

    def _approvers(self) -> dict[str, str]:
        """Return the role that sets the time of each activity's approval; that of the work where nobody approves."""
        hours = self._solved.recorded.approving.hours
        return {one.id: approver_of(one, hours) or one.role for one in self._plan.activities}

    def _owners(self) -> dict[str, str]:
        """Return who answers for each activity, order and delivery."""
        role = {one.id: one.role for one in self._plan.activities}
        buyer = {one.id: role.get(f"{one.step}@{one.unit}", "") for one in self._plan.orders}
        supplier = {
            tranche.id: self._suppliers[one.id] or buyer[one.id]
            for one in self._plan.orders
            for tranche in one.tranches
        }
        return role | buyer | supplier


def _bought(plan: Plan) -> dict[str, Bought]:
    found = {one.id: Bought.ORDER for one in plan.orders}
    return found | {tranche.id: Bought.DELIVERY for one in plan.orders for tranche in one.tranches}


def _latest(one: Minutes | None, other: Minutes | None) -> Minutes | None:
    if one is None or other is None:
        return other if one is None else one
    return np.maximum(one, other)


def _finish(crewed: CrewedSolution, name: str) -> int:
    return int(crewed.solution.finish[crewed.base.activities.names.index(name)])


def _greatest_first(part: SlippedPart) -> tuple[int, str]:
    return -part.minutes, part.id
