"""How much quicker work gets each time it is repeated: one slope for all step types, by doublings of the number of times.

Only differences between turns of one step type count, so a step type that is slow as a whole says nothing of it. Source: Wright, "Factors
affecting the cost of airplanes", Journal of the Aeronautical Sciences 3 (1936): each doubling multiplies the time by the same factor.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from schedule.learning.history import Logs, sums_of
from schedule.learning.step_types import StepTypes
from schedule.risk.quantiles import Floats


class Practice(NamedTuple):
    """The slope of log ratios by doubling, below zero where work gets quicker, and its standard deviation."""

    slope: float
    spread: float
    seen: Floats
    """The mean of the doublings at which each step type was observed, of all of them where it was not; shape (steps,)."""

    def factor(self, turn: Floats) -> Floats:
        """Return what the turns multiply durations by; 1 for the first turn."""
        return np.asarray(np.exp(self.slope * np.log2(turn)))


def no_practice(types: StepTypes) -> Practice:
    """Return that turns change nothing."""
    return Practice(0.0, 0.0, np.zeros(len(types)))


def practice_of(logs: Logs, types: StepTypes, prior_spread: float, noise: float) -> Practice:
    """Return the slope's posterior; its prior is normal about zero. Single activities spread `noise` times as the catalog says."""
    weight = logs.weight / (noise * types.spread[logs.step]) ** 2
    by_turn = sums_of(Logs(logs.step, logs.doublings, weight, logs.doublings), len(types))
    by_value = sums_of(Logs(logs.step, logs.value, weight, logs.doublings), len(types))
    away = logs.doublings - by_turn.mean[logs.step]
    precision = by_turn.squares.sum() + 1.0 / prior_spread**2
    slope = float((weight * away * (logs.value - by_value.mean[logs.step])).sum() / precision)
    everywhere = float(np.average(logs.doublings, weights=weight)) if len(logs.step) else 0.0
    return Practice(slope, 1.0 / sqrt(precision), np.where(by_turn.number > 0, by_turn.mean, everywhere))
