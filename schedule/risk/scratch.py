"""What a run asks of a sampler, and the memory in which a thread works: it does not grow with the number of samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Indices
from schedule.risk.model import RiskModel
from schedule.risk.philox import LANES


class Targets(NamedTuple):
    """The numbers of the targets, and how many samples count: those from `samples` on are drawn to fill a group."""

    numbers: Indices
    samples: int


class Scratch(NamedTuple):
    """One row an activity, one column a lane of a group; no row where something is not needed."""

    multipliers: NDArray[np.float64]
    """What each driver multiplies by."""
    starts: NDArray[np.int64]
    """Kept if a link leaves the start of an activity."""
    finishes: NDArray[np.int64]
    driving: NDArray[np.int32]
    """The position of the link that drives, -1 if none does; kept if chains are wanted."""


def scratch(model: RiskModel, *, chains: bool) -> Scratch:
    """Return the memory for one thread."""
    activities = len(model.course.calendar)
    return Scratch(
        np.empty((len(model.drivers), LANES), np.float64),
        np.empty((activities if model.needs_starts else 0, LANES), np.int64),
        np.empty((activities, LANES), np.int64),
        np.empty((activities if chains else 0, LANES), np.int32),
    )
