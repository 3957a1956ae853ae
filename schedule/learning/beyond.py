"""A standard normal of which it is known that it is beyond a limit."""

from __future__ import annotations

from math import erfc, exp, pi, sqrt
from statistics import NormalDist

FARTHEST = 8.0
"""A limit farther out counts as this one, where the tail is still exact in floating point."""


def beyond(limit: float) -> tuple[float, float]:
    """Return by how much the mean rises and by how much the variance falls."""
    limit = min(limit, FARTHEST)
    hazard = exp(-0.5 * limit**2) / sqrt(2.0 * pi) / _tail(limit)
    return hazard, hazard * (hazard - limit)


def quantile_beyond(limit: float, level: float) -> float:
    """Return the quantile at a level between 0 and 1, as its distance from the limit."""
    limit = min(limit, FARTHEST)
    return -NormalDist().inv_cdf(_tail(limit) * (1.0 - level)) - limit


def _tail(limit: float) -> float:
    return 0.5 * erfc(limit / sqrt(2.0))
