"""The generator: Random123's known answers, and the usual statistics of randomness.

Seeds are fixed, so a test either always passes or never does. Thresholds are for statistics that a good generator exceeds
once in a million seeds: what fails is broken, not unlucky.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from schedule.risk.philox import BLOCKS, LANES, name_keys
from tests.schedule.risk.compiled import uniforms, words

KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]
"""The vectors `philox4x32 10` of Random123's tests/kat_vectors."""
ONE_IN_A_MILLION = 4.9
"""Standard deviations."""


def chi_square_excess(counts: np.ndarray) -> float:
    """Return how many standard deviations the chi-square of counts that should be equal is from its mean."""
    expected = counts.sum() / len(counts)
    degrees = len(counts) - 1
    return float((((counts - expected) ** 2 / expected).sum() - degrees) / np.sqrt(2 * degrees))


def many() -> np.ndarray:
    """Return uniforms of 1,000 names with 2,048 samples each."""
    return uniforms(words(7, name_keys("activity", [f"{k}@pod-1" for k in range(1000)]), 0, range(32)))


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_words_are_those_that_random123_publishes(
    counter: tuple[int, ...], key: tuple[int, int], expected: tuple[int, ...]
) -> None:
    """Block and draw are the counter's first two words, and a name's key the others; the seed is the key."""
    block, draw, low, high = counter
    name = np.array([low + (high << 32)], np.uint64)

    group, at = divmod(block, BLOCKS)
    found = words(key[0] + (key[1] << 32), name, draw, range(group, group + 1))

    assert tuple(found[0, at::BLOCKS].tolist()) == expected


def test_keys_of_names_are_the_same_in_every_process() -> None:
    """Python's own hash of a string differs from one process to the next."""
    code = "from schedule.risk.philox import name_keys; print(name_keys('activity', ['012@pod-7', 'Größe']).tolist())"

    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert other.strip() == str(name_keys("activity", ["012@pod-7", "Größe"]).tolist())
    assert name_keys("activity", ["012@pod-7"]).tolist() == [3611792664573056093]


def test_a_driver_and_an_activity_of_one_name_have_different_keys() -> None:
    assert name_keys("activity", ["Acme"]) != name_keys("driver", ["Acme"])


def test_words_of_a_sample_do_not_depend_on_which_other_samples_are_drawn() -> None:
    keys = name_keys("activity", ["a", "b"])

    everything = words(3, keys, 0, range(5))
    later = words(3, keys[1:], 0, range(3, 4))

    assert (later[0] == everything[1, 3 * LANES : 4 * LANES]).all()


@pytest.mark.parametrize("change", [{"seed": 4}, {"draw": 1}, {"seed": 3 + 2**32}])
def test_another_seed_or_draw_has_other_words(change: dict[str, int]) -> None:
    keys = name_keys("activity", ["a"])

    same = words(3, keys, 0, range(2))
    other = words(change.get("seed", 3), keys, change.get("draw", 0), range(2))

    assert not (same == other).any()


@pytest.mark.parametrize("bits", [0, 8, 16, 24])
def test_every_byte_of_words_is_as_frequent_as_any_other(bits: int) -> None:
    """Chi-square of each byte over two million words."""
    drawn = words(7, name_keys("activity", [f"{k}@pod-1" for k in range(1000)]), 0, range(32))

    counts = np.bincount(((drawn.ravel() >> np.uint64(bits)) & np.uint64(255)).astype(np.int64), minlength=256)

    assert abs(chi_square_excess(counts)) < ONE_IN_A_MILLION


@pytest.mark.parametrize("axis", ["sample", "name", "draw"])
def test_neighbours_are_not_correlated(axis: str) -> None:
    """Samples that follow each other, names that differ in a digit, and draws that follow each other."""
    drawn = many()
    pairs = {
        "sample": (drawn[:, :-1], drawn[:, 1:]),
        "name": (drawn[:-1], drawn[1:]),
        "draw": (drawn, uniforms(words(7, name_keys("activity", [f"{k}@pod-1" for k in range(1000)]), 1, range(32)))),
    }
    first, second = pairs[axis]

    correlation = np.corrcoef(first.ravel(), second.ravel())[0, 1]

    assert abs(correlation) * np.sqrt(first.size) < ONE_IN_A_MILLION


def test_pairs_fill_the_square_evenly() -> None:
    """Chi-square of 64 by 64 cells for a sample and the next."""
    drawn = many()

    cells = np.floor(drawn[:, ::2] * 64) * 64 + np.floor(drawn[:, 1::2] * 64)
    counts = np.bincount(cells.astype(np.int64).ravel(), minlength=4096)

    assert abs(chi_square_excess(counts)) < ONE_IN_A_MILLION


def test_uniforms_are_distributed_as_those_of_pcg64() -> None:
    """Kolmogorov-Smirnov of two million values each: the largest distance stays below the bound for one in a million."""
    ours = np.sort(many().ravel())
    theirs = np.sort(np.random.default_rng(7).random(ours.size))

    both = np.concatenate([ours, theirs])
    distance = (
        np.abs(np.searchsorted(ours, both, side="right") - np.searchsorted(theirs, both, side="right")).max()
        / ours.size
    )

    assert distance < np.sqrt(-np.log(1e-6 / 2) / 2) * np.sqrt(2 / ours.size)
