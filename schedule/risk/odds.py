"""What samples say of a date: quantiles with their intervals, the chance of a date, the cost of delay.

A quantile is an order statistic, so it is a date that was drawn. Its interval runs between two order statistics; that it
holds the true quantile has at least the probability `CONFIDENCE`, whatever the distribution is, since the number of samples
below the true quantile is binomial. Source: David and Nagaraja, "Order Statistics", 2003, section 7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Minutes
from schedule.errors import InputError

CONFIDENCE = 0.95
NORMAL = 1.959963984540054
"""The normal quantile of a two-sided interval with CONFIDENCE."""
DAY = 1440
LEVELS = (0.1, 0.5, 0.8, 0.9)


class Quantile(NamedTuple):
    """A date that is kept with probability `level`, and the interval for it. All instants are minutes."""

    level: float
    value: int
    low: int
    high: int
    is_bounded: bool
    """Whether there are samples enough: without, the interval is from the first to the last sample and may be too short."""


class Share(NamedTuple):
    """A probability, and its interval. Source: Wilson 1927."""

    value: float
    low: float
    high: float


class Cost(NamedTuple):
    """What delay costs: the mean over samples, its standard error, and quantiles of it."""

    mean: float
    standard_error: float
    p50: float
    p80: float


@dataclass(frozen=True, eq=False)
class Odds:
    """The samples of one milestone."""

    samples: Minutes

    @cached_property
    def in_order(self) -> Minutes:
        """The samples, the earliest first."""
        return np.sort(self.samples)

    @property
    def mean(self) -> float:
        """The mean instant."""
        return float(self.samples.mean())

    @property
    def standard_error(self) -> float:
        """The standard error of the mean; 0 for a single sample."""
        number = len(self.samples)
        return float(self.samples.std(ddof=1) / sqrt(number)) if number > 1 else 0.0

    def quantile(self, level: float) -> Quantile:
        """Return the date that is kept with a probability."""
        return quantile(self.in_order, level)

    def quantiles(self) -> tuple[Quantile, ...]:
        """Return P10, P50, P80 and P90."""
        return tuple(self.quantile(level) for level in LEVELS)

    def curve(self) -> tuple[Quantile, ...]:
        """Return the P-curve: the quantile of each percent, with its interval."""
        return tuple(self.quantile(percent / 100) for percent in range(1, 100))

    def chance_by(self, instant: int) -> Share:
        """Return the probability that the milestone is reached by `instant`."""
        number = len(self.samples)
        share = float(np.searchsorted(self.in_order, instant, side="right")) / number
        weight = NORMAL**2 / number
        middle = (share + weight / 2) / (1 + weight)
        half = NORMAL * sqrt(share * (1 - share) / number + weight / (4 * number)) / (1 + weight)
        return Share(share, max(0.0, middle - half), min(1.0, middle + half))

    def cost_of_delay(self, promised: int, per_day: float) -> Cost:
        """Return what it costs to be later than `promised`; a day is 24 hours, and an earlier date saves nothing."""
        if per_day < 0:
            raise InputError(f"the cost of delay is {per_day:g} a day", hint="a cost is zero or more")
        cost = np.maximum(self.in_order - promised, 0) / DAY * per_day
        number = len(cost)
        error = float(cost.std(ddof=1) / sqrt(number)) if number > 1 else 0.0
        return Cost(float(cost.mean()), error, float(cost[_rank(number, 0.5)]), float(cost[_rank(number, 0.8)]))


def quantile(in_order: Minutes, level: float) -> Quantile:
    """Return a quantile of sorted samples."""
    if not 0.0 < level < 1.0:
        raise InputError(f"a quantile at the probability {level:g}", hint="a level is between 0 and 1, such as 0.8")
    number = len(in_order)
    low, high, is_bounded = _ranks(number, level)
    return Quantile(level, int(in_order[_rank(number, level)]), int(in_order[low]), int(in_order[high]), is_bounded)


def _rank(number: int, level: float) -> int:
    """Return the position of the first sample at which the share is `level`."""
    return min(max(ceil(number * level - 1e-9) - 1, 0), number - 1)


@lru_cache(maxsize=1024)
def _ranks(number: int, level: float) -> tuple[int, int, bool]:
    """Return the positions between which the true quantile is, and whether both exist."""
    below = np.cumsum(_binomial(number, level))
    tail = (1.0 - CONFIDENCE) / 2
    low = int(np.searchsorted(below, tail, side="right")) - 1
    high = int(np.searchsorted(below, 1.0 - tail, side="left"))
    return max(low, 0), min(high, number - 1), low >= 0 and high <= number - 1


def _binomial(number: int, level: float) -> NDArray[np.float64]:
    """Return the probabilities of 0 to `number` samples below the quantile."""
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, number + 1)))])
    k = np.arange(number + 1)
    return np.asarray(
        np.exp(factorial[-1] - factorial - factorial[::-1] + k * np.log(level) + (number - k) * np.log1p(-level))
    )
