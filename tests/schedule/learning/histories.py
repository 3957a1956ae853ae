"""Step types and histories that are made up for the tests of learning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from schedule.learning.history import History
from schedule.learning.step_types import StepTypes, step_types
from schedule.risk.spreads import three_points

DAY = 1440.0


def types_of(number: int, trades: int = 1) -> StepTypes:
    """Return step types of 0.6, 1 and 1.8 days; trades in turn."""
    points = three_points(np.full(number, 0.6 * DAY), np.full(number, DAY), np.full(number, 1.8 * DAY))
    return step_types([f"S{k}" for k in range(number)], points, [f"T{k % trades}" for k in range(number)])


def took(
    step: Sequence[int], ratio: Sequence[float], *, running: Sequence[int] = (), turn: Sequence[int] = ()
) -> History:
    """Return activities of a day that took `ratio` days; those with the positions `running` are not finished yet."""
    finished = np.ones(len(step), np.bool_)
    finished[list(running)] = False
    return History(
        np.array(step, np.int32),
        np.full(len(step), DAY),
        np.array(ratio, np.float64) * DAY,
        finished,
        turn=np.array(turn, np.float64) if turn else None,
    )


def nothing() -> History:
    """Return a history in which nothing has happened."""
    return took([], [])
