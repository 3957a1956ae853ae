"""The CP-SAT model of one window (extra `[opt]`).

Time is counted in the open slots of an activity's calendar. So an activity has one length, however often it is interrupted. Where all
activities that hold a resource have one calendar, the resource is counted in that calendar's slots, too. Where they have not, an activity
with breaks holds it in pieces, one for each stretch of open slots.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from benchmarks.cp_sat.window import Outcome, Window
from schedule.levelling.problem import CONTINUOUS, NOT_FIXED
from schedule.levelling.tables import free_levels, take

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Array = NDArray[np.int64]


def solved(window: Window, *, work: float, seed: int) -> tuple[Outcome, Array]:
    """Return what CP-SAT found out, and the starts: those of the window's schedule where it is not shorter.

    `work` is CP-SAT's deterministic time, about seconds of one core.
    """
    from ortools.sat.python import cp_model

    start = window.start.copy()
    built = _WindowModel(window, cp_model.CpModel())
    if not built.add():
        return Outcome.PROVEN, start
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.max_deterministic_time = work
    status = solver.solve(built.model)
    if status == cp_model.INFEASIBLE:
        return Outcome.PROVEN, start
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Outcome.OPEN, start
    for a, place in built.place.items():
        start[a] = built.axis(a)[solver.value(place)]
    return Outcome.SHORTER, start


class _WindowModel:
    """The model of a window: `place` is the number of the open slot, from the window's first one on, in which an activity starts."""

    def __init__(self, window: Window, model: cp_model.CpModel) -> None:
        self.window, self.problem, self.model = window, window.problem, model
        self.place: dict[int, cp_model.IntVar] = {}
        everything = np.arange(window.first, window.last)
        self.axes = {CONTINUOUS: everything}
        for number, opened in enumerate(self.problem.calendars):
            self.axes[number] = everything[np.asarray(opened[window.first : window.last], bool)]

    def calendar(self, a: int) -> int:
        """Return the calendar that counts: what takes no time has none."""
        return int(self.problem.calendar[a]) if self.problem.duration[a] else CONTINUOUS

    def axis(self, a: int) -> Array:
        """Return the slots in which an activity may work; what takes no time may be at the end of the window, too."""
        if not self.problem.duration[a]:
            return np.arange(self.window.first, self.window.last + 1)
        return self.axes[self.calendar(a)]

    def add(self) -> bool:
        """Fill the model; return False if an activity has no place at all."""
        low, high = self._limits()
        for a in self.window.free.tolist():
            if low[a] > high[a]:
                return False
            self.place[a] = self.model.new_int_var(low[a], high[a], f"p{a}")
            self.model.add_hint(self.place[a], min(max(self._number(a, int(self.window.start[a])), low[a]), high[a]))
        self._add_links()
        for resource in range(len(self.problem.capacities)):
            self._add_resource(resource)
        return True

    def _number(self, a: int, slot: int) -> int:
        """Return the number of the first slot of an activity's axis from a slot on."""
        return int(np.searchsorted(self.axis(a), slot))

    def _limits(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return the first and the last place of each activity, by release and by links from and to what stays."""
        problem, links = self.problem, self.problem.links
        free = set(self.window.free.tolist())
        low = {a: self._number(a, int(problem.release[a])) for a in free}
        high = {a: len(self.axis(a)) - max(int(problem.duration[a]), 1) for a in free}
        start, finish = self.window.start, self.window.finish
        rows = np.flatnonzero(np.isin(links.before, self.window.free) != np.isin(links.after, self.window.free))
        for row in rows.tolist():
            before, after, gap = int(links.before[row]), int(links.after[row]), int(links.gap[row])
            if after in free:
                instant = int(finish[before] if links.from_finish[row] else start[before]) + gap
                low[after] = max(low[after], self._first_place(after, instant, by_finish=bool(links.to_finish[row])))
            elif problem.fixed[after] == NOT_FIXED:
                instant = int(finish[after] if links.to_finish[row] else start[after]) - gap
                high[before] = min(
                    high[before], self._last_place(before, instant, by_finish=bool(links.from_finish[row]))
                )
        return low, high

    def _first_place(self, a: int, instant: int, *, by_finish: bool) -> int:
        length = int(self.problem.duration[a])
        return self._number(a, instant - 1) - length + 1 if by_finish and length else self._number(a, instant)

    def _last_place(self, a: int, instant: int, *, by_finish: bool) -> int:
        length = int(self.problem.duration[a])
        return self._number(a, instant) - length if by_finish and length else self._number(a, instant + 1) - 1

    def _add_links(self) -> None:
        links = self.problem.links
        rows = np.flatnonzero(np.isin(links.before, self.window.free) & np.isin(links.after, self.window.free))
        for row in rows.tolist():
            before, after, gap = int(links.before[row]), int(links.after[row]), int(links.gap[row])
            from_finish, to_finish = bool(links.from_finish[row]), bool(links.to_finish[row])
            follows = from_finish and not to_finish and gap == 0 and min(self.problem.duration[[before, after]]) > 0
            if follows and self.calendar(before) == self.calendar(after):
                self.model.add(self.place[after] >= self.place[before] + int(self.problem.duration[before]))
            else:
                self.model.add(self._instant(after, to_finish) >= self._instant(before, from_finish) + gap)

    def _instant(self, a: int, of_finish: bool) -> cp_model.LinearExprT:
        """Return the start or the finish of an activity, in slots."""
        length = int(self.problem.duration[a])
        if self.calendar(a) == CONTINUOUS:
            return self.place[a] + self.window.first + (length if of_finish else 0)
        return self._ends(a)[1 if of_finish else 0]

    def _ends(self, a: int) -> tuple[cp_model.IntVar, cp_model.IntVar]:
        """Return variables for start and finish of an activity with breaks, made once."""
        if a not in self._known_ends:
            axis, length = self.axis(a), int(self.problem.duration[a])
            starts, ends = axis[: len(axis) - length + 1], axis[length - 1 :] + 1
            start = self.model.new_int_var(self.window.first, self.window.last, f"s{a}")
            end = self.model.new_int_var(self.window.first, self.window.last, f"f{a}")
            self.model.add_element(self.place[a], starts.tolist(), start)
            self.model.add_element(self.place[a], ends.tolist(), end)
            self._known_ends[a] = start, end
        return self._known_ends[a]

    @cached_property
    def _known_ends(self) -> dict[int, tuple[cp_model.IntVar, cp_model.IntVar]]:
        return {}

    @cached_property
    def _levels(self) -> Array:
        """What each resource has in each slot of the window beside what stays."""
        window, problem = self.window, self.problem
        levels = free_levels(problem, window.last)
        stays = (problem.fixed == NOT_FIXED) & (window.finish > window.first) & (window.start < window.last)
        stays[window.free] = False
        take(levels, problem, stays, window.start)
        return np.maximum(levels[:, window.first :], 0)

    def _add_resource(self, resource: int) -> None:
        demands = self.problem.demands
        rows = np.flatnonzero((demands.resource == resource) & np.isin(demands.activity, self.window.free))
        held = {int(demands.activity[row]): int(demands.amount[row]) for row in rows}
        held = {a: amount for a, amount in held.items() if self.problem.duration[a]}
        if not held:
            return
        calendars = {self.calendar(a) for a in held}
        axis = self.axes[calendars.pop()] if len(calendars) == 1 else self.axes[CONTINUOUS]
        intervals, amounts = [], []
        for a, amount in held.items():
            pieces = [self._whole(a)] if len(calendars) == 0 or self.calendar(a) == CONTINUOUS else self._pieces(a)
            intervals += pieces
            amounts += [amount] * len(pieces)
        level = self._levels[resource][axis - self.window.first]
        most = int(level.max(initial=0))
        changes = np.flatnonzero(np.diff(level, prepend=-1)).tolist()
        for begin, end in zip(changes, [*changes[1:], len(level)], strict=True):
            if level[begin] < most:
                intervals.append(self.model.new_fixed_size_interval_var(begin, end - begin, ""))
                amounts.append(most - int(level[begin]))
        self.model.add_cumulative(intervals, amounts, most)

    def _whole(self, a: int) -> cp_model.IntervalVar:
        return self.model.new_fixed_size_interval_var(self.place[a], int(self.problem.duration[a]), "")

    def _pieces(self, a: int) -> list[cp_model.IntervalVar]:
        """Return an interval for the part of an activity in each stretch of open slots; it may be empty."""
        axis, model, window = self.axis(a), self.model, self.window
        breaks = np.flatnonzero(np.diff(axis) > 1) + 1
        found = []
        for begin, end in zip([0, *breaks.tolist()], [*breaks.tolist(), len(axis)], strict=True):
            shift = int(axis[begin]) - window.first - begin
            low = self._between(begin, self.place[a], end)
            high = self._between(begin, self.place[a] + int(self.problem.duration[a]), end)
            size = model.new_int_var(0, end - begin, "")
            found.append(model.new_interval_var(low + shift, size, high + shift, ""))
        return found

    def _between(self, least: int, value: cp_model.LinearExprT, most: int) -> cp_model.IntVar:
        """Return a value, or the limit that it is beyond."""
        at_least = self.model.new_int_var(least, self.window.last, "")
        limited = self.model.new_int_var(least, most, "")
        self.model.add_max_equality(at_least, [least, value])
        self.model.add_min_equality(limited, [most, at_least])
        return limited
