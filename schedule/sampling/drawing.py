"""Durations of samples in slots: the draws of `risk`, rounded up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedule.crews.slots import LAG, Slotted
from schedule.risk.draws_numba import durations_of
from schedule.risk.model import RiskModel


def slots_of(model: RiskModel, slotted: Slotted, seed: int, group: int) -> NDArray[np.int64]:
    """Return the slots of each activity in each sample of a group; shape (LANES, activities of the problem).

    Lags last as long in every sample, and what is done lasts no time.
    """
    minutes = durations_of(model, seed, group)
    drawn = np.flatnonzero(slotted.row != LAG)
    lanes = np.repeat(slotted.problem.duration[None, :], minutes.shape[1], axis=0)
    numbers = model.network.numbers.number[slotted.row[drawn]]
    lanes[:, drawn] = -(-minutes[numbers] // slotted.slot_minutes).T
    return lanes
