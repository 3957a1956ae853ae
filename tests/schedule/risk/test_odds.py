"""Quantiles, intervals, chances and costs of samples."""

from __future__ import annotations

import numpy as np
import pytest

from schedule.errors import InputError
from schedule.risk.odds import CONFIDENCE, DAY, LEVELS, Odds

HUNDRED = Odds(np.arange(100, 0, -1, dtype=np.int64))


def test_quantiles_are_dates_that_were_drawn() -> None:
    assert [found.value for found in HUNDRED.quantiles()] == [10, 50, 80, 90]
    assert [found.level for found in HUNDRED.quantiles()] == list(LEVELS)


def test_an_interval_is_that_of_the_binomial() -> None:
    """The median of 100: order statistics 40 and 61, as tables have it; the next narrower pair holds 94.3 %."""
    median = HUNDRED.quantile(0.5)

    assert (median.low, median.high, median.is_bounded) == (40, 61, True)


@pytest.mark.parametrize("level", LEVELS)
def test_intervals_hold_the_true_quantile_as_often_as_they_say(level: float) -> None:
    """2,000 sets of 200 samples each from 0 to a million."""
    random = np.random.default_rng(3)
    found = [Odds(random.integers(0, 1_000_000, 200)).quantile(level) for _ in range(2000)]

    share = np.mean([one.low <= level * 1_000_000 <= one.high for one in found])

    assert CONFIDENCE - 4 * np.sqrt(0.05 * 0.95 / 2000) < share < 0.985


def test_too_few_samples_have_no_bounded_interval() -> None:
    """Of ten samples, nothing says how late the 90th in a hundred may be."""
    ten = Odds(np.arange(10, dtype=np.int64)).quantile(0.9)

    assert (ten.value, ten.high, ten.is_bounded) == (8, 9, False)


def test_the_curve_rises_with_probability() -> None:
    curve = HUNDRED.curve()[9::10]

    assert [round(point.level, 3) for point in curve] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert [point.value for point in curve] == [10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert all(point.low <= point.value <= point.high for point in curve)


def test_the_chance_of_a_date_counts_samples_up_to_it() -> None:
    """Wilson's interval of 80 in 100 is 0.711 to 0.867."""
    chance = HUNDRED.chance_by(80)

    assert chance == pytest.approx((0.8, 0.7112, 0.8666), abs=1e-4)
    assert HUNDRED.chance_by(0).value == 0
    assert HUNDRED.chance_by(100).value == 1


def test_mean_and_its_error() -> None:
    assert HUNDRED.mean == 50.5
    assert HUNDRED.standard_error == pytest.approx(np.std(np.arange(1, 101), ddof=1) / 10)
    assert Odds(np.array([7])).standard_error == 0


def test_delay_costs_by_the_day_and_an_early_date_saves_nothing() -> None:
    odds = Odds(np.array([0, 5, 6, 7, 9], np.int64) * DAY)

    cost = odds.cost_of_delay(5 * DAY, 1000)

    assert (cost.mean, cost.p50, cost.p80) == (1400, 1000, 2000)
    assert cost.standard_error == pytest.approx(np.std([0, 0, 1000, 2000, 4000], ddof=1) / np.sqrt(5))


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        HUNDRED.quantile(80)
    with pytest.raises(InputError, match="zero or more"):
        HUNDRED.cost_of_delay(0, -1)
