"""From a history to the rates of all step types: the sizes are weighed, and what runs counts as taking at least so long."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from schedule.learning.history import History, Sums, check_history, logs_of, sums_of, teaches
from schedule.learning.nested import Layers, Moments, layers_of, moments_of
from schedule.learning.practice import Practice, no_practice, practice_of
from schedule.learning.step_types import StepTypes
from schedule.learning.still_running import Rates, at_least
from schedule.learning.strengths import Grid, Strengths, grid_of
from schedule.risk.quantiles import Floats

NEGLIGIBLE = 1e-6
"""Points of the grid that are less probable than this, against the best one, are left out after one round."""
ROUNDS = 6
"""Of the points that stay. More change a rate by a hundredth at most."""


@dataclass(frozen=True, eq=False)
class Learned:
    """The posterior of log ratios of actual to most likely duration; columns of shape (steps,)."""

    types: StepTypes
    mean: Floats
    """Expected log ratio of a step type: `exp(mean)` times the most likely duration is the median of an activity."""
    covariance: Floats
    """Of the step types' rates, which are not known exactly; shape (steps, steps)."""
    single: Floats
    """Standard deviation of one activity about its step type's rate."""
    observations: Floats
    """Finished activities that each step type rests on; 0 where only its trade, the site and the catalog speak."""
    practice: Practice
    """How rates change with the turn; `mean` is that of the first one."""
    left_out: int
    """Rows of the history that say nothing of a rate."""

    @property
    def spread_of_mean(self) -> Floats:
        """The standard deviation of each step type's rate: what more pods will teach."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)))


def learn(types: StepTypes, history: History, strengths: Strengths | None = None) -> Learned:
    """Return what the history teaches about every step type, or InputError for its first wrong row.

    Nothing outside the history is used: leave out of it what the data date does not know.
    """
    check_history(history, types)
    strengths = strengths or Strengths()
    done, running = logs_of(history, types, history.finished), logs_of(history, types, ~history.finished)
    has_practice = history.turn is not None and strengths.practice > 0
    practice, noise = no_practice(types), 1.0
    for _ in range(2 if has_practice else 1):  # how much single activities scatter says how well the slope is known
        if has_practice:
            practice = practice_of(done, types, strengths.practice, noise)
        sums = sums_of(done.less(practice.slope), len(types))
        grid, layers, chance = _weighed(sums, types, strengths)
        noise = sqrt(float(chance @ grid.noise**2))
    moments = moments_of(layers, sums, types, grid)
    rates = Rates(chance @ moments.mean, _covariance(moments, chance, types), practice)
    rates = at_least(rates, types.spread * noise, running)
    left_out = int(np.count_nonzero(~teaches(history)))
    return Learned(
        types, types.mean + rates.mean, rates.covariance, types.spread * noise, sums.number, rates.practice, left_out
    )


def _weighed(sums: Sums, types: StepTypes, strengths: Strengths) -> tuple[Grid, Layers, Floats]:
    """Return the sizes that are probable after the sums, what is known of each layer at them, and their probabilities."""
    grid = grid_of(strengths)
    fit = layers_of(sums, types, grid, rounds=1).fit + grid.weight
    grid = grid.at(fit > fit.max() + np.log(NEGLIGIBLE))
    layers = layers_of(sums, types, grid, rounds=ROUNDS)
    fit = layers.fit + grid.weight
    chance = np.exp(fit - fit.max())
    return grid, layers, chance / chance.sum()


def _covariance(moments: Moments, chance: Floats, types: StepTypes) -> Floats:
    """Return the covariance of rates: of each point of the grid on average, and of the means between points."""
    root = np.sqrt(chance)[:, None]
    site, trade, step = root * moments.from_site, root * moments.from_trade, root * moments.from_step
    between = root * (moments.mean - chance @ moments.mean)
    same_trade = types.trade[:, None] == types.trade
    found = site.T @ site + between.T @ between + np.where(same_trade, trade.T @ trade, 0.0)
    return np.asarray(found + np.diag((step**2).sum(axis=0)))
