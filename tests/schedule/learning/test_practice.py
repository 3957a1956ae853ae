"""Work that gets quicker from pod to pod."""

from __future__ import annotations

import numpy as np
import pytest

from steps.errors import InputError
from steps.schedule.learning.history import History
from steps.schedule.learning.learn import learn
from steps.schedule.learning.outlook import outlook
from steps.schedule.learning.strengths import Strengths
from steps.schedule.risk.spreads import three_points
from tests.schedule.learning.histories import DAY, took, types_of

STEPS, PODS = 40, 6


def quicker(factor: float) -> History:
    """Return six pods in which each doubling multiplies durations by `factor`, with rates and days of their own."""
    random = np.random.default_rng(9)
    types = types_of(STEPS)
    turn = np.repeat(np.arange(1, PODS + 1), STEPS)
    step = np.tile(np.arange(STEPS), PODS)
    log_ratio = 0.3 * random.standard_normal(STEPS)[step] + types.spread[0] * random.standard_normal(len(step))
    ratio = np.exp(log_ratio) * factor ** np.log2(turn)
    return took(list(step), list(ratio), turn=list(turn))


@pytest.mark.parametrize("factor", [0.9, 1.0, 1.05])
def test_what_each_doubling_does_is_found(factor: float) -> None:
    learned = learn(types_of(STEPS), quicker(factor))

    assert learned.practice.slope == pytest.approx(np.log(factor), abs=2.5 * learned.practice.spread)
    assert learned.practice.spread < 0.025


def test_practice_is_learned_only_from_turns_and_if_it_is_wanted() -> None:
    history = quicker(0.9)
    without_turns = History(history.step, history.planned, history.actual, history.finished)

    assert learn(types_of(STEPS), without_turns).practice.slope == 0.0
    assert learn(types_of(STEPS), history, Strengths(practice=0.0)).practice.slope == 0.0


def test_later_turns_are_forecast_quicker() -> None:
    learned = learn(types_of(STEPS), quicker(0.9))
    planned = three_points([0.6 * DAY] * 2, [DAY] * 2, [1.8 * DAY] * 2)

    found = outlook(learned, planned, np.zeros(2, np.int32), turn=np.array([8.0, 16.0]))

    assert found.estimates.likely[1] / found.estimates.likely[0] == pytest.approx(np.exp(learned.practice.slope))


def test_turns_that_are_missing_or_before_the_first_are_refused() -> None:
    learned = learn(types_of(STEPS), quicker(0.9))
    planned, step = three_points([0.6 * DAY], [DAY], [1.8 * DAY]), np.zeros(1, np.int32)

    with pytest.raises(InputError, match="the turns of what remains are missing"):
        outlook(learned, planned, step)
    with pytest.raises(InputError, match="row 0 has the turn 0"):
        outlook(learned, planned, step, turn=np.zeros(1))
