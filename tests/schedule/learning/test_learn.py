"""What finished and running activities teach about the rates of step types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule.errors import InputError
from schedule.learning.history import History
from schedule.learning.learn import learn
from schedule.learning.strengths import Strengths
from tests.schedule.learning.histories import DAY, nothing, took, types_of


def test_without_history_the_catalog_speaks() -> None:
    types = types_of(4, trades=2)

    learned = learn(types, nothing())

    assert learned.mean == pytest.approx(types.mean)
    assert learned.observations.tolist() == [0, 0, 0, 0]
    assert (learned.spread_of_mean > 0.1).all()


def test_rate_is_between_catalog_and_record_and_nears_the_record_with_each_pod() -> None:
    types = types_of(1)

    rates = [learn(types, took([0] * pods, [2.0] * pods)).mean[0] for pods in (1, 2, 4, 16)]

    assert types.mean[0] < rates[0] < rates[1] < rates[2] < rates[3] < np.log(2.0)
    assert rates[3] == pytest.approx(np.log(2.0), abs=0.05)


def test_each_pod_leaves_less_that_is_not_known() -> None:
    random = np.random.default_rng(3)
    types = types_of(30, trades=5)
    ratio = np.exp(types.mean[0] + types.spread[0] * random.standard_normal(30 * 8))

    spreads = [
        learn(types, took(list(range(30)) * pods, list(ratio[: 30 * pods]))).spread_of_mean for pods in (1, 2, 4, 8)
    ]

    means = [float(spread.mean()) for spread in spreads]
    assert means == sorted(means, reverse=True)
    assert means[-1] < means[0] / 2


def test_a_stronger_prior_moves_less() -> None:
    types = types_of(8)
    history = took(range(8), [1.0, 1.1, 0.9, 1.3, 1.2, 1.0, 1.1, 2.2])

    rates = [learn(types, history, Strengths(n0=n0)).mean[7] for n0 in (1.0, 5.0, 50.0, 1e6)]

    assert rates == sorted(rates, reverse=True)
    assert rates[0] > rates[-1] + 0.2


def test_steps_not_done_yet_learn_from_their_trade_first_and_then_from_the_site() -> None:
    """Even steps are of one trade, odd ones of the other; the last of each is not done yet."""
    types = types_of(24, trades=2)
    steps = list(range(22)) * 2
    history = took(steps, [1.7 if step % 2 == 0 else 1.1 for step in steps])

    learned = learn(types, history)

    assert learned.observations[22:].tolist() == [0, 0]
    slow, usual = learned.mean[22:]
    assert slow > usual + 0.15
    assert usual > learn(types, took([], [])).mean[23] - 0.1
    assert learned.spread_of_mean[22] > learned.spread_of_mean[20]


def test_one_step_far_slower_than_all_others_is_believed_and_moves_no_other() -> None:
    random = np.random.default_rng(5)
    types = types_of(40, trades=4)
    steps = list(range(40)) * 2
    usual = np.exp(types.mean[0] + types.spread[0] * random.standard_normal(80))
    slow = np.where(np.array(steps) == 7, 3.0, usual)

    with_slow, without = (learn(types, took(steps, list(ratio))) for ratio in (slow, usual))

    assert np.exp(with_slow.mean[7]) == pytest.approx(3.0, rel=0.15)
    others = np.arange(40) != 7
    assert np.abs(with_slow.mean - without.mean)[others].max() < 0.1


def test_single_activities_that_scatter_more_than_the_catalog_says_widen_the_spread() -> None:
    random = np.random.default_rng(6)
    types = types_of(30)
    steps = list(range(30)) * 6
    ratio = np.exp(types.mean[0] + 1.5 * types.spread[0] * random.standard_normal(180))

    learned = learn(types, took(steps, list(ratio)))

    assert learned.single / types.spread == pytest.approx(1.5, rel=0.12)


def test_the_order_of_the_record_does_not_matter() -> None:
    types = types_of(6, trades=2)
    ratio = [1.0, 1.4, 0.8, 1.1, 2.5, 1.2, 1.3, 0.9]
    steps = [0, 1, 2, 3, 4, 5, 0, 1]

    forwards, backwards = learn(types, took(steps, ratio)), learn(types, took(steps[::-1], ratio[::-1]))

    assert forwards.mean == pytest.approx(backwards.mean, abs=1e-12)
    assert forwards.covariance == pytest.approx(backwards.covariance, abs=1e-12)


def test_what_runs_far_beyond_its_plan_slows_its_step_and_what_has_just_begun_does_not() -> None:
    types = types_of(4)

    nothing_known, begun, overdue = (
        learn(types, history).mean[0]
        for history in (nothing(), took([0], [0.05], running=[0]), took([0], [3.0], running=[0]))
    )

    assert begun == pytest.approx(nothing_known, abs=1e-3)
    assert overdue > nothing_known + 0.2


def test_running_activity_counts_as_a_normal_cut_off_at_what_it_has_worked() -> None:
    """Against samples: with the sizes fixed by infinite strengths but the site's, one rate is shared by all."""
    types = types_of(1)
    before = learn(types, took([0, 0], [1.2, 1.4]))
    random = np.random.default_rng(8)
    rates = before.mean[0] + before.spread_of_mean[0] * random.standard_normal(400_000)
    kept = rates[rates + before.single[0] * random.standard_normal(400_000) > np.log(1.9)]

    after = learn(types, took([0, 0, 0], [1.2, 1.4, 1.9], running=[2]))

    assert after.mean[0] == pytest.approx(kept.mean(), abs=0.005)
    assert after.spread_of_mean[0] == pytest.approx(kept.std(), abs=0.005)


