"""What levelling finds: the starts, how good they are, and who waits for what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Starts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Wait:
    """Why an activity is later than with unlimited resources."""

    activity: int
    late: int
    """Slots after its unlevelled early start."""
    waited: int
    """Slots after everything that it waits for by its links: so long it waited for a resource itself."""
    resource: int | None
    """The resource that it lacked in the last slot before its start; None if it waited for links alone."""
    holders: tuple[int, ...]
    """The activities that held that resource in that slot. None if the resource was not there at all."""
    driver: int | None
    """The earlier activity whose link sets its earliest start; None if its release does."""


@dataclass(frozen=True)
class Levelled:
    """A levelled schedule. Nothing of the problem is changed: `unlevelled` holds the starts without limits."""

    start: Starts
    finish: Starts
    unlevelled: Starts
    length: int
    """The last finish."""
    bound: int
    """No schedule has an earlier last finish."""
    method: str
    """What found the schedule."""
    schedules: int
    """How many schedules were made. The same number and seed lead to the same result on every machine."""
    seed: int
    waits: tuple[Wait, ...]

    @property
    def gap(self) -> float:
        """Return by which part of the bound the schedule is longer than the bound, 0 if it is proven to be the shortest."""
        return self.length / self.bound - 1 if self.bound else 0.0

    @property
    def proven(self) -> bool:
        """Return whether no shorter schedule exists."""
        return self.length == self.bound
