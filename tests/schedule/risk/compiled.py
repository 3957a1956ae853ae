"""Compiled functions that only tests call."""

from __future__ import annotations

import numpy as np

from schedule.machine_code import numba
from schedule.risk.philox import LANES
from schedule.risk.philox_numba import draw_group


@numba.njit
def _words(seed: np.uint64, key: np.uint64, draw: int, first: int, groups: int) -> np.ndarray:
    out = np.empty((groups, LANES), np.uint64)
    for group in range(groups):
        draw_group(seed, key, draw, first + group, out[group])
    return out


def compiled_words(seed: int, keys: np.ndarray, draw: int, groups: range) -> np.ndarray:
    """Return what `philox.words` returns, from the compiled function."""
    rows = [_words(np.uint64(seed), key, draw, groups.start, len(groups)).ravel() for key in keys]
    return np.array(rows)
