"""What remains, as the risk engine draws it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from schedule.cpm.columns import Activities, Links
from schedule.cpm.compiled import compile_network
from schedule.cpm.shifts import Indices, Minutes, continuous
from schedule.errors import InputError
from schedule.learning.learn import Learned, learn
from schedule.learning.outlook import Outlook, outlook
from schedule.risk.model import risk_model
from schedule.risk.running import run
from schedule.risk.spreads import Estimates, three_points
from tests.schedule.learning.histories import DAY, nothing, took, types_of
from tests.schedule.risk.models import no_links

SAMPLES = 4096


def plan(rows: int) -> Estimates:
    """Return estimates of 0.6, 1 and 1.8 days."""
    return three_points(np.full(rows, 0.6 * DAY), np.full(rows, DAY), np.full(rows, 1.8 * DAY))


def one_after_another(rows: int) -> Links:
    """Return links that make a chain of all rows."""
    before, nothing = np.arange(rows - 1, dtype=np.int32), np.zeros(rows - 1, np.int64)
    return Links(before, before + 1, nothing.astype(np.uint8), nothing, nothing.astype(np.int32))


def drawn(found: Outlook, links: Links, targets: list[int]) -> Minutes:
    """Return the sampled finishes of some rows."""
    number = len(found.estimates)
    activities = Activities([f"A{k}" for k in range(number)], np.zeros(number, np.int64), np.zeros(number, np.int32))
    network = compile_network(activities, links, [continuous()])
    model = risk_model(network, found.estimates, drivers=found.drivers)
    return run(model, targets, seed=5, samples=SAMPLES, chains=False).samples


def slow_pod() -> Learned:
    """Return what one pod of 12 step types in 3 trades teaches, which took half as long again."""
    ratio = [1.5, 1.7, 1.2, 1.4, 1.9, 1.3, 1.6, 1.5, 1.1, 1.8, 1.4, 1.6]
    return learn(types_of(12, trades=3), took(range(12), ratio))


def test_an_activity_has_the_median_and_spread_that_were_learned() -> None:
    learned = slow_pod()

    samples = drawn(outlook(learned, plan(1), np.array([4], np.int32)), no_links(), [0])[0]

    spread = np.hypot(learned.single[4], learned.spread_of_mean[4])
    assert np.median(samples) == pytest.approx(DAY * np.exp(learned.mean[4]), rel=0.03)
    assert np.log(samples).std() == pytest.approx(spread, rel=0.05)


def test_two_pods_share_what_is_not_known_of_a_rate() -> None:
    learned = slow_pod()

    same, other = (
        np.corrcoef(np.log(drawn(outlook(learned, plan(2), np.array(step, np.int32)), no_links(), [0, 1])))[0, 1]
        for step in ([4, 4], [4, 5])
    )

    shared = learned.spread_of_mean[4] ** 2
    assert same == pytest.approx(shared / (shared + learned.single[4] ** 2), abs=0.05)
    assert same > other + 0.1


def test_all_that_remains_is_as_uncertain_as_the_rates_together() -> None:
    """A chain of four pods, in which rates of all steps, known well or not, count with their covariance."""
    learned = learn(
        types_of(12, trades=3), took([0, 0, 0, 1, 1, 2, 3, 4, 5], [1.5, 1.4, 1.6, 1.2, 1.3, 1.1, 1.9, 1.0, 1.3])
    )
    step = np.tile(np.arange(12), 4).astype(np.int32)

    end = drawn(outlook(learned, plan(48), step), one_after_another(48), [47])[0]

    median = DAY * np.exp(learned.mean[step])
    pairs = learned.covariance[np.ix_(step, step)] + np.diag(learned.single[step] ** 2)
    exact = np.exp(np.random.default_rng(1).multivariate_normal(np.log(median), pairs, 20_000)).sum(axis=1)
    assert end.mean() == pytest.approx(exact.mean(), rel=0.02)
    assert end.std() == pytest.approx(exact.std(), rel=0.1)
    assert np.quantile(end, 0.8) == pytest.approx(np.quantile(exact, 0.8), rel=0.02)


def test_rows_without_a_step_type_keep_their_plan_and_have_no_driver() -> None:
    planned = plan(3)

    found = outlook(slow_pod(), planned, np.array([-1, 4, -1], np.int32))

    for column in ("family", "low", "likely", "high"):
        assert getattr(found.estimates, column)[[0, 2]].tolist() == getattr(planned, column)[[0, 2]].tolist()
    assert {row for driver in found.drivers for row in driver.activities} == {1}


def test_drivers_are_named_by_step_trade_and_site() -> None:
    found = outlook(slow_pod(), plan(2), np.array([4, 5], np.int32))

    names = {driver.name: driver.activities.tolist() for driver in found.drivers}

    assert names["rate of step S4"] == [0]
    assert names["rates of the site"] == [0, 1]
    assert all(driver.probability == 1.0 for driver in found.drivers)


@pytest.mark.parametrize("worked", [0.1, 0.9, 1.8])
def test_what_runs_has_left_what_a_lognormal_beyond_that_point_has(worked: float) -> None:
    learned = learn(types_of(1), nothing())
    median, spread = DAY * np.exp(learned.mean[0]), learned.single[0]
    whole = median * np.exp(spread * np.random.default_rng(2).standard_normal(1_000_000))
    rest = whole[whole > worked * DAY] - worked * DAY

    found = outlook(learned, plan(1), np.array([0], np.int32), worked=np.array([worked * DAY])).estimates

    points = [found.low[0], found.likely[0], found.high[0]]
    assert points == pytest.approx(np.quantile(rest, [0.1, 0.5, 0.9]), rel=0.02)


def test_wrong_columns_are_refused() -> None:
    learned = slow_pod()

    with pytest.raises(InputError, match="2 estimates have 1 step types"):
        outlook(learned, plan(2), np.zeros(1, np.int32))
    with pytest.raises(InputError, match="row 1 has the step type 12; there are 12"):
        outlook(learned, plan(2), np.array([0, 12], np.int32))


def test_the_example_of_the_documentation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[3] / "docs" / "explanation" / "learning.md").read_text(encoding="utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]

    exec(code, {})

    assert capsys.readouterr().out.startswith("[(0.1, 23), (0.5, 26), (0.8, 28), (0.9, 30)] [1.44")


def test_nothing_that_remains_has_no_drivers() -> None:
    step: Indices = np.full(2, -1, np.int32)

    found = outlook(slow_pod(), plan(2), step)

    assert found.drivers == ()
