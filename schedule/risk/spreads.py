"""What is known of an uncertain value: a family of distributions and three points, as columns.

Triangular and PERT take the ends as the least and the greatest value and the middle as the most likely one. Lognormal takes
the three points as P10, P50 and P90, and is never longer than `LONGEST` times its P90: lead times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schedule.errors import InputError
from schedule.risk.quantiles import SHAPES, Floats, lognormal, pert, pert_table, triangular

PARAMETERS = 5
MOST = 2.0**40
"""No value may be longer, in minutes: two million years."""
OUTER = 0.1
"""The probability outside each outer point of a lognormal."""
LONGEST = 3.0
"""How many times its P90 a lognormal is at most: what would take longer takes as long. An assumption; docs/explanation/risk.md has its reason."""


class Family(IntEnum):
    """The family of a distribution."""

    FIXED = 0
    TRIANGULAR = 1
    PERT = 2
    LOGNORMAL = 3


class Spread(NamedTuple):
    """Three points of one uncertain value. With equal points the value is certain."""

    low: float
    likely: float
    high: float
    family: Family = Family.TRIANGULAR


@dataclass(frozen=True, eq=False)
class Estimates:
    """Columns of spreads, all of shape (values,): families, and points in minutes unless the user of them says otherwise."""

    family: NDArray[np.uint8]
    low: Floats
    likely: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.family)


class Quantiles(NamedTuple):
    """Estimates as the quantile functions read them: families, and `PARAMETERS` numbers each."""

    family: NDArray[np.uint8]
    parameters: Floats


def fixed(values: NDArray[np.int64] | Floats) -> Estimates:
    """Return estimates of values that are certain."""
    column = np.asarray(values, np.float64)
    return Estimates(np.full(len(column), Family.FIXED, np.uint8), column, column, column)


def three_points(low: ArrayLike, likely: ArrayLike, high: ArrayLike, family: Family = Family.TRIANGULAR) -> Estimates:
    """Return estimates that are all of one family."""
    columns = [np.asarray(column, np.float64) for column in (low, likely, high)]
    return Estimates(np.full(len(columns[0]), family, np.uint8), *columns)


def of_spreads(spreads: Sequence[Spread]) -> Estimates:
    """Return the columns of single spreads."""
    points = np.array([spread[:3] for spread in spreads], np.float64).reshape(-1, 3)
    families = np.array([spread.family for spread in spreads], np.uint8)
    return Estimates(families, points[:, 0], points[:, 1], points[:, 2])


def quantiles_of(estimates: Estimates, name: Callable[[int], str]) -> Quantiles:
    """Return what the quantile functions read, or InputError for the first wrong row; `name` says what a row is of."""
    _check(estimates, name)
    family = np.where(estimates.low == estimates.high, Family.FIXED, estimates.family).astype(np.uint8)
    parameters = np.zeros((len(family), PARAMETERS))
    parameters[:, 0] = np.where(family == Family.FIXED, estimates.likely, estimates.low)
    for kind, fill in ((Family.TRIANGULAR, _triangular), (Family.PERT, _pert), (Family.LOGNORMAL, _lognormal)):
        rows = np.flatnonzero(family == kind)
        if len(rows):
            parameters[rows] = fill(estimates.low[rows], estimates.likely[rows], estimates.high[rows])
    wide = (family == Family.LOGNORMAL) & _is_too_wide(parameters)
    if wide.any():
        hint = "bring its three points closer together"
        raise InputError(f"{name(int(wide.argmax()))} has a lognormal that is far too wide", hint=hint)
    return Quantiles(family, parameters)


def quantiles_at(known: Quantiles, levels: Floats) -> Floats:
    """Return the quantiles at levels between 0 and 1; a row a distribution, a column a level."""
    values = np.repeat(known.parameters[:, :1], levels.shape[1], axis=1)
    for kind in (Family.TRIANGULAR, Family.PERT, Family.LOGNORMAL):
        rows = np.flatnonzero(known.family == kind)
        if not len(rows):
            continue
        u, p = levels[rows], known.parameters[rows].T[:, :, None]
        if kind == Family.PERT:
            values[rows] = pert(u, p, pert_table())
        else:
            values[rows] = triangular(u, p) if kind == Family.TRIANGULAR else lognormal(u, p)
    return values


def _check(estimates: Estimates, name: Callable[[int], str]) -> None:
    low, likely, high = estimates.low, estimates.likely, estimates.high
    if not len(estimates.family) == len(low) == len(likely) == len(high):
        raise InputError("the columns of estimates have different lengths", hint="every column has one row each")
    is_lognormal = estimates.family == Family.LOGNORMAL
    left = is_lognormal & (low < high) & (high - likely <= likely - low)
    for wrong, what, hint in (
        (estimates.family > max(Family), "has an unknown family", "fixed, triangular, PERT and lognormal are 0 to 3"),
        (~np.isfinite(low + likely + high), "has a point that is not a number", "correct its three points"),
        (low < 0, "has a negative optimistic value", "no value may be below zero"),
        (high > MOST, "has a pessimistic value that is far too long", "values are minutes"),
        ((low > likely) | (likely > high), "has points out of order", "optimistic <= most likely <= pessimistic"),
        (left, "leans to the short side, which no lognormal does", "take the triangular or the PERT family"),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            points = f"{low[row]:g}, {likely[row]:g}, {high[row]:g}"
            raise InputError(f"{name(row)} {what}: {points}", hint=hint)


def _triangular(low: Floats, likely: Floats, high: Floats) -> Floats:
    width = high - low
    split = (likely - low) / width
    return np.stack([low, high, split, width * (likely - low), width * (high - likely)], axis=1)


def _pert(low: Floats, likely: Floats, high: Floats) -> Floats:
    place = (likely - low) / (high - low) * SHAPES
    row = np.floor(place)
    return np.stack([low, high - low, row, place - row, np.zeros(len(low))], axis=1)


def _lognormal(low: Floats, likely: Floats, high: Floats) -> Floats:
    """Shift the lognormal so that all three points are met. Source: a symmetric triplet, as in Hadlock and Bickel 2017."""
    shift = (high * low - likely * likely) / (high + low - 2.0 * likely)
    sigma = np.log((high - shift) / (likely - shift)) / NormalDist().inv_cdf(1.0 - OUTER)
    return np.stack([shift, likely - shift, sigma, LONGEST * high, np.zeros(len(low))], axis=1)


def _is_too_wide(parameters: Floats) -> NDArray[np.bool_]:
    """Return which lognormals leave the range of `exp` with the first or the last of 2**32 words."""
    return np.asarray(parameters[:, 2] * NormalDist().inv_cdf(1.0 - 2.0**-33) >= 40.0)
