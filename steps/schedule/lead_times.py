"""How long deliveries take: the spread of a lead time, from which samples are drawn and order-by dates follow.

Lead times are lognormal, their three points P10, P50 and P90. Triangular are those that do not lean to the long side.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from steps.schedule.activity import Hours
from steps.schedule.risk.draws_numpy import quantiles_at
from steps.schedule.risk.spreads import Family, Spread, of_spreads, quantiles_of

KEPT = 0.8
"""The share of lead times that an order-by date allows for: P80, as milestones have it."""


def lead_spread(low: float, likely: float, high: float) -> Spread:
    """Return a lognormal; triangular where the points do not lean to the long side, as every lognormal does."""
    leans = high - likely > likely - low
    return Spread(low, likely, high, Family.LOGNORMAL if leans else Family.TRIANGULAR)


@lru_cache(maxsize=256)
def lead_at(lead: Hours, level: float) -> float:
    """Return the hours in which a share `level` of first deliveries are there."""
    known = quantiles_of(of_spreads([lead_spread(lead.o, lead.m, lead.p)]), lambda _: "a lead time")
    return float(quantiles_at(known.family, known.parameters, np.array([[level]]))[0, 0])
