"""How long deliveries take: the spread of a lead time, from which samples are drawn and order-by dates follow.

The three points are the least, the most likely and the greatest value of a PERT distribution, as they are for work. Nobody waits longer
than the greatest: the buyer cancels and buys elsewhere.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from schedule.risk.spreads import Family, Spread, of_spreads, quantiles_at, quantiles_of
from steps.planning.activity import Hours

KEPT = 0.8
"""The share of lead times that an order-by date allows for: P80, as milestones have it."""


@lru_cache(maxsize=256)
def lead_at(lead: Hours, level: float) -> float:
    """Return the hours in which a share `level` of first deliveries are there."""
    known = quantiles_of(of_spreads([Spread(lead.o, lead.m, lead.p, Family.PERT)]), lambda _: "a lead time")
    return float(quantiles_at(known, np.array([[level]]))[0, 0])
