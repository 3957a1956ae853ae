"""Philox for one name and one group of samples, compiled by numba into vector instructions. `philox` has the same words."""

from __future__ import annotations

import numpy as np

from schedule.machine_code import numba
from schedule.risk.philox import BLOCKS, KEY_STEP_0, KEY_STEP_1, LOW, MULTIPLIER_0, MULTIPLIER_1, Words

M0, M1 = np.uint64(MULTIPLIER_0), np.uint64(MULTIPLIER_1)
W0, W1 = np.uint64(KEY_STEP_0), np.uint64(KEY_STEP_1)
MASK, HALF = np.uint64(LOW), np.uint64(32)

inlined = numba.njit(inline="always")


@inlined
def draw_group(seed: np.uint64, key: np.uint64, draw: int, group: int, out: Words) -> None:
    """Write the words of one name's draw for the samples of a group."""
    for b in range(BLOCKS):
        c0, c1 = np.uint64(group * BLOCKS + b), np.uint64(draw)
        c2, c3 = key & MASK, key >> HALF
        k0, k1 = seed & MASK, seed >> HALF
        for _ in range(10):
            p0, p1 = c0 * M0, c2 * M1
            c0, c1 = (p1 >> HALF) ^ c1 ^ k0, p1 & MASK
            c2, c3 = (p0 >> HALF) ^ c3 ^ k1, p0 & MASK
            k0, k1 = (k0 + W0) & MASK, (k1 + W1) & MASK
        out[b], out[BLOCKS + b], out[2 * BLOCKS + b], out[3 * BLOCKS + b] = c0, c1, c2, c3
