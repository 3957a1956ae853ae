"""How sure a plan's milestones are: samples of its durations and lead times, each levelled to the site's crews."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.shifts import Minutes
from schedule.crews.levelled_network import CrewedSolution
from schedule.risk.model import RiskModel
from schedule.risk.odds import Odds, Quantile
from steps.planning.activity import WORKING, PlanActivity
from steps.planning.dates.approvals import MINUTES, Approving, approval_hours
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import MINUTE, closing_row, last_row, network_of, planned_finishes
from steps.planning.dates.milestones import GO_LIVE, hall_milestone, halls_of
from steps.planning.odds.enough_samples import enough_samples
from steps.planning.odds.milestone_odds import Chance, MilestoneOdds
from steps.planning.odds.plan_samples import Drawn, drawn, finishes_as_sampled
from steps.planning.odds.response_odds import responded_rows, response_odds
from steps.planning.odds.response_result import ResponseResult
from steps.planning.odds.uncertainty import uncertainty
from steps.planning.plan import Plan
from steps.planning.record.forecast import ForecastSolution, in_the_plans_order

SEED = 1
LEVELS = (0.1, 0.5, 0.8)
NOTHING: Mapping[str, Collection[str]] = MappingProxyType({})
NOT_COMMITTED: Mapping[str, datetime] = MappingProxyType({})


class PlanOdds(NamedTuple):
    """What was drawn, and what came out: go-live, halls, phases, and what else was asked for."""

    samples: int
    seed: int
    milestones: tuple[MilestoneOdds, ...]
    responses: tuple[ResponseResult, ...] = ()
    """What the buyer does about late orders, where the site has responses."""


def odds_of(
    plan: Plan, crewed: CrewedSolution | None = None, *, samples: int | None = None, seed: int = SEED
) -> PlanOdds:
    """Return how sure a plan's milestones are, in the plan's own order of crews: `crewed`, if its dates were just worked out."""
    crewed = crewed or in_the_plans_order(plan, network_of(plan))
    return odds_and_samples(plan, crewed, samples=samples, seed=seed)[0]


def odds_and_samples(
    plan: Plan,
    crewed: CrewedSolution,
    *,
    samples: int | None = None,
    seed: int = SEED,
    rows: Iterable[int] = (),
    least: int = 0,
) -> tuple[PlanOdds, Drawn]:
    """Return how sure a plan's milestones are, and the samples of these and of other rows, `least` of them or more."""
    model = uncertainty(plan, crewed.base, crewed.unlimited)
    ends = _milestones(plan, crewed.base, NOTHING)
    wanted = samples or enough_samples(len(plan.activities))
    found = drawn(crewed, model, chain(rows, _rows(crewed, model, ends)), samples=max(wanted, least), seed=seed)
    return _odds(plan, crewed, Approving(plan.approvals), ends, found, wanted, NOT_COMMITTED), found


def solved_odds(
    solved: ForecastSolution,
    *,
    samples: int | None = None,
    seed: int = SEED,
    also: Mapping[str, Collection[str]] = NOTHING,
    committed: Mapping[str, datetime] = NOT_COMMITTED,
) -> PlanOdds:
    """Return how sure the milestones of a forecast are, in its order of crews and at learned rates, if there are any.

    `also` are more of them by name: each is reached when all of these ids have finished. `committed` are the
    commitments of milestones.
    """
    plan, crewed = solved.plan, solved.crewed
    model = uncertainty(plan, crewed.base, crewed.unlimited, solved.progress, solved.rates)
    ends = _milestones(plan, crewed.base, also)
    wanted = samples or enough_samples(len(plan.activities))
    found = drawn(crewed, model, _rows(crewed, model, ends), samples=wanted, seed=seed)
    return _odds(plan, crewed, solved.recorded.approving, ends, found, wanted, committed)