def test_weights_count() -> None:
    types = types_of(2)
    history = took([0, 1], [2.0, 1.0])

    light, heavy = (
        learn(types, History(history.step, history.planned, history.actual, history.finished, np.array([weight, 1.0])))
        for weight in (0.2, 5.0)
    )

    assert heavy.mean[0] > light.mean[0] + 0.1


def test_what_was_entered_in_one_go_or_planned_to_take_no_time_is_left_out_and_counted() -> None:
    types = types_of(2)
    history = took([0, 0, 1, 1], [1.3, 0.001, 0.0, 1.0])
    history.planned[3] = 0.0

    learned = learn(types, history)

    assert learned.left_out == 3
    assert learned.observations.tolist() == [1, 0]
    assert learned.mean == pytest.approx(learn(types, took([0], [1.3])).mean)


def test_wrong_observation_is_named() -> None:
    types = types_of(2)
    ok = took([0, 1], [1.0, 1.0])
    one = np.ones(2)

    for history, said in (
        (took([0, 2], [1.0, 1.0]), "observation 1 has an unknown step type; there are 2"),
        (took([0, 1], [1.0, -1.0]), "observation 1 has a value of actual that is not zero or more"),
        (took([0, 1], [float("nan"), 1.0]), "observation 0 has a value of actual"),
        (History(ok.step, np.full(1, DAY), ok.actual, ok.finished), "2 observations have 1 of planned"),
        (History(ok.step, ok.planned, ok.actual, ok.finished, weight=one * 0), "observation 0 has no weight"),
        (
            History(ok.step, ok.planned, ok.actual, ok.finished, turn=one * 0),
            "observation 0 has a turn before the first",
        ),
    ):
        with pytest.raises(InputError, match=said):
            learn(types, history)


@pytest.mark.parametrize(
    "values", [{"n0": 0.0}, {"n0": float("nan")}, {"trade": -0.1}, {"site": 3.0}, {"practice": 9.0}]
)
def test_strength_that_is_none_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Strengths(**values)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.floats(1e-3, 1e3), st.booleans()), max_size=30),
    st.sampled_from([Strengths(), Strengths(n0=1e9, trade=0.0, site=0.0), Strengths(n0=0.01, trade=2.0, site=2.0)]),
)
def test_any_record_has_rates_that_are_numbers(rows: list[tuple[int, float, bool]], strengths: Strengths) -> None:
    running = [place for place, row in enumerate(rows) if not row[2]]
    history = took([row[0] for row in rows], [row[1] for row in rows], running=running, turn=[1] * len(rows))

    learned = learn(types_of(5, trades=2), history, strengths)

    assert np.isfinite(learned.mean).all()
    assert np.isfinite(learned.spread_of_mean).all()
    assert np.abs(learned.mean).max() < 10
