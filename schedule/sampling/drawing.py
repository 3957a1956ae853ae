"""Durations of samples in slots: the draws of `risk`, rounded up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Minutes
from schedule.crews.slots import LAG, SLOT, Slotted
from schedule.risk.draws import durations_of
from schedule.risk.model import RiskModel


def slots_of(model: RiskModel, slotted: Slotted, seed: int, group: int) -> NDArray[np.int64]:
    """Return the slots of each activity in each sample of a group; shape (LANES, activities of the problem).

    Lags last as long in every sample, and what is done lasts no time.
    """
    return in_slots(model, slotted, durations_of(model, seed, group))


def in_slots(model: RiskModel, slotted: Slotted, minutes: Minutes) -> NDArray[np.int64]:
    """Return minutes by number and sample as slots, rounded up; shape (samples, activities of the problem)."""
    drawn = np.flatnonzero(slotted.row != LAG)
    lanes = np.repeat(slotted.problem.duration[None, :], minutes.shape[1], axis=0)
    numbers = model.network.numbers.number[slotted.row[drawn]]
    lanes[:, drawn] = -(-minutes[numbers] // SLOT).T
    return lanes
