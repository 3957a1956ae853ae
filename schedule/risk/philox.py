"""Random words without a state: Philox4x32-10, a function of seed, name, draw and sample.

A word depends on nothing that was drawn before it. So an activity has the same draws in every what-if, and threads may
take samples in any order. Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11, 2011.

One block of Philox has four words. `LANES` samples that follow each other are a group; they use `BLOCKS` blocks: sample
`s` has word `(s % LANES) // BLOCKS` of block `(s // LANES) * BLOCKS + s % BLOCKS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from schedule.machine_code import numba

Words = NDArray[np.uint64]
"""32-bit words, each in 64 bits, so that a product of two is exact."""

LANES = 128
"""Samples in a group."""
BLOCKS = LANES // 4
M0, M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
W0, W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
MASK, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
ROUNDS = 10

inlined = numba.njit(inline="always")


def name_keys(kind: str, names: Iterable[str]) -> Words:
    """Return 64 bits for each name, the same on every machine. `kind` separates activities from drivers of the same name."""
    prefix = kind.encode() + b"\0"
    digests = b"".join(blake2b(prefix + name.encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


@inlined
def draw_group(seed: np.uint64, key: np.uint64, draw: int, group: int, out: Words) -> None:
    """Write the words of one name's draw for the samples of a group."""
    for b in range(BLOCKS):
        c0, c1 = np.uint64(group * BLOCKS + b), np.uint64(draw)
        c2, c3 = key & MASK, key >> HALF
        k0, k1 = seed & MASK, seed >> HALF
        for _ in range(ROUNDS):
            p0, p1 = c0 * M0, c2 * M1
            c0, c1 = (p1 >> HALF) ^ c1 ^ k0, p1 & MASK
            c2, c3 = (p0 >> HALF) ^ c3 ^ k1, p0 & MASK
            k0, k1 = (k0 + W0) & MASK, (k1 + W1) & MASK
        out[b], out[BLOCKS + b], out[2 * BLOCKS + b], out[3 * BLOCKS + b] = c0, c1, c2, c3
