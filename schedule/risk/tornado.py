"""What each driver, event and response does to a milestone: the same samples once more, without it.

All other draws stay the same, so the difference is that cause's alone, and its error is far smaller than that of a date.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from schedule.risk.model import RiskModel
from schedule.risk.odds import Odds
from schedule.risk.running import run


class Bar(NamedTuple):
    """One bar of a tornado, in minutes: how much later the milestone is with this cause than without it."""

    name: str
    mean: float
    standard_error: float
    """Of the mean difference, by pairs of samples."""
    at_level: int
    """The difference of the quantile that the tornado is drawn for."""


def tornado(
    model: RiskModel, target: int, *, seed: int, samples: int, threads: int = 1, level: float = 0.8
) -> tuple[Bar, ...]:
    """Return a bar for each driver, event and response that is on, the one that moves the quantile most first."""
    everything = run(model, [target], seed=seed, samples=samples, threads=threads, chains=False).samples[0]
    at_level = Odds(everything).quantile(level).value
    names = [name for name, is_on in zip(model.names, model.causes.is_on, strict=True) if is_on]
    bars = []
    for name in names:
        less = run(model.without(name), [target], seed=seed, samples=samples, threads=threads, chains=False).samples[0]
        change = everything - less
        error = float(np.std(change, ddof=1) / sqrt(samples)) if samples > 1 else 0.0
        bars.append(Bar(name, float(change.mean()), error, at_level - Odds(less).quantile(level).value))
    return tuple(sorted(bars, key=lambda bar: (-abs(bar.at_level), -abs(bar.mean), bar.name)))
