"""How much a step's, a trade's and a site's rate may differ from the plan: what is assumed before any work, as a grid.

No history of one site can say how much sites differ, and one pod cannot part a slow step from a slow day. So each of four sizes
has a prior, whose scale can be overridden, and the history weighs every combination of a grid of them. Source of the priors'
form: Gelman, "Prior distributions for variance parameters in hierarchical models", Bayesian Analysis 1 (2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.errors import InputError
from schedule.risk.quantiles import Floats

STEP_SIZES = np.array([0.0, 0.35, 0.7, 1.0, 1.5, 2.2, 3.5, 6.0])
"""Of most steps' deviations, in scales of their prior."""
SIZES = np.array([0.0, 0.6, 1.4, 3.0])
"""The same of trades and site. What they are matters less: many steps say how fast a trade is."""
NOISES = np.array([0.5, 0.65, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0])
"""Of single activities, in spreads of their three points."""
FREEDOM = 3.0
"""Degrees of freedom of the half-t priors: sizes of several scales are possible."""
NOISE_DOUBT = 0.35
"""Spread of the logarithm of the noise. Source: assumption."""


@dataclass(frozen=True)
class Strengths:
    """How firmly the catalog is believed. The values are assumptions: no published buildout has pods' durations by step.

    `n0` is the strength of a step's three points: their mean counts as much as so many finished activities of the step.
    `trade` and `site` are by how much a trade's rate typically differs from the site's, and the site's from the catalog's, as a
    standard deviation of the logarithm: 0.15 is about 15 %. `practice` is by how much durations may change with each doubling of
    the turns, in the same measure. Zero says that it does not.
    """

    n0: float = 5.0
    trade: float = 0.15
    site: float = 0.25
    practice: float = 0.07

    def __post_init__(self) -> None:
        """Raise InputError for a strength that is none."""
        if not self.n0 > 0:
            raise InputError(
                f"the prior's strength n0 is {self.n0:g}", hint="a number of observations above zero, such as 5"
            )
        for value, what in ((self.trade, "trades"), (self.site, "sites"), (self.practice, "practice")):
            if not 0 <= value <= 2:
                raise InputError(f"the spread of rates by {what} is {value:g}", hint="between 0 and 2, such as 0.2")


class Grid(NamedTuple):
    """Combinations of the four sizes, and the logarithm of the prior probability of each. All of shape (points,)."""

    noise: Floats
    """Of a single activity, in spreads of its three points."""
    step: Floats
    """The same of a step type's rate."""
    trade: Floats
    site: Floats
    weight: Floats

    def at(self, kept: NDArray[np.bool_]) -> Grid:
        """Return some of the points."""
        return Grid(*(column[kept] for column in self))


def grid_of(strengths: Strengths) -> Grid:
    """Return the grid. A size whose scale is zero has one value."""
    scales = ((STEP_SIZES, 1.0 / sqrt(strengths.n0)), (SIZES, strengths.trade), (SIZES, strengths.site))
    noise_weight = -0.5 * (np.log(NOISES) / NOISE_DOUBT) ** 2 + np.log(np.gradient(np.log(NOISES)))
    axes = [(NOISES, noise_weight), *(_axis(sizes, scale) for sizes, scale in scales)]
    values = np.meshgrid(*(value for value, _ in axes), indexing="ij")
    weights = np.meshgrid(*(weight for _, weight in axes), indexing="ij")
    return Grid(*(column.ravel() for column in (*values, np.sum(weights, axis=0))))


def _axis(sizes: Floats, scale: float) -> tuple[Floats, Floats]:
    """Return the values of one size and the logarithms of their prior: a half-t with `scale`, by the width of each cell."""
    if scale == 0.0:
        return np.zeros(1), np.zeros(1)
    edges = np.concatenate([[0.0], (sizes[1:] + sizes[:-1]) / 2, [(3.0 * sizes[-1] - sizes[-2]) / 2]])
    density = (1.0 + sizes**2 / FREEDOM) ** (-(FREEDOM + 1.0) / 2)
    return sizes * scale, np.log(density * np.diff(edges))
