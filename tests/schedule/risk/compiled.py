"""Compiled functions that only tests call."""

from __future__ import annotations

import numpy as np

from schedule.machine_code import numba
from schedule.risk.philox import LANES, Words, draw_group


@numba.njit
def _words(seed: np.uint64, key: np.uint64, draw: int, first: int, groups: int) -> np.ndarray:
    out = np.empty((groups, LANES), np.uint64)
    for group in range(groups):
        draw_group(seed, key, draw, first + group, out[group])
    return out


def words(seed: int, keys: Words, draw: int, groups: range) -> Words:
    """Return the words of draw `draw` for each name; shape (names, samples of the groups)."""
    return np.array([_words(np.uint64(seed), key, draw, groups.start, len(groups)).ravel() for key in keys])


def uniforms(drawn: Words) -> np.ndarray:
    """Return the middles of the 2**32 equal parts of 0 to 1 that the words number, as draws take them."""
    return (drawn.astype(np.float64) + 0.5) * 2.0**-32
