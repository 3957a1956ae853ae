"""What the sampler asks of a network in slots."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from steps.schedule.levelling.problem import Problem


class Slotted(Protocol):
    """A compiled network as a levelling problem."""

    @property
    def problem(self) -> Problem:
        """The problem. Its durations are not used, but for lags and for what is fixed."""

    @property
    def slot_minutes(self) -> int:
        """How long a slot is."""

    @property
    def origin(self) -> int:
        """The minute of the network at which slot 0 begins."""

    @property
    def row(self) -> NDArray[np.int64]:
        """The network's row of each activity of the problem, -1 for a lag."""
