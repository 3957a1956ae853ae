"""What runs and is not finished: it takes at least as long as it has worked, and that moves its rate, and how rates change with practice.

Without it, of the latest turns only those that went quickly would be seen, and every crew would seem to get quicker.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from schedule.learning.beyond import beyond
from schedule.learning.history import Logs
from schedule.learning.practice import Practice
from schedule.risk.quantiles import Floats


class Rates(NamedTuple):
    """The posterior of step types' log ratios, less their prior mean, at the first turn; and of how they change with the turn."""

    mean: Floats
    covariance: Floats
    """At the turns that were seen: there the rates and the slope are independent of each other."""
    practice: Practice


def at_least(rates: Rates, single: Floats, running: Logs) -> Rates:
    """Return the rates after all that runs, one after another. `single` is by how much one activity differs from its rate.

    Mean and variance of a normal given that it is beyond a limit are exact; what they do to the other rates is the normal
    regression on it. Source: Minka, "Expectation propagation", 2001 (assumed density filtering).
    """
    practice, steps = rates.practice, len(rates.mean)
    mean = np.append(rates.mean + practice.slope * practice.seen, practice.slope)
    covariance = np.zeros((steps + 1, steps + 1))
    covariance[:steps, :steps], covariance[steps, steps] = rates.covariance, practice.spread**2
    for step, value, weight, doublings in zip(*running, strict=True):
        reach = doublings - practice.seen[step]
        with_it = covariance[step] + reach * covariance[steps]
        spread = sqrt(with_it[step] + reach * with_it[steps] + single[step] ** 2 / weight)
        hazard, shrink = beyond((value - mean[step] - reach * mean[steps]) / spread)
        mean += with_it / spread * hazard
        covariance -= np.outer(with_it, with_it) / spread**2 * shrink
    slope, left = float(mean[steps]), sqrt(max(float(covariance[steps, steps]), 0.0))
    return Rates(mean[:steps] - slope * practice.seen, covariance[:steps, :steps], Practice(slope, left, practice.seen))
