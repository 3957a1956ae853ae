"""The prior of a step type is what its three points say."""

from __future__ import annotations

import numpy as np
import pytest

from schedule.errors import InputError
from schedule.learning.step_types import LEAST_SPREAD, step_types
from schedule.risk.spreads import Family, three_points


@pytest.mark.parametrize("points", [(0.6, 1.0, 1.8), (0.5, 1.0, 3.5), (0.3, 1.0, 1.2)])
def test_prior_is_mean_and_spread_of_the_log_of_a_triangular_duration(points: tuple[float, float, float]) -> None:
    drawn = np.log(np.random.default_rng(1).triangular(*points, 400_000))

    low, likely, high = ([60.0 * point] for point in points)
    types = step_types(["cable"], three_points(low, likely, high))

    assert types.mean[0] == pytest.approx(drawn.mean(), abs=0.003)
    assert types.spread[0] == pytest.approx(drawn.std(), abs=0.003)


def test_lognormal_points_are_p10_and_p90() -> None:
    points = three_points([50.0], [100.0], [200.0], Family.LOGNORMAL)

    types = step_types(["deliver"], points)

    assert types.mean[0] == pytest.approx(0.0, abs=0.001)
    assert types.spread[0] == pytest.approx(np.log(2.0) / 1.2816, rel=0.01)


def test_step_type_that_is_certain_or_takes_no_time_keeps_a_small_spread() -> None:
    """A soak of 72 hours is planned to the minute, and still takes longer at times."""
    types = step_types(["soak", "milestone"], three_points([4320.0, 0.0], [4320.0, 0.0], [4320.0, 0.0]))

    assert types.mean.tolist() == [0.0, 0.0]
    assert types.spread.tolist() == [LEAST_SPREAD, LEAST_SPREAD]


def test_trades_are_numbered_by_name() -> None:
    types = step_types(["a", "b", "c"], three_points([1.0] * 3, [2.0] * 3, [3.0] * 3), ["rigger", "cabling", "rigger"])

    assert [types.trades[index] for index in types.trade] == ["rigger", "cabling", "rigger"]


def test_wrong_step_type_is_named() -> None:
    good = three_points([1.0, 1.0], [2.0, 2.0], [3.0, 3.0])

    with pytest.raises(InputError, match="two step types have the name 'a'"):
        step_types(["a", "a"], good)
    with pytest.raises(InputError, match="3 step types have 2 estimates"):
        step_types(["a", "b", "c"], good)
    with pytest.raises(InputError, match="step type 'b' has points out of order"):
        step_types(["a", "b"], three_points([1.0, 4.0], [2.0, 2.0], [3.0, 3.0]))
