"""The nested model for known sizes: single activities in step types, step types in trades, trades in the site.

log ratio = prior mean + site + trade + step + noise. All are normal about zero, but for a step's: most steps differ little and a
few by far, so its size is 1, 2.5 or 6 times the usual one. Which of these it is, is weighed for each step type, and the layers above
take each step as one normal again. Arrays are by point of the grid and then by step type or trade.

Sources: the closed forms of the layers, Gelman et al., "Bayesian Data Analysis", 3rd edition, 2013, chapter 5; the mixture, West, "On scale
mixtures of normal distributions", Biometrika 74 (1987); one normal for a mixture and the probability of all together, Minka,
"Expectation propagation for approximate Bayesian inference", 2001.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from schedule.learning.history import Sums
from schedule.learning.step_types import StepTypes
from schedule.learning.strengths import Grid
from schedule.risk.quantiles import Floats

TAILS = np.array([1.0, 2.5, 6.0])
"""Sizes of a step's deviation, in those of most steps."""
TAIL_CHANCES = np.array([0.75, 0.17, 0.08])
"""The share of step types of each size. Source: assumption; about the tails of Student's t with two degrees of freedom."""


class Layers(NamedTuple):
    """What is known of each layer, at each point of the grid."""

    tails: Floats
    """The probability of each tail; shape (points, steps, tails)."""
    own: Floats
    """The share of a step's own mean in its posterior, if it has this tail; the rest is its trade's. As `tails`."""
    above: Floats
    """The expected rate of a step's trade; shape (points, steps)."""
    site_spread: Floats
    """What is not known of it, and is common to all trades, as a standard deviation; shape (points, steps)."""
    trade_spread: Floats
    """What is not known of it beyond that."""
    fit: Floats
    """The logarithm of the probability of the sums, up to a constant; shape (points,)."""


class Moments(NamedTuple):
    """The posterior of the steps' rates at each point of the grid. The parts of a rate are independent of each other."""

    mean: Floats
    """Shape (points, steps)."""
    from_site: Floats
    """The standard deviation that comes of the site's rate; shape (points, steps)."""
    from_trade: Floats
    from_step: Floats


class _Above(NamedTuple):
    """The posterior of the layers above the steps, which are taken as normal with some precision."""

    mean: Floats
    site_spread: Floats
    trade_spread: Floats
    fit: Floats


def layers_of(sums: Sums, types: StepTypes, grid: Grid, *, rounds: int) -> Layers:
    """Return what is known of each layer, and how well each point of the grid fits.

    In each round the tails are weighed by the layers above, and those by the tails.
    """
    noise, step = grid.noise[:, None, None] ** 2, (grid.step[:, None, None] * TAILS) ** 2
    weight = sums.weight[:, None]
    scale = weight * step + noise
    precisions = weight / (types.spread[:, None] ** 2 * scale)
    tails = np.broadcast_to(TAIL_CHANCES, precisions.shape)
    for _ in range(rounds):
        precision = (tails * precisions).sum(axis=2)
        above = _above(precision, sums, types, grid)
        rest_mean, rest_variance = _without(above, precision, sums.mean)
        chances = np.log(TAIL_CHANCES) + _log_density(sums.mean - rest_mean, rest_variance, precisions)
        greatest = chances.max(axis=2)
        tails = np.exp(chances - greatest[..., None])
        total = tails.sum(axis=2)
        tails /= total[..., None]
    as_normal = _log_density(sums.mean - rest_mean, rest_variance, precision[..., None])[..., 0]
    fit = above.fit + (greatest + np.log(total) - as_normal).sum(axis=1) + _within(sums, types, grid)
    return Layers(tails, weight * step / scale, above.mean, above.site_spread, above.trade_spread, fit)


def moments_of(layers: Layers, sums: Sums, types: StepTypes, grid: Grid) -> Moments:
    """Return the posterior of each step's rate, as a log ratio less its prior mean."""
    own = (layers.tails * layers.own).sum(axis=2)
    variance = (types.spread[:, None] * grid.step[:, None, None] * TAILS) ** 2 * (1.0 - layers.own)
    variance += (layers.own - own[..., None]) ** 2 * ((sums.mean - layers.above) ** 2)[..., None]
    return Moments(
        own * sums.mean + (1.0 - own) * layers.above,
        (1.0 - own) * layers.site_spread,
        (1.0 - own) * layers.trade_spread,
        np.sqrt((layers.tails * variance).sum(axis=2)),
    )


def _above(precision: Floats, sums: Sums, types: StepTypes, grid: Grid) -> _Above:
    """Return the rates of trades and site, for steps whose means are normal about their trade's rate."""
    in_trade = (types.trade[:, None] == np.arange(len(types.trades))).astype(np.float64)
    trade, site = grid.trade[:, None] ** 2, grid.site**2
    by_trade = precision @ in_trade
    mean = _over((precision * sums.mean) @ in_trade, by_trade)
    grown = 1.0 + trade * by_trade
    weight = by_trade / grown
    by_site = weight.sum(axis=1)
    site_mean = _over((weight * mean).sum(axis=1), by_site)
    site_grown = 1.0 + site * by_site
    expected = (1.0 - 1.0 / grown) * mean + (site * by_site / site_grown * site_mean)[:, None] / grown
    site_spread, trade_spread = np.sqrt(site / site_grown)[:, None] / grown, np.sqrt(trade / grown)
    misfit = (precision * sums.mean**2 - np.log(np.where(precision > 0, precision, 1.0))).sum(axis=1)
    misfit += (np.log(grown) - (by_trade - weight) * mean**2).sum(axis=1)
    misfit += np.log(site_grown) - site_mean**2 * site * by_site**2 / site_grown
    which = types.trade
    return _Above(expected[:, which], site_spread[:, which], trade_spread[:, which], -0.5 * misfit)


def _without(above: _Above, precision: Floats, means: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of each step's trade, as all other steps say it."""
    variance = above.site_spread**2 + above.trade_spread**2
    rest = 1.0 - np.minimum(variance * precision, 1.0 - 1e-9)
    return (above.mean - variance * precision * means) / rest, variance / rest


def _log_density(distance: Floats, variance: Floats, precisions: Floats) -> Floats:
    """Return the log density of a step's mean at some distance from its trade, by precision; 0 where nothing was seen."""
    seen = precisions > 0
    total = variance[..., None] + 1.0 / np.where(seen, precisions, 1.0)
    return np.where(seen, -0.5 * (distance[..., None] ** 2 / total + np.log(total)), 0.0)


def _within(sums: Sums, types: StepTypes, grid: Grid) -> Floats:
    """Return the fit of single activities about the means of their own step types."""
    squares = (sums.squares / types.spread**2).sum() / grid.noise**2
    return np.asarray(-0.5 * squares - np.maximum(sums.number - 1.0, 0.0).sum() * np.log(grid.noise))


def _over(top: Floats, bottom: Floats) -> Floats:
    """Return the quotient, and 0 where nothing was seen."""
    return np.asarray(top / np.where(bottom > 0, bottom, 1.0))
