"""What the buyer does in a sample about a delivery that is late: expedites it, orders it elsewhere, or goes on with a part of it.

A delivery is late once its lead time is longer than the one with which it comes on its need-by date, if it is ordered as planned. Nobody
knows before how late it will be: the buyer waits for so many weeks as the figures say, and then responds. What is promised for a
day gets no response. The figures are the design's (docs/reference/design-figures.md, section responses).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import assert_never

import numpy as np

from schedule.cpm.solution import Solution
from schedule.risk.responses import RiskResponse
from schedule.risk.spreads import Family, Spread
from steps.catalog.terms import Response
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.plan import Plan, PlanOrder, PlanTranche

MINUTE = timedelta(minutes=1)
HOUR_MINUTES, DAY_MINUTES, WEEK_MINUTES = 60, 24 * 60, 7 * 24 * 60
MARKET = "market"
"""The driver that moves the lead times of all makers."""


def responses_of(
    plan: Plan, solution: Solution, late: Mapping[str, int], left: Mapping[int, int]
) -> Iterator[RiskResponse]:
    """Yield the responses that the site has.

    `late` are the rows of the deliveries that may be late, by id; `left` has what remains of the most likely lead times that run.
    """
    for response, items in plan.responses.items():
        wait = WEEK_MINUTES * plan.figures[f"{stem(response)}_late_weeks"]
        rows = [
            (late[tranche.id], _needed_in(plan, order, tranche, solution, late[tranche.id], left) + wait)
            for order, tranche in deliveries(plan, items)
            if tranche.id in late
        ]
        if rows:
            at, after = np.array(rows).T
            yield _response(response, plan.figures, at.astype(np.int64), np.maximum(after, 0).astype(np.int64))


def deliveries(plan: Plan, items: Collection[str]) -> Iterator[tuple[PlanOrder, PlanTranche]]:
    """Yield each delivery of these items with its order."""
    for order in plan.orders:
        if order.item in items:
            yield from ((order, tranche) for tranche in order.tranches)


def stem(response: Response) -> str:
    """Return how the names of the figures of a response begin."""
    return response.value.replace("-", "_")


def _needed_in(
    plan: Plan, order: PlanOrder, tranche: PlanTranche, solution: Solution, row: int, left: Mapping[int, int]
) -> float:
    """Return the minutes of lead time with which a delivery comes on its need-by date: from its order on, or from now if that is placed."""
    likely = HOUR_MINUTES * (order.lead.m + tranche.after_first_h)
    waited = likely - left[row] if row in left else 0.0
    if order.dates is None or tranche.dates is None:
        return likely - waited
    placed = float(solution.start[row])
    if row not in left:  # with unlimited crews it may be placed sooner than in the plan
        placed = max(placed, _minutes(plan, order.dates.early_finish))
    return _minutes(plan, tranche.dates.late_finish) - placed - waited


def _minutes(plan: Plan, instant: datetime) -> float:
    return (instant - WorkCalendar.from_plan(plan).origin) / MINUTE


def _response(response: Response, figures: Mapping[str, float], rows: np.ndarray, after: np.ndarray) -> RiskResponse:
    name = response.words
    match response:
        case Response.EXPEDITE:
            return RiskResponse(name, rows, after, saves=DAY_MINUTES * figures["expedite_days"])
        case Response.SECOND_SOURCE:
            weeks = [figures[f"second_source_weeks_{point}"] for point in ("low", "likely", "high")]
            low, likely, high = (WEEK_MINUTES * point for point in weeks)
            return RiskResponse(name, rows, after, instead=Spread(low, likely, high, Family.PERT), moved_by=MARKET)
        case Response.PARTIAL_SERVICE:
            return RiskResponse(name, rows, after, part=figures["partial_service_share"])
        case _:
            assert_never(response)
