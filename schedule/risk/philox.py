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

Words = NDArray[np.uint64]
"""32-bit words, each in 64 bits, so that a product of two is exact."""

LANES = 128
"""Samples in a group."""
BLOCKS = LANES // 4
MULTIPLIER_0, MULTIPLIER_1 = 0xD2511F53, 0xCD9E8D57
KEY_STEP_0, KEY_STEP_1 = 0x9E3779B9, 0xBB67AE85
LOW = 0xFFFFFFFF
ROUNDS = 10


def name_keys(kind: str, names: Iterable[str]) -> Words:
    """Return 64 bits for each name, the same on every machine. `kind` separates activities from drivers of the same name."""
    prefix = kind.encode() + b"\0"
    digests = b"".join(blake2b(prefix + name.encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def philox(counter: tuple[Words, ...], key: tuple[int, int]) -> tuple[Words, ...]:
    """Return the four words of each block. `counter` is four words a block, of shapes that numpy broadcasts."""
    c0, c1, c2, c3 = counter
    low, half = np.uint64(LOW), np.uint64(32)
    for number in range(ROUNDS):
        k0 = np.uint64((key[0] + number * KEY_STEP_0) & LOW)
        k1 = np.uint64((key[1] + number * KEY_STEP_1) & LOW)
        p0, p1 = c0 * np.uint64(MULTIPLIER_0), c2 * np.uint64(MULTIPLIER_1)
        c0, c1, c2, c3 = (p1 >> half) ^ c1 ^ k0, p1 & low, (p0 >> half) ^ c3 ^ k1, p0 & low
    return c0, c1, c2, c3


def words(seed: int, keys: Words, draw: int, groups: range) -> Words:
    """Return the words of draw `draw` for each name; shape (names, samples of the groups)."""
    block = np.arange(groups.start * BLOCKS, groups.stop * BLOCKS, dtype=np.uint64)[None, :]
    column = keys[:, None]
    counter = (block, np.full((1, 1), draw, np.uint64), column & np.uint64(LOW), column >> np.uint64(32))
    found = philox(counter, (seed & LOW, (seed >> 32) & LOW))
    by_group = [
        np.broadcast_to(word, (len(keys), block.shape[1])).reshape(len(keys), len(groups), BLOCKS) for word in found
    ]
    return np.concatenate(by_group, axis=2).reshape(len(keys), len(groups) * LANES)


def uniforms(drawn: Words) -> NDArray[np.float64]:
    """Return the middles of the 2**32 equal parts of 0 to 1 that the words number: never 0, never 1."""
    return (drawn.astype(np.float64) + 0.5) * 2.0**-32
