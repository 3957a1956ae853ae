"""Quantiles of the three families, from sums, products and square roots alone.

numpy and numba compute these to the last bit alike, and so does every machine; an `exp` of the system's library would not.
So a function here has the same result for a number in compiled code and for arrays in numpy, if both do its steps in order.
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHAPES = 128
"""Steps of the mode from the low end to the high end for which beta quantiles are tabled."""
CELLS = 1024
"""Steps of probability between which beta quantiles are interpolated; they are shorter towards both ends, as squares are."""
PERT_WEIGHT = 4.0
"""How much more the most likely value counts than either end. Source: Malcolm et al., Operations Research 7 (1959)."""

INVERSE_LN_2 = 1.4426950408889634
LN_2_HIGH = 0.693147180369123816490
LN_2_LOW = 1.90821492927058770002e-10
"""ln 2 in two parts: whole multiples of the first are exact. Source: fdlibm."""
POWERS = 2.0 ** np.arange(-64, 65)
"""Powers of two, from 2**-64."""
CENTRE = 0.02425
"""The probability in each tail outside which the first formula of `normal` holds."""
CENTRE_TOP = (
    -39.69683028665376,
    220.9460984245205,
    -275.9285104469687,
    138.3577518672690,
    -30.66479806614716,
    2.506628277459239,
)
CENTRE_BOTTOM = (-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1.0)
TAIL_TOP = (
    -0.007784894002430293,
    -0.3223964580411365,
    -2.400758277161838,
    -2.549732539343734,
    4.374664141464968,
    2.938163982698783,
)
TAIL_BOTTOM = (0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1.0)
EXP_SERIES = tuple(1.0 / factorial(term) for term in range(14, -1, -1))
LOG_SERIES = tuple(1.0 / term for term in range(37, 0, -2))


def either(condition: NDArray[np.bool_], yes: Floats, no: Floats) -> Floats:
    """Return `yes` where the condition holds, `no` elsewhere. Compiled code chooses between two numbers."""
    return np.where(condition, yes, no)


def polynomial(coefficients: tuple[float, ...], x: Floats) -> Floats:
    """Return the polynomial with these coefficients, the highest power first."""
    total = coefficients[0] + 0.0 * x
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


def exp(x: Floats) -> Floats:
    """Return e**x for |x| below 40, to fifteen digits."""
    whole = np.floor(x * INVERSE_LN_2 + 0.5)
    rest = (x - whole * LN_2_HIGH) - whole * LN_2_LOW
    grown: Floats = polynomial(EXP_SERIES, rest) * POWERS[np.int64(whole) + 64]
    return grown


def log(x: Floats) -> Floats:
    """Return the natural logarithm of x from 2**-40 to 1."""
    grown, octave = x, x * 0.0
    for doublings in (32, 16, 8, 4, 2, 1):
        is_small = grown < POWERS[64 - doublings]
        grown = either(is_small, grown * POWERS[64 + doublings], grown)
        octave = octave + is_small * doublings
    s = (grown - 1.0) / (grown + 1.0)
    square = s * s
    found: Floats = 2.0 * s * polynomial(LOG_SERIES, square) - octave * (LN_2_HIGH + LN_2_LOW)
    return found


def normal(u: Floats) -> Floats:
    """Return the standard normal quantile; the relative error is below 1.2e-9. Source: P. J. Acklam's rational functions."""
    q = u - 0.5
    square = q * q
    centre = q * polynomial(CENTRE_TOP, square) / polynomial(CENTRE_BOTTOM, square)
    r = np.sqrt(-2.0 * log(np.minimum(u, 1.0 - u)))
    tail = polynomial(TAIL_TOP, r) / polynomial(TAIL_BOTTOM, r)
    outside = either(q < 0.0, tail, -tail)
    return either(np.abs(q) <= 0.5 - CENTRE, centre, outside)


def triangular(u: Floats, p: Floats) -> Floats:
    """Return triangular quantiles. `p` has the low end, the high end, the split of probability, and two areas."""
    below = u < p[2]
    root = np.sqrt(either(below, u * p[3], (1.0 - u) * p[4]))
    return either(below, p[0] + root, p[1] - root)


def lognormal(u: Floats, p: Floats) -> Floats:
    """Return quantiles of the lognormal that begins at `p[0]`; `p[1]` is the median after it, `p[2]` the sigma, `p[3]` the longest."""
    found: Floats = np.minimum(np.maximum(p[0] + p[1] * exp(p[2] * normal(u)), 0.0), p[3])
    return found


def pert(u: Floats, p: Floats, table: Floats) -> Floats:
    """Return PERT-beta quantiles, from `table`. `p` has the low end, the range, the table's row, and the part to the next."""
    upper = u >= 0.5
    root = np.sqrt(either(upper, 1.0 - u, u) * 0.5)
    place = either(upper, 1.0 - root, root) * CELLS
    cell = np.minimum(np.int64(place), CELLS - 1)
    part = place - cell
    row = np.int64(p[2])
    here = table[row, cell] + (table[row, cell + 1] - table[row, cell]) * part
    there = table[row + 1, cell] + (table[row + 1, cell + 1] - table[row + 1, cell]) * part
    found: Floats = p[0] + p[1] * (here + (there - here) * p[3])
    return found


@lru_cache(maxsize=1)
def pert_table() -> Floats:
    """Return quantiles of the PERT-beta on 0 to 1 by position of the mode; shape (SHAPES + 2, CELLS + 1).

    The last row is the one before it again, so that a mode at the high end has a next row. Values are rounded to 2**-40:
    beyond it the systems' power functions differ.
    """
    x = np.sin(np.linspace(0.0, np.pi / 2, 8 * CELLS + 1)) ** 2
    even = np.linspace(0.0, 1.0, CELLS + 1)
    knots = np.where(even < 0.5, 2.0 * even**2, 1.0 - 2.0 * (1.0 - even) ** 2)
    rows = [_beta_quantiles(x, knots, mode / SHAPES) for mode in range(SHAPES + 1)]
    table = np.array([*rows, rows[-1]])
    return np.round(table * 2.0**40) * 2.0**-40


def _beta_quantiles(x: Floats, knots: Floats, mode: float) -> Floats:
    density = x ** (PERT_WEIGHT * mode) * (1.0 - x) ** (PERT_WEIGHT * (1.0 - mode))
    areas = np.diff(x) * (density[1:] + density[:-1]) / 2
    share = np.concatenate([[0.0], np.cumsum(areas)])
    return np.interp(knots, share / share[-1], x)
