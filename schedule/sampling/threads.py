"""The threads that place the samples of a group, and what they found."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Minutes
from schedule.levelling.compiled import Ints, native, numbers
from schedule.levelling.problem import NOT_FIXED, Problem
from schedule.levelling.room import TOO_LONG
from schedule.levelling.serial import ordered
from schedule.risk.philox import LANES
from schedule.sampling.lanes import place_lanes
from schedule.sampling.layout import Memory, laid_out, memory_for

PART = 16
"""A thread takes so many samples at once."""


class Threads:
    """Places groups of samples of one problem."""

    def __init__(
        self,
        problem: Problem,
        horizon: int,
        levelled_start: Minutes,
        targets: NDArray[np.int64],
        threads: int,
        *,
        chains: bool,
    ) -> None:
        """Lay out the problem for schedules of up to `horizon` slots."""
        self.targets = native(targets)
        self.chains = len(targets) if chains else 0
        self.counted = np.zeros(self.chains * problem.count, np.int64)
        self.threads = threads
        self.out = numbers(LANES * len(targets), 0)
        self.lay_out(problem, horizon)
        self.order = _order(self.memories[0], levelled_start)

    def lay_out(self, problem: Problem, horizon: int) -> None:
        """Make place for schedules of up to `horizon` slots."""
        self.horizon = horizon
        self.layout = laid_out(problem, horizon)
        self.memories = [memory_for(self.layout, self.chains) for _ in range(self.threads)]

    def place(self, slots: NDArray[np.int64]) -> int | None:
        """Place samples with the durations in the rows of `slots`; return the first activity that does not fit, if one does not."""
        flat, lanes = native(slots.ravel()), len(slots)
        parts = count(0, PART)
        left: list[int] = []

        def work(memory: Memory) -> None:
            """Take parts until none are left, or something does not fit. Parts are taken in order, so the first that fails is known."""
            while not left and (first := next(parts)) < lanes:
                last = min(first + PART, lanes)
                place = place_lanes(self.layout, memory, self.order, self.targets, flat, first, last, self.out)
                if place != TOO_LONG:
                    left.append(place)

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(work, self.memories))
        if left:
            return min(left) % int(slots.shape[1])
        for memory in self.memories if self.chains else ():
            self.counted += np.array(memory.on_chain, np.int64)
            memory.on_chain[:] = numbers(len(self.counted), 0)
        return None

    def finishes(self, lanes: int) -> NDArray[np.int64]:
        """Return the finishes of the targets in the samples placed last, in slots; shape (targets, lanes)."""
        return np.array(self.out, np.int64).reshape(LANES, -1)[:lanes].T

    def on_chain(self) -> NDArray[np.int64]:
        """Return in how many samples each activity drives each target; shape (targets, activities)."""
        return self.counted.reshape(self.chains, -1)


def _order(memory: Memory, levelled_start: Minutes) -> Ints:
    """Return what is fixed, then the others by levelled start, ties by number, later ones after all that they wait for."""
    tables, room = memory.tables, memory.room
    room.keys[:] = native(np.asarray(levelled_start))
    ordered(tables, room.keys, room)
    fixed = np.array(tables.fixed)[np.array(room.order)] != NOT_FIXED
    return native(np.array(room.order)[np.argsort(~fixed, kind="stable")])
