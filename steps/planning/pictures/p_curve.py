"""The P-curve of go-live: with which probability it is reached by which date."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from schedule.risk.odds import Odds, Quantile
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import last_row, planned_finishes
from steps.planning.odds.plan_samples import crewed_samples, finishes_as_sampled
from steps.planning.odds.uncertainty import uncertainty
from steps.planning.record.forecast import ForecastSolution


class CurvePoint(NamedTuple):
    """A date that is kept with the probability `share`; `low` and `high` hold the true date with 95 %."""

    share: float
    date: datetime
    low: datetime
    high: datetime


class PCurve(NamedTuple):
    """The probability of go-live by date. `planned_share` is the share of samples that keep the planned date."""

    target: str
    samples: int
    seed: int
    as_of: datetime
    planned: datetime
    planned_share: float
    p50: CurvePoint
    p80: CurvePoint
    points: tuple[CurvePoint, ...]


def p_curve(solved: ForecastSolution, *, samples: int, seed: int) -> PCurve:
    """Return the P-curve of go-live, or of what finishes last in a plan without go-live.

    The samples are those of `solved_odds` with the same number and seed, so that P50 and P80 are the same dates.
    """
    plan, crewed = solved.plan, solved.crewed
    row = last_row(crewed.base, crewed.solution)
    model = uncertainty(plan, crewed.base, crewed.unlimited, solved.progress, solved.rates)
    odds = Odds(crewed_samples(crewed, model, [row], samples=samples, seed=seed)[0])
    planned = int(planned_finishes(plan, crewed.base)[row])
    rounding = int(finishes_as_sampled(crewed)[row] - crewed.solution.finish[row])
    origin = WorkCalendar.from_plan(plan).origin

    def point(found: Quantile) -> CurvePoint:
        return CurvePoint(found.level, *(origin + timedelta(minutes=at) for at in (found.value, found.low, found.high)))

    return PCurve(
        target=crewed.base.activities.names[row],
        samples=samples,
        seed=seed,
        as_of=solved.as_of,
        planned=origin + timedelta(minutes=planned),
        planned_share=odds.chance_by(planned + rounding).value,
        p50=point(odds.quantile(0.5)),
        p80=point(odds.quantile(0.8)),
        points=tuple(map(point, odds.curve())),
    )
