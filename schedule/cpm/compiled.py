"""A network that is numbered once and solved as often as wanted: with other durations, other progress, another target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from schedule.cpm.circle import circle
from schedule.cpm.clock import Clock
from schedule.cpm.columns import (
    NONE,
    Activities,
    Actuals,
    Links,
    as_columns,
    check_actuals,
    check_columns,
    int_column,
)
from schedule.cpm.numbering import Numbering, depths, loop, numbering, stretches
from schedule.cpm.packing import Tables, pack, steps
from schedule.cpm.passes import backward, forward
from schedule.cpm.progress import states
from schedule.cpm.shifts import HINT, Indices, Minutes, ShiftCalendar
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import FREE, Early, Late, LeftCalendarError, Wires, Work, wires
from schedule.errors import InputError


@dataclass(frozen=True, eq=False)
class CompiledNetwork:
    """A numbered network. Columns that go in and come out are by row; inside, everything is by number."""

    activities: Activities
    links: Links
    calendars: tuple[ShiftCalendar, ...]
    numbers: Numbering
    into: Wires
    """Links by successor."""
    out: Wires
    """Links by predecessor."""
    clock: Clock

    def solve(
        self,
        *,
        start: int = 0,
        durations: Minutes | None = None,
        actuals: Actuals | None = None,
        target: int | None = None,
    ) -> Solution:
        """Return all dates.

        Args:
            start: no activity starts before it, and none that has not started before the data date of `actuals`.
            durations: minutes by row, instead of those that the network was compiled with.
            actuals: what has happened.
            target: the row whose finish ends the project; None for the last finish of all. What finishes later than the
                target ends it for itself.

        """
        try:
            work = self._work(start, durations, actuals)
            early = self.forward(work)
            number = None if target is None else int(self.numbers.number[target])
            finish = int(early.finish.max(initial=start) if number is None else early.finish[number])
            late = backward(self.out, work, self._cap(early.finish, finish), early, self.tables)
        except LeftCalendarError as left:
            raise self.left(left) from None
        return Solution(self, work, early, late, finish, actuals)

    def forward(self, work: Work) -> Early:
        """Return early dates by number, or raise LeftCalendarError."""
        return forward(self.into, work, self.tables)

    def need_by(self, solution: Solution, target: int, *, at: int | None = None) -> Minutes:
        """Return by row the last instant at which each activity may finish so that `target` finishes at its early finish.

        NONE where the target does not wait for the activity. `at` is the instant to keep instead of the early finish.
        """
        late = self.late_for(solution, target, at=at).finish
        by_number = np.where(late == FREE, NONE, late)
        return by_number[self.numbers.number]

    def late_for(self, solution: Solution, target: int, *, at: int | None = None) -> Late:
        """Return the late dates by number that one target asks for, FREE where it asks for none."""
        number = int(self.numbers.number[target])
        cap = np.full(len(self.activities), FREE)
        cap[number] = solution.early.finish[number] if at is None else at
        try:
            return backward(self.out, solution.work, cap, solution.early, self.tables)
        except LeftCalendarError as left:
            raise self.left(left) from None

    @property
    def tables(self) -> Tables:
        """The calendars as the passes read them."""
        return self.clock.tables

    @cached_property
    def _calendar(self) -> Indices:
        return np.ascontiguousarray(self.activities.calendar[self.numbers.order], np.int32)

    @cached_property
    def _duration(self) -> Minutes:
        return np.asarray(self.activities.duration[self.numbers.order])

    @cached_property
    def _no_earlier(self) -> Minutes | None:
        return None if self.activities.no_earlier is None else self.activities.no_earlier[self.numbers.order]

    @cached_property
    def _no_later(self) -> Minutes | None:
        return None if self.activities.no_later is None else self.activities.no_later[self.numbers.order]

    def _work(self, start: int, durations: Minutes | None, actuals: Actuals | None) -> Work:
        number = len(self.activities)
        duration = self._duration if durations is None else self._other(durations)
        floor = start if actuals is None else max(start, actuals.data_date)
        earliest = np.full(number, floor, np.int64)
        if self._no_earlier is not None:
            earliest = np.maximum(earliest, self._no_earlier)
        nothing = np.zeros(number, np.uint8)
        work = Work(self._calendar, duration, earliest, earliest, nothing, override=False)
        if actuals is None:
            return work
        check_actuals(self.activities, actuals)
        return states(work, actuals, self.numbers.order, self.clock)

    def _other(self, durations: Minutes) -> Minutes:
        checked = replace(self.activities, duration=int_column(durations))
        wrong = checked.duration < 0
        if len(checked.duration) != len(self.activities) or wrong.any():
            check_columns(checked, self.links, self.calendars)
        return np.asarray(checked.duration[self.numbers.order])

    def _cap(self, finishes: Minutes, finish: int) -> Minutes:
        cap = np.maximum(finishes, finish)
        return cap if self._no_later is None else np.where(self._no_later == NONE, cap, np.minimum(cap, self._no_later))

    def left(self, left: LeftCalendarError) -> InputError:
        """Return the error for an instant outside a calendar, by the names of activity and calendar."""
        name = self.activities.names[int(self.numbers.order[left.number])]
        calendar = self.calendars[left.calendar].name
        return InputError(f"dates of activity {name!r} are outside calendar {calendar!r}", hint=HINT)


def compile_network(activities: Activities, links: Links, calendars: Sequence[ShiftCalendar]) -> CompiledNetwork:
    """Return the network ready to be solved, or InputError for the first thing that is wrong, a loop by its names."""
    activities, links = as_columns(activities, links)
    check_columns(activities, links, calendars)
    numbers = numbering(depths(links, len(activities)))
    if len(numbers.left):
        raise circle([activities.names[row] for row in loop(links, numbers.left)])
    by_successor = stretches(numbers.number[links.after], len(activities))
    by_predecessor = stretches(numbers.number[links.before], len(activities))
    return CompiledNetwork(
        activities,
        links,
        tuple(calendars),
        numbers,
        wires(links, numbers, by_successor, far=links.before),
        wires(links, numbers, by_predecessor, far=links.after),
        Clock(pack(calendars), *steps(calendars)),
    )
