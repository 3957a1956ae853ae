"""Improves a levelled schedule window by window with CP-SAT, and counts the windows that are proven to allow nothing shorter.

CP-SAT is slow on large problems and fast on some hundred activities. So windows in time are handed to it, one after another, each over half of
the one before. A proof is of a window, not of the schedule: what comes before and after the window stays.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.cp_sat.window import Outcome, window_at
from benchmarks.cp_sat.window_model import solved
from schedule.levelling.candidates import keeps
from schedule.levelling.compiled import copied, native, numbers
from schedule.levelling.horizon import finishes
from schedule.levelling.justify import justified, settled
from schedule.levelling.problem import Problem
from schedule.levelling.result import Levelled
from schedule.levelling.room import room_for
from schedule.levelling.serial import again
from schedule.levelling.tables import lay_out

Array = NDArray[np.int64]

WINDOWS = 60
"""How many windows are looked at, at most."""
FULL = 2
"""CP-SAT is not handed windows with more than so many times as many activities as asked for."""
PUSHES = 20
"""How many schedules are made at most to push a shorter schedule to and fro."""


@dataclass(frozen=True)
class WindowSearch:
    """What came out of the windows."""

    levelled: Levelled
    most: int
    """About how many activities a window has."""
    windows: int
    """How many windows were looked at."""
    shorter: int
    """How many made the schedule shorter."""
    proven: int
    """How many are proven to allow no shorter schedule."""
    left_open: int
    """How many CP-SAT did not decide within its work."""
    too_full: int
    """How many places had more activities in progress than a window has."""


def in_windows(
    problem: Problem, found: Levelled, *, most: int = 100, work: float = 1.0, windows: int = WINDOWS
) -> WindowSearch:
    """Return a schedule that is not later than `found`, and what the windows showed.

    Windows have about `most` activities. `work` is CP-SAT's deterministic time for one, about seconds of one core.
    """
    if found.proven:
        return WindowSearch(found, most, 0, 0, 0, 0, 0)
    pass_over = _Pass(problem, found, most, work)
    counts: Counter[Outcome] = Counter()
    while counts.total() < windows and not pass_over.done:
        outcome = pass_over.step()
        if outcome is not None:
            counts[outcome] += 1
    levelled = replace(found, bound=pass_over.bound)
    if pass_over.length < found.length:
        start, finish = pass_over.start, pass_over.finish
        levelled = replace(levelled, start=start, finish=finish, length=pass_over.length, method="CP-SAT in windows")
    looked_at = counts.total() - counts[Outcome.FULL]
    return WindowSearch(levelled, most, looked_at, *(counts[outcome] for outcome in Outcome))


class _Pass:
    """One pass over the windows of a schedule, from its first slot to its last; it begins again where one made it shorter."""

    def __init__(self, problem: Problem, found: Levelled, most: int, work: float) -> None:
        self.problem, self.found, self.most, self.work = problem, found, most, work
        self.start, self.finish = found.start.copy(), found.finish.copy()
        self.bound = found.bound
        self.forward, self.mirror = lay_out(problem, found.length)
        self.ahead, self.back = room_for(self.forward), room_for(self.mirror)
        self.slot = 0
        self.late = self._pushed_right()

    @property
    def length(self) -> int:
        """The last finish."""
        return int(self.finish.max(initial=0))

    @property
    def done(self) -> bool:
        """Whether the pass is at its end, or no schedule can be shorter."""
        return self.slot >= self.length or self.length <= self.bound

    def step(self) -> Outcome | None:
        """Return what came out of the window at the present slot, None if nothing is free there; go on to the next."""
        window = window_at(self.problem, self.start, self.late, self.slot, self.most)
        if window is None or len(window.free) > FULL * self.most:
            self.slot += max(1, self.length // WINDOWS)
            return None if window is None else Outcome.FULL
        outcome, start = solved(window, work=self.work, seed=self.found.seed)
        if outcome is Outcome.SHORTER:
            self._keep(start)
        elif outcome is Outcome.PROVEN and window.is_whole:
            self.bound = self.length
        else:
            self.slot = max(self.slot + 1, (self.slot + window.last) // 2)
        return outcome

    def _pushed_right(self) -> Array:
        """Return the starts of the schedule pushed to the right, so that it would end one slot earlier.

        They are below 0 where that would be too early, also of what is not placed at all.
        """
        horizon = self.forward.horizon
        start, finish = numbers(self.problem.count, 0), numbers(self.problem.count, 2 * horizon)
        again(self.mirror, native(self.finish), horizon - (self.length - 1), self.back, start, finish)
        return np.asarray(horizon - np.array(finish, np.int64)[::-1])

    def _keep(self, start: Array) -> None:
        """Take a shorter schedule, push it to and fro, and begin again."""
        if not keeps(self.problem, start, self.forward.horizon):
            raise RuntimeError("CP-SAT placed a window so that the schedule does not keep the problem")
        begin, end = native(start), native(finishes(self.problem, start))
        justified(self.forward, self.mirror, self.ahead, self.back, begin, end, max(end), PUSHES)
        pushed, until = copied(begin), copied(end)
        if settled(self.forward, self.ahead, pushed, until, PUSHES) <= max(end):
            begin, end = pushed, until
        self.start, self.finish = np.array(begin, np.int64), np.array(end, np.int64)
        self.slot = 0
        self.late = self._pushed_right()
