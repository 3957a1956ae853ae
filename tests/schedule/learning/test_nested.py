"""The nested model against the same model solved another way."""

from __future__ import annotations

import numpy as np
import pytest

from schedule.learning.history import Sums, logs_of, sums_of
from schedule.learning.nested import TAIL_CHANCES, TAILS, layers_of, moments_of
from schedule.learning.step_types import StepTypes
from schedule.learning.strengths import Grid
from schedule.risk.quantiles import Floats
from tests.schedule.learning.histories import took, types_of

STEPS, RATIOS = [0, 0, 0, 1, 2, 2, 4], [1.5, 1.2, 1.4, 0.8, 1.1, 0.9, 2.0]


def grid(noise: float, step: float, trade: float, site: float) -> Grid:
    """Return a grid of one point."""
    return Grid(*(np.array([value]) for value in (noise, step, trade, site, 0.0)))


def sums(types: StepTypes) -> Sums:
    """Return the sums of seven activities of four of the step types."""
    history = took(STEPS, RATIOS)
    return sums_of(logs_of(history, types, history.finished), len(types))


def normal_posterior(types: StepTypes, noise: float, trade: float, site: float) -> tuple[Floats, Floats, float]:
    """Return mean and covariance of the rates, and the log density of the observations, from one large normal."""
    step = np.array(STEPS)
    same_trade = types.trade[:, None] == types.trade
    prior = site**2 + np.where(same_trade, trade**2, 0.0)
    value = np.log(RATIOS) - types.mean[step]
    of_values = prior[np.ix_(step, step)] + np.diag((noise * types.spread[step]) ** 2)
    with_values = prior[:, step]
    mean = with_values @ np.linalg.solve(of_values, value)
    covariance = prior - with_values @ np.linalg.solve(of_values, with_values.T)
    return mean, covariance, float(-0.5 * (value @ np.linalg.solve(of_values, value) + np.linalg.slogdet(of_values)[1]))


@pytest.mark.parametrize("sizes", [(1.0, 0.2, 0.3), (0.7, 0.0, 0.3), (1.3, 0.4, 0.0)])
def test_layers_above_the_steps_are_those_of_one_large_normal(sizes: tuple[float, float, float]) -> None:
    """Steps of a trade do not differ here, so everything is normal and the closed forms are exact."""
    types = types_of(6, trades=3)
    point = grid(sizes[0], 0.0, *sizes[1:])

    found = moments_of(layers_of(sums(types), types, point, rounds=2), sums(types), types, point)

    mean, covariance, _ = normal_posterior(types, *sizes)
    from_site, from_trade = found.from_site[0], found.from_trade[0]
    same_trade = types.trade[:, None] == types.trade
    assert found.mean[0] == pytest.approx(mean, abs=1e-9)
    together = np.outer(from_site, from_site) + np.where(same_trade, np.outer(from_trade, from_trade), 0.0)
    assert together == pytest.approx(covariance, abs=1e-9)


def test_fit_tells_sizes_apart_as_the_density_of_one_large_normal_does() -> None:
    types = types_of(6, trades=3)
    sizes = [(1.0, 0.2, 0.3), (0.5, 0.1, 0.0), (1.5, 0.0, 0.6)]

    fits = [layers_of(sums(types), types, grid(s[0], 0.0, *s[1:]), rounds=2).fit[0] for s in sizes]

    densities = [normal_posterior(types, *s)[2] for s in sizes]
    assert np.diff(fits) == pytest.approx(np.diff(densities), abs=1e-9)


@pytest.mark.parametrize("ratio", [1.0, 1.3, 3.0])
def test_step_with_tails_has_the_posterior_that_integration_finds(ratio: float) -> None:
    """Sites and trades do not differ here, so each step type is alone and its mixture is exact."""
    types = types_of(1)
    history = took([0, 0], [ratio, ratio * 1.1])
    point = grid(1.0, 0.5, 0.0, 0.0)
    own = sums_of(logs_of(history, types, history.finished), 1)

    found = moments_of(layers_of(own, types, point, rounds=2), own, types, point)

    rate = np.linspace(-6.0, 6.0, 120_001)
    prior = sum(
        c * np.exp(-0.5 * (rate / s) ** 2) / s for c, s in zip(TAIL_CHANCES, TAILS * 0.5 * types.spread, strict=True)
    )
    values = np.log([ratio, ratio * 1.1]) - types.mean[0]
    weight = prior * np.exp(-0.5 * sum((value - rate) ** 2 for value in values) / types.spread[0] ** 2)
    mean = float((weight * rate).sum() / weight.sum())
    assert found.mean[0, 0] == pytest.approx(mean, abs=1e-5)
    assert found.from_step[0, 0] ** 2 == pytest.approx((weight * (rate - mean) ** 2).sum() / weight.sum(), rel=1e-4)
