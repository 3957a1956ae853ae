"""The dates of a network: columns by row, made when they are asked for.

Instants are minutes since the origin, floats minutes of each activity's own calendar. What has happened has its actual dates,
also as late ones, and no float.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from schedule.cpm.clock import Clock
from schedule.cpm.columns import Actuals, Bools
from schedule.cpm.floats import free_floats, near_ends, remaining_starts
from schedule.cpm.numbering import Numbering
from schedule.cpm.shifts import Indices, Minutes
from schedule.cpm.wiring import DONE, Early, Late, LeftCalendarError, Wires, Work, against_order


class Numbered(Protocol):
    """What a solution reads of its network."""

    @property
    def numbers(self) -> Numbering: ...  # noqa: D102 - the class says it
    @property
    def into(self) -> Wires: ...  # noqa: D102 - the class says it
    @property
    def out(self) -> Wires: ...  # noqa: D102 - the class says it
    @property
    def clock(self) -> Clock: ...  # noqa: D102 - the class says it
    def left(self, left: LeftCalendarError) -> Exception: ...  # noqa: D102 - the class says it


@dataclass(frozen=True, eq=False)
class Solution:
    """One solution of a network."""

    network: Numbered
    work: Work
    early: Early
    late: Late
    project_finish: int
    """The finish of the target, or the last of all."""
    actuals: Actuals | None

    @cached_property
    def start(self) -> Minutes:
        """Early starts; the actual start of what has started."""
        return self._by_row(self.early.start)

    @cached_property
    def finish(self) -> Minutes:
        """Early finishes; the actual finish of what is done."""
        return self._with_actuals(self.early.finish)

    @cached_property
    def remaining_start(self) -> Minutes:
        """When what remains of an activity is started: its early start, unless it runs."""
        return self._by_row(self._safely(lambda: remaining_starts(self.work, self.early, self.network.clock)))

    @cached_property
    def late_start(self) -> Minutes:
        """Late starts; of what runs, the late start of what remains."""
        late = self._by_row(self.late.start)
        return np.where(self._done, self.start, late)

    @cached_property
    def late_finish(self) -> Minutes:
        """Late finishes."""
        return self._with_actuals(self.late.finish)

    @cached_property
    def total_float(self) -> Minutes:
        """How long an activity can be delayed before it delays the end of the project; negative where it is too late."""
        return self._by_row(self.late.total_float)

    @cached_property
    def free_float(self) -> Minutes:
        """How long an activity can be delayed before it delays another one."""
        network, clock = self.network, self.network.clock
        return self._by_row(
            self._safely(lambda: free_floats(network.out, self.work, self.early, self.project_finish, clock))
        )

    @cached_property
    def driving_link(self) -> Indices:
        """The row of the link that sets each start, -1 where none does: the latest; of equals the first row."""
        rows = self.network.into.row
        by_number = np.where(self.early.driver >= 0, rows[self.early.driver] if len(rows) else -1, -1)
        return np.asarray(by_number[self.network.numbers.number], np.int32)

    @cached_property
    def out_of_sequence(self) -> Indices:
        """Rows of the links that work did not wait for, in order."""
        into = self.network.into
        early = against_order(into, self.work, before=into.far, after=near_ends(into))
        return np.sort(into.row[early])

    @cached_property
    def _done(self) -> Bools:
        return np.asarray((self.work.state == DONE)[self.network.numbers.number])

    def _by_row(self, column: Minutes) -> Minutes:
        return column[self.network.numbers.number]

    def _with_actuals(self, column: Minutes) -> Minutes:
        by_row = self._by_row(column)
        if self.actuals is None:
            return by_row
        return np.where(self._done, self.actuals.finished, by_row)

    def _safely(self, compute: Callable[[], Minutes]) -> Minutes:
        try:
            return compute()
        except LeftCalendarError as left:
            raise self.network.left(left) from None
