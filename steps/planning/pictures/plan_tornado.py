"""The tornado of go-live with the site's crews: how much earlier P80 would be without each cause of delay.

A cause is what has the same luck or the same reason: the lead times of one maker, the market, what a maker has promised, the pace of a
trade, the weather, a step that may have to be done again, or a kind of part that may fail, at all units together. Each is switched off alone, in the same samples.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from math import sqrt
from typing import NamedTuple

import numpy as np

from schedule.risk.model import RiskModel
from schedule.risk.odds import DAY, Odds
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import last_row
from steps.planning.odds.plan_samples import crewed_samples
from steps.planning.odds.uncertainty import causes_of, titles_of, uncertainty
from steps.planning.record.forecast import ForecastSolution

LEVEL = 0.8
MOST = 15


class DriverBar(NamedTuple):
    """By how many days go-live is later with a cause than without it: at P80, and on average with its standard error."""

    name: str
    title: str
    days_p80: float
    days_mean: float
    error_days: float


class PlanTornado(NamedTuple):
    """The causes that move P80 most, the greatest first; `left_out` is how many more there are."""

    target: str
    samples: int
    seed: int
    as_of: datetime
    p80: datetime
    bars: tuple[DriverBar, ...]
    left_out: int


def plan_tornado(
    solved: ForecastSolution,
    *,
    samples: int,
    seed: int,
    most: int = MOST,
    done: Callable[[int, int], None] | None = None,
) -> PlanTornado:
    """Return the tornado of go-live. `done` is called after each cause with its number, and with how many there are."""
    plan, crewed = solved.plan, solved.crewed
    row = last_row(crewed.base, crewed.solution)
    model = uncertainty(plan, crewed.base, crewed.unlimited, solved.progress, solved.rates)

    def finishes(of: RiskModel) -> Odds:
        return Odds(crewed_samples(crewed, of, [row], samples=samples, seed=seed)[0])

    everything, causes, title = finishes(model), causes_of(model), titles_of(plan)
    p80 = everything.quantile(LEVEL).value
    bars = []
    for number, (name, members) in enumerate(causes.items(), 1):
        less = finishes(model.without(*members))
        change = everything.samples - less.samples
        error = float(np.std(change, ddof=1)) / sqrt(samples) if samples > 1 else 0.0
        at_p80 = (p80 - less.quantile(LEVEL).value) / DAY
        bars.append(DriverBar(name, title.get(name, ""), at_p80, float(change.mean()) / DAY, error / DAY))
        if done is not None:
            done(number, len(causes))
    bars.sort(key=lambda bar: (-abs(bar.days_p80), -abs(bar.days_mean), bar.name))
    origin = WorkCalendar.from_plan(plan).origin
    return PlanTornado(
        target=crewed.base.activities.names[row],
        samples=samples,
        seed=seed,
        as_of=solved.as_of,
        p80=origin + timedelta(minutes=p80),
        bars=tuple(bars[:most]),
        left_out=max(0, len(bars) - most),
    )
