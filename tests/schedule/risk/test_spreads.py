"""Distributions: their points, moments and quantiles are those that the books say, and bad points are refused by name."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from schedule.errors import InputError
from schedule.risk.quantiles import exp, log, normal
from schedule.risk.spreads import Estimates, Family, Spread, of_spreads, quantiles_at, quantiles_of
from tests.schedule.risk.compiled import uniforms

EVEN = (np.arange(2**16, dtype=np.uint64) << np.uint64(16)) + np.uint64(2**15)
"""Words in even steps, so that their mean is an integral."""


def drawn(spread: Spread, words: np.ndarray = EVEN) -> np.ndarray:
    """Return the values that words stand for."""
    known = quantiles_of(of_spreads([spread]), str)
    return np.asarray(quantiles_at(known, uniforms(words)[None, :])[0])


def word_of(probability: float) -> np.ndarray:
    return np.array([int(probability * 2**32)], np.uint64)


@pytest.mark.parametrize("likely", [10.0, 13.0, 40.0, 100.0])
def test_triangular_has_its_ends_its_mean_and_its_variance(likely: float) -> None:
    values = drawn(Spread(10, likely, 100))

    assert 10 <= values.min() < 10.5
    assert 99.5 < values.max() <= 100
    assert values.mean() == pytest.approx((10 + likely + 100) / 3, rel=1e-6)
    variance = (10**2 + likely**2 + 100**2 - 10 * likely - 10 * 100 - likely * 100) / 18
    assert values.var() == pytest.approx(variance, rel=1e-5)


@pytest.mark.parametrize("likely", [10.0, 13.0, 40.0, 77.7, 100.0])
def test_pert_has_the_moments_of_its_beta(likely: float) -> None:
    """Mean (low + 4 likely + high) / 6, and the variance of the beta; the table costs less than a ten-thousandth."""
    a, b = 1 + 4 * (likely - 10) / 90, 1 + 4 * (100 - likely) / 90

    values = drawn(Spread(10, likely, 100, Family.PERT))

    assert values.mean() == pytest.approx((10 + 4 * likely + 100) / 6, rel=1e-5)
    assert values.var() == pytest.approx(90**2 * a * b / ((a + b) ** 2 * (a + b + 1)), rel=1e-4)


def test_pert_is_distributed_as_the_beta_of_numpy() -> None:
    """Kolmogorov-Smirnov against 200,000 draws of PCG64, at one in a million."""
    theirs = np.sort(10 + 90 * np.random.default_rng(1).beta(1 + 4 / 3, 1 + 8 / 3, 200_000))
    ours = np.sort(drawn(Spread(10, 40, 100, Family.PERT)))

    distance = np.abs(np.searchsorted(ours, theirs) / len(ours) - np.arange(len(theirs)) / len(theirs)).max()

    assert distance < np.sqrt(-np.log(1e-6 / 2) / 2 / len(theirs)) + 1 / len(ours)


@pytest.mark.parametrize(("low", "likely", "high"), [(56, 84, 168), (10, 11, 12.5), (0, 1, 30)])
def test_lognormal_meets_its_three_points(low: float, likely: float, high: float) -> None:
    """They are P10, P50 and P90."""
    spread = Spread(low, likely, high, Family.LOGNORMAL)

    found = [drawn(spread, word_of(probability))[0] for probability in (0.1, 0.5, 0.9)]

    assert found == pytest.approx([low, likely, high], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("low", "likely", "high"), [(1, 3, 26), (4, 12, 52), (0, 1, 30)])
def test_lognormal_is_never_longer_than_three_times_its_p90(low: float, likely: float, high: float) -> None:
    """A permit of 1, 3 and 26 weeks took 2,020 in one of 200 samples, and all calendars were laid out for that."""
    spread = Spread(low, likely, high, Family.LOGNORMAL)

    assert drawn(spread, np.array([2**32 - 1], np.uint64))[0] == 3 * high
    assert drawn(spread, word_of(0.9))[0] == pytest.approx(high, rel=1e-6)  # what is shorter stays as it was
    assert drawn(spread, word_of(0.95))[0] < 3 * high


def test_lognormal_is_never_negative() -> None:
    """Its beginning may be before zero, where the three points are nearly even."""
    assert drawn(Spread(1, 10, 19.5, Family.LOGNORMAL), np.array([0], np.uint64))[0] == 0


def test_equal_points_are_certain() -> None:
    assert set(drawn(Spread(5, 5, 5, Family.PERT))) == {5.0}


def test_exp_log_and_normal_are_those_of_the_library() -> None:
    x = np.linspace(-35, 35, 10_001)
    u = uniforms(np.concatenate([np.array([0, 1, 2**31, 2**32 - 1], np.uint64), EVEN[::97]]))

    assert exp(x) == pytest.approx(np.exp(x), rel=1e-14)
    assert log(u) == pytest.approx(np.log(u), rel=1e-13, abs=1e-15)
    assert normal(u) == pytest.approx([NormalDist().inv_cdf(one) for one in u], abs=1e-8)


@pytest.mark.parametrize(
    ("spread", "message"),
    [
        (Spread(5, 4, 9), "activity 'x' has points out of order: 5, 4, 9"),
        (Spread(1, 10, 9, Family.PERT), "activity 'x' has points out of order: 1, 10, 9"),
        (Spread(-1, 4, 9), "activity 'x' has a negative optimistic value: -1, 4, 9"),
        (Spread(1, float("nan"), 9), "activity 'x' has a point that is not a number: 1, nan, 9"),
        (Spread(1, 2, 1e15), "activity 'x' has a pessimistic value that is far too long"),
        (Spread(1, 6, 9, Family.LOGNORMAL), "activity 'x' leans to the short side, which no lognormal does: 1, 6, 9"),
        (Spread(0, 1, 1e9, Family.LOGNORMAL), "activity 'x' has a lognormal that is far too wide"),
    ],
)
def test_bad_points_are_refused_by_name(spread: Spread, message: str) -> None:
    with pytest.raises(InputError) as refused:
        quantiles_of(of_spreads([spread]), lambda _: "activity 'x'")

    assert message in str(refused.value)


def test_an_unknown_family_is_refused() -> None:
    one = np.ones(1)

    with pytest.raises(InputError, match="unknown family"):
        quantiles_of(Estimates(np.array([9], np.uint8), one, one, one), str)
