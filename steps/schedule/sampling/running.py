"""Runs: groups of samples are drawn, and placed by as many threads as there are.

A sample is a function of seed and number, and so is its schedule. The same bits come from any number of threads, from
machine code and plain Python, and from a run that is longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from steps.errors import InputError
from steps.schedule.cpm.shifts import Minutes
from steps.schedule.levelling.compiled import FAST, Ints, copied, native, numbers
from steps.schedule.levelling.horizon import first_horizon
from steps.schedule.levelling.serial import TOO_LONG, ordered
from steps.schedule.risk.model import RiskModel
from steps.schedule.risk.philox import LANES
from steps.schedule.risk.running import RiskResult, check_run
from steps.schedule.sampling.drawing import slots_of
from steps.schedule.sampling.lanes import Memory, place_lanes
from steps.schedule.sampling.memory import memory_for, site_for
from steps.schedule.sampling.slots import Slotted

PART = 16
"""A thread takes so many samples at once."""


def levelled_samples(
    model: RiskModel,
    slotted: Slotted,
    levelled_start: Minutes,
    targets: Sequence[int],
    *,
    seed: int,
    samples: int,
    threads: int = 1,
    chains: bool = False,
) -> RiskResult:
    """Return samples of the finishes of targets with the crews that there are.

    Args:
        model: the network, and what is uncertain.
        slotted: the same network in slots, with the same start and progress.
        levelled_start: the slot in which each activity of the problem starts in the levelled plan. In every sample, what starts
            earlier there is placed earlier.
        targets: rows of milestones.
        seed: as of the samples without crews. Equal seeds have equal durations.
        samples: how many.
        threads: of machine code; plain Python takes one. The result does not depend on it.
        chains: whether to count in how many samples each activity drives each target, by links and by crews.

    """
    check_run(model, targets, seed, samples, threads)
    run = _Run(slotted, levelled_start, targets, threads, chains=chains)
    found = np.empty((len(targets), samples), np.int64)
    for first in range(0, samples, LANES):
        lanes = min(LANES, samples - first)
        slots = slots_of(model, slotted, seed, first // LANES)[:lanes]
        while (left := run.place(slots)) is not None:
            if slotted.problem.calendars:
                raise _left(model, slotted, first + left.lane, left.activity)
            run.lay_out(2 * run.horizon)
        found[:, first : first + lanes] = run.finishes(lanes)
    minutes = found * slotted.slot_minutes + slotted.origin
    return RiskResult(tuple(targets), minutes, run.on_chain() if chains else None, enough=False)


class _Left(NamedTuple):
    """What did not fit into the horizon."""

    lane: int
    activity: int


class _Run:
    """The memories of the threads, and what the samples of one group came to."""

    def __init__(
        self, slotted: Slotted, levelled_start: Minutes, targets: Sequence[int], threads: int, *, chains: bool
    ) -> None:
        self.problem = slotted.problem
        own = np.flatnonzero(slotted.row >= 0)
        self.activity_of = own[np.argsort(slotted.row[own])]
        self.targets = native(self.activity_of[np.asarray(targets, np.int64)])
        self.chains = len(targets) if chains else 0
        self.counted = np.zeros(self.chains * self.problem.count, np.int64)
        self.threads = threads if FAST else 1
        self.out = numbers(LANES * len(targets), 0)
        self.lay_out(first_horizon(self.problem))
        self.order = _order(self.memories[0], levelled_start)

    def lay_out(self, horizon: int) -> None:
        """Make place for schedules of up to `horizon` slots."""
        self.horizon = horizon
        self.site = site_for(self.problem, horizon)
        self.memories = [memory_for(self.problem, self.site, self.chains) for _ in range(self.threads)]

    def place(self, slots: NDArray[np.int64]) -> _Left | None:
        """Place samples with the durations in the rows of `slots`, and return the first activity that does not fit."""
        flat, lanes = native(slots.ravel()), len(slots)
        parts = count(0, PART)

        def work(memory: Memory) -> int:
            """Take parts until none are left; return the least place in `flat` of what did not fit."""
            least = TOO_LONG
            while (first := next(parts)) < lanes:
                last = min(first + PART, lanes)
                left = place_lanes(self.site, memory, self.order, self.targets, flat, first, last, self.out)
                least = min(least, left)
            return least

        with ThreadPoolExecutor(self.threads) as pool:
            least = min(pool.map(work, self.memories))
        if least != TOO_LONG:
            return _Left(*divmod(least, slots.shape[1]))
        for memory in self.memories if self.chains else ():
            self.counted += np.array(memory.on_chain, np.int64)
            memory.on_chain[:] = numbers(len(self.counted), 0)
        return None

    def finishes(self, lanes: int) -> NDArray[np.int64]:
        """Return the finishes of the targets in the last samples placed, in slots; shape (targets, lanes)."""
        return np.array(self.out, np.int64).reshape(LANES, -1)[:lanes].T

    def on_chain(self) -> Minutes:
        """Return in how many samples each activity drives each target; shape (targets, rows)."""
        return self.counted.reshape(self.chains, -1)[:, self.activity_of]


def _order(memory: Memory, levelled_start: Minutes) -> Ints:
    """Return the activities by levelled start, ties by number, later ones after all that they wait for."""
    tables, room = memory.tables, memory.room
    keys = native(np.asarray(levelled_start))
    for a in range(len(keys)):
        room.keys[a] = keys[a]
    ordered(tables, room.keys, room)
    return copied(room.order)


def _left(model: RiskModel, slotted: Slotted, sample: int, activity: int) -> InputError:
    row = int(slotted.row[activity])
    what = f"activity {model.network.activities.names[row]!r}" if row >= 0 else "a lag"
    return InputError(
        f"the work of sample {sample + 1} does not fit into its calendars: {what} would finish after their end",
        hint="let the calendars go on for longer, or look for a duration that is far too long",
    )
