"""A slice of the replays of benchmarks/learning.py: few buildouts, on fewer pods, and bounds that chance does not reach."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from benchmarks.buildouts import Buildout, Known, catalog_pod
from benchmarks.learning import HIDDEN, Cell, Forecaster, cell, replays
from schedule.learning.outlook import Outlook

PODS, NUMBER = 8, 20
pytestmark = pytest.mark.xdist_group("replays")
STRONG = 2
"""The place of the strongest hidden rates in `HIDDEN`."""


@cache
def forecaster() -> Forecaster:
    """Return the forecaster of the catalog's pod, eight times."""
    return Forecaster(Buildout(catalog_pod(), PODS))


@cache
def cells(kind: int) -> dict[tuple[int, str], Cell]:
    """Return what forecasts after pods 1 and 3 were worth, by pods built and method."""
    scores = list(replays(forecaster(), HIDDEN[kind], NUMBER, pods=(1, 3)))
    keys = {(score.built, score.method) for score in scores}
    return {key: cell([score for score in scores if (score.built, score.method) == key]) for key in keys}


@pytest.mark.slow
@pytest.mark.long
def test_p80_is_kept_about_eight_times_in_ten_over_all_kinds_of_hidden_rates() -> None:
    kept = np.mean([cells(kind)[built, "learned"].coverage for kind in range(len(HIDDEN)) for built in (1, 3)])

    assert 0.67 <= kept <= 0.92


@pytest.mark.long
@pytest.mark.parametrize("kind", [1, 2])
def test_after_pod_three_the_learned_forecast_is_nearer_than_the_plan_and_the_last_pod(kind: int) -> None:
    found = cells(kind)

    assert found[3, "learned"].absolute < 0.6 * found[3, "plan only"].absolute
    assert found[3, "learned"].pinball < found[3, "last value"].pinball


@pytest.mark.slow
def test_where_the_plan_is_right_learning_costs_little() -> None:
    found = cells(0)

    assert found[3, "learned"].absolute < 1.25 * found[3, "plan only"].absolute
    assert found[3, "learned"].coverage >= 0.6


@pytest.mark.long
def test_turns_tell_the_forecast_that_crews_get_quicker() -> None:
    found = cells(3)

    assert abs(found[3, "learned"].bias) < 0.6 * abs(found[3, "learned without turns"].bias)


@pytest.mark.parametrize("method", [Forecaster.plan_only, Forecaster.last_value, Forecaster.learned])
def test_a_forecast_knows_nothing_of_what_happens_after_its_data_date(
    method: Callable[[Forecaster, Known], Outlook],
) -> None:
    """Two buildouts with one past: in the second all that is not finished takes three times as long."""
    buildout = forecaster().buildout
    one = buildout.truth(HIDDEN[STRONG], np.random.default_rng(4))
    data_date = one.after_pod(2)
    other = buildout.played(np.where(one.finish > data_date, 3 * one.durations, one.durations))

    first, second = (method(forecaster(), truth.known(data_date)) for truth in (one, other))

    assert other.end > one.end
    assert np.array_equal(first.estimates.low, second.estimates.low)
    assert np.array_equal(first.estimates.high, second.estimates.high)
    assert [driver.multiplier for driver in first.drivers] == [driver.multiplier for driver in second.drivers]
