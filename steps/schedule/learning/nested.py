"""The nested normal model for known sizes: single activities in step types, step types in trades, trades in the site.

log ratio = prior mean + site + trade + step + noise, each normal about zero. Arrays are by point of the grid and then by step type
or trade. Everything has a closed form. Source: Gelman et al., "Bayesian Data Analysis", 3rd edition, 2013, chapter 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steps.schedule.learning.history import Sums
from steps.schedule.learning.step_types import StepTypes
from steps.schedule.learning.strengths import Grid
from steps.schedule.risk.quantiles import Floats


class Layers(NamedTuple):
    """What the sums say of each layer, at each point of the grid."""

    own: Floats
    """The share of a step's own mean in its posterior; the rest is its trade's. Shape (points, steps)."""
    trade_precision: Floats
    """What its steps say of a trade's rate; shape (points, trades)."""
    trade_mean: Floats
    trade_weight: Floats
    """What a trade says of the site: its precision, less for trades that differ."""
    site_precision: Floats
    """Shape (points,)."""
    site_mean: Floats
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


def layers_of(sums: Sums, types: StepTypes, grid: Grid) -> Layers:
    """Return what is known of each layer, and how well each point of the grid fits."""
    seen = sums.weight > 0
    noise, step = grid.noise[:, None] ** 2, grid.step[:, None] ** 2
    scale = sums.weight * step + noise
    precision = sums.weight / (types.spread**2 * scale)
    in_trade = (types.trade[:, None] == np.arange(len(types.trades))).astype(np.float64)
    trade_precision = precision @ in_trade
    trade_mean = _over((precision * sums.mean) @ in_trade, trade_precision)
    trade_weight = trade_precision / (1.0 + grid.trade[:, None] ** 2 * trade_precision)
    site_precision = trade_weight.sum(axis=1)
    site_mean = _over((trade_weight * trade_mean).sum(axis=1), site_precision)
    within = (sums.squares / types.spread**2).sum() / grid.noise**2
    within += 2.0 * np.maximum(sums.number - 1.0, 0.0).sum() * np.log(grid.noise)
    steps = (precision * sums.mean**2).sum(axis=1) + np.log(np.where(seen, scale, 1.0)).sum(axis=1)
    trades = np.log1p(grid.trade[:, None] ** 2 * trade_precision).sum(axis=1)
    trades -= ((trade_precision - trade_weight) * trade_mean**2).sum(axis=1)
    site = np.log1p(grid.site**2 * site_precision)
    site -= site_mean**2 * grid.site**2 * site_precision**2 / (1.0 + grid.site**2 * site_precision)
    return Layers(
        sums.weight * step / scale,
        trade_precision,
        trade_mean,
        trade_weight,
        site_precision,
        site_mean,
        -0.5 * (within + steps + trades + site),
    )


def moments_of(layers: Layers, sums: Sums, types: StepTypes, grid: Grid) -> Moments:
    """Return the posterior of each step's rate, as a log ratio less its prior mean."""
    site_share = grid.site**2 * layers.site_precision / (1.0 + grid.site**2 * layers.site_precision)
    site_spread = grid.site / np.sqrt(1.0 + grid.site**2 * layers.site_precision)
    from_above = 1.0 / (1.0 + grid.trade[:, None] ** 2 * layers.trade_precision)
    site = (site_share * layers.site_mean)[:, None]
    trade = (1.0 - from_above) * layers.trade_mean + from_above * site
    trade_spread = grid.trade[:, None] * np.sqrt(from_above)
    rest = 1.0 - layers.own
    return Moments(
        layers.own * sums.mean + rest * trade[:, types.trade],
        rest * (from_above * site_spread[:, None])[:, types.trade],
        rest * trade_spread[:, types.trade],
        types.spread * grid.step[:, None] * np.sqrt(rest),
    )


def _over(top: Floats, bottom: Floats) -> Floats:
    """Return the quotient, and 0 where nothing was seen."""
    return np.asarray(top / np.where(bottom > 0, bottom, 1.0))
