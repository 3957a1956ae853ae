"""What levelling finds: the starts, how good they are, and who waits for what."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from schedule.levelling.problem import Problem
from schedule.levelling.waits import Starts, Wait, waits


@dataclass(frozen=True)
class Levelled:
    """A levelled schedule. Nothing of the problem is changed: `unlevelled` holds the starts without limits."""

    start: Starts
    finish: Starts
    unlevelled: Starts
    length: int
    """The last finish of what was to be as short as possible."""
    bound: int
    """No schedule is shorter."""
    method: str
    """What found the schedule."""
    schedules: int
    """How many schedules were made. The same number and seed lead to the same result on every machine."""
    seed: int
    problem: Problem = field(repr=False)

    @cached_property
    def waits(self) -> tuple[Wait, ...]:
        """Return a wait for each activity that starts later than with unlimited resources."""
        return waits(self.problem, self.start, self.finish, self.unlevelled)

    @property
    def gap(self) -> float:
        """Return by which part of the bound the schedule is longer than the bound, 0 if it is proven to be the shortest."""
        return self.length / self.bound - 1 if self.bound else 0.0

    @property
    def proven(self) -> bool:
        """Return whether no shorter schedule exists."""
        return self.length == self.bound
