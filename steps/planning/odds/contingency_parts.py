"""What the time between working schedule and commitment is for: how much of it is lead times, and which order counts most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from schedule.crews.levelled_network import CrewedSolution
from schedule.risk.odds import Odds
from steps.catalog.terms import Percentile
from steps.planning.dates.dating import last_row
from steps.planning.odds.plan_odds import SEED, PlanOdds, odds_and_samples
from steps.planning.odds.plan_samples import crewed_samples
from steps.planning.plan import Plan, PlanOrder

WEEK = 7 * 24 * 60
LEVEL = {Percentile.P50: 0.5, Percentile.P80: 0.8}
MOST, LEAST, ACTIVITIES_IN_ALL = 400, 50, 800_000
"""Samples of one plan are the same with lead times and without, so that few say what differs."""
OF_DELIVERIES = ("lead times of ", "market", "promises of ")
"""How the names begin of the causes of deliveries that `uncertainty` makes."""


class ContingencyParts(NamedTuple):
    """Weeks from the working schedule to the commitment, those of them that lead times make, and the order that counts most.

    `first` is None where no delivery is uncertain.
    """

    weeks: float
    lead_weeks: float
    first: str | None
    samples: int


def odds_and_parts(
    plan: Plan,
    crewed: CrewedSolution,
    percentile: Percentile,
    *,
    samples: int | None = None,
    seed: int = SEED,
) -> tuple[PlanOdds, ContingencyParts]:
    """Return how sure a plan's milestones are, and the parts of its contingency, which come from the same samples.

    The parts need those without lead times too. An order counts by the rank correlation of its delivery with go-live.
    """
    few = max(LEAST, min(MOST, ACTIVITIES_IN_ALL // max(1, len(plan.activities))))
    live, orders = last_row(crewed.base, crewed.solution), _deliveries(plan, crewed)
    odds, drawn = odds_and_samples(plan, crewed, samples=samples, seed=seed, rows=[live, *orders], least=few)
    found = np.array([drawn.finishes[row][:few] for row in (live, *orders)])
    names = (*drawn.model.drivers, *drawn.model.events)
    without = drawn.model.without(*(name for name in names if name.startswith(OF_DELIVERIES)))
    at_once = crewed_samples(crewed, without, [live], samples=few, seed=seed)[0]
    committed, less = (Odds(one).quantile(LEVEL[percentile]).value for one in (found[0], at_once))
    rank = found.argsort(axis=1).argsort(axis=1)
    shared = [_correlation(rank[0], row) for row in rank[1:]]
    first = list(orders.values())[int(np.argmax(shared))].title if shared and max(shared) > 0 else None
    weeks = (committed - int(crewed.solution.finish[live])) / WEEK
    return odds, ContingencyParts(weeks, (committed - less) / WEEK, first, few)


def _deliveries(plan: Plan, crewed: CrewedSolution) -> dict[int, PlanOrder]:
    """Return the row and order of the delivery of each maker that has the least float."""
    row = {name: number for number, name in enumerate(crewed.base.activities.names)}
    tightest: dict[str, tuple[int, int, PlanOrder]] = {}
    for order in plan.orders:
        for tranche in order.tranches if order.lead.o < order.lead.p else ():
            number = row[tranche.id]
            one = (int(crewed.solution.total_float[number]), number, order)
            tightest[order.supplier] = min(one, tightest.get(order.supplier, one), key=lambda each: each[:2])
    return {number: order for _, number, order in tightest.values()}


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.corrcoef(one, other)[0, 1])