def _rows(crewed: CrewedSolution, model: RiskModel, ends: Mapping[str, Sequence[int]]) -> Iterable[int]:
    """Return the rows that milestones end with, that go-live is, and that somebody responds to."""
    return chain(*ends.values(), [last_row(crewed.base, crewed.solution)], responded_rows(model))


def _odds(
    plan: Plan,
    crewed: CrewedSolution,
    approving: Approving,
    ends: Mapping[str, Sequence[int]],
    found: Drawn,
    samples: int,
    committed: Mapping[str, datetime],
) -> PlanOdds:
    """Return how sure milestones are, by the rows that each ends with, from the first samples of those drawn."""
    origin = WorkCalendar.from_plan(plan).origin
    planned, expected, due = planned_finishes(plan, crewed.base), crewed.solution.finish, finishes_as_sampled(crewed)
    halls = {hall_milestone(one.unit): one for one in halls_of(plan)}
    milestones = []
    for name, own in ends.items():
        finishes = np.max([found.finishes[row][:samples] for row in own], axis=0)
        dates = [int(column[own].max()) for column in (planned, expected)]
        rounding = int(due[own].max()) - dates[1]
        if name in halls:
            hall = halls[name]
            finishes, now = (_approved(crewed.base, hall, approving, of) for of in (finishes, expected[own]))
            rounding = 0 if hall.id in approving.done else rounding  # what has happened is known to the minute
            dates = [(hall.dates.reached - origin) // MINUTE if hall.dates else dates[0], int(now.max())]
        odds = Odds(finishes)
        p10, p50, p80 = (_chance(odds.quantile(level), origin) for level in LEVELS)
        date = committed.get(name)
        milestones.append(
            MilestoneOdds(
                name,
                origin + timedelta(minutes=dates[0]),
                origin + timedelta(minutes=dates[1]),
                p10,
                p50,
                p80,
                odds.chance_by(dates[0] + rounding).value,
                None if date is None else odds.chance_by((date - origin) // MINUTE).value,
            )
        )
    first = {row: finishes[:samples] for row, finishes in found.finishes.items()}
    responses = response_odds(plan, crewed, found.model, first, last_row(crewed.base, crewed.solution), seed=found.seed)
    return PlanOdds(samples, found.seed, tuple(milestones), responses)


def _approved(network: CompiledNetwork, activity: PlanActivity, approving: Approving, finishes: Minutes) -> Minutes:
    """Return when an activity is approved, in minutes, for each instant at which its work may end."""
    if activity.id in approving.done:
        return np.full(len(finishes), approving.done[activity.id][1])
    wait = round(approval_hours(activity, approving.hours) * MINUTES)
    if not wait:
        return finishes
    shifts = next(one for one in network.calendars if one.name == WORKING)
    return shifts.finish(shifts.work(finishes) + wait)


def _chance(quantile: Quantile, origin: datetime) -> Chance:
    return Chance(*(origin + timedelta(minutes=at) for at in (quantile.value, quantile.low, quantile.high)))


def _milestones(plan: Plan, network: CompiledNetwork, also: Mapping[str, Collection[str]]) -> dict[str, Sequence[int]]:
    """Return the rows with which each milestone is reached: a phase with those that nothing of the phase comes after."""
    row = {name: number for number, name in enumerate(network.activities.names)}
    phase = {one.id: one.phase.value for one in plan.activities if one.applicable and not one.continuing}
    followed = {
        link.before for link in plan.links if link.before in phase and phase.get(link.after) == phase[link.before]
    }
    closing = closing_row(network)
    ends: dict[str, list[int]] = {GO_LIVE: [] if closing is None else [closing]}
    ends |= {hall_milestone(one.unit): [row[one.id]] for one in halls_of(plan)}
    for name, own in phase.items():
        if name not in followed:
            ends.setdefault(own, []).append(row[name])
    ends |= {name: [row[one] for one in own] for name, own in also.items()}
    return {name: own for name, own in ends.items() if own}
