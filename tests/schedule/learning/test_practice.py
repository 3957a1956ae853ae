"""Work that gets quicker from pod to pod."""

from __future__ import annotations

import numpy as np
import pytest

from schedule.errors import InputError
from schedule.learning.history import History
from schedule.learning.learn import learn
from schedule.learning.outlook import outlook
from schedule.learning.strengths import Strengths
from schedule.risk.spreads import three_points
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


def test_a_step_seen_in_the_first_pod_alone_is_known_less_well_for_the_last_than_one_seen_in_eight() -> None:
    """What practice does is one number for all steps, and weighs by how far ahead of what was seen a forecast looks."""
    history = took([0] * 8 + [1] * 8 + [2], [1.0] * 17, turn=[*range(1, 9), *range(1, 9), 1])
    planned, step = three_points([0.6 * DAY] * 2, [DAY] * 2, [1.8 * DAY] * 2), np.array([0, 2], np.int32)

    found = outlook(learn(types_of(3), history), planned, step, turn=np.full(2, 16.0))

    practice = {driver.name: driver for driver in found.drivers if driver.name.startswith("practice")}
    often, once = (np.log(practice[f"practice, step S{step}"].multiplier.high) for step in (0, 2))
    seen = np.mean(np.log2(np.arange(1, 9)))
    assert once / often == pytest.approx(4 / (4 - seen))
    assert {driver.luck for driver in practice.values()} == {"practice"}


def test_work_that_still_runs_keeps_crews_from_seeming_quicker() -> None:
    """Of the last pod only what went quickly is finished: the rest has taken longer already."""
    half, steps = STEPS // 2, list(range(STEPS))
    ratios, turns = [1.0] * STEPS + [0.7] * half, [1] * STEPS + [2] * half
    rest = range(STEPS + half, 2 * STEPS)

    alone = learn(types_of(STEPS), took([*steps, *steps[:half]], ratios, turn=turns)).practice
    with_the_rest = learn(
        types_of(STEPS), took([*steps, *steps], [*ratios, *[1.4] * half], running=rest, turn=[*turns, *[2] * half])
    ).practice

    assert alone.slope < -0.05
    assert with_the_rest.slope > alone.slope / 2
    assert with_the_rest.spread < alone.spread


def test_days_that_scatter_more_than_the_catalog_says_leave_practice_less_known() -> None:
    random = np.random.default_rng(3)
    steps, turns = [*range(STEPS)] * PODS, np.repeat(np.arange(1, PODS + 1), STEPS).tolist()
    days = types_of(STEPS).spread[0] * random.standard_normal(STEPS * PODS)

    calm, wild = (learn(types_of(STEPS), took(steps, list(np.exp(by * days)), turn=turns)) for by in (1.0, 2.0))

    assert wild.practice.spread == pytest.approx(2 * calm.practice.spread, rel=0.2)
