"""What is checked: a solved network, what the caller knows beside it, and the columns that several checks read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from schedule.cpm.columns import NONE, Bools
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.paths import FloatPath, longest_path
from schedule.cpm.shifts import Minutes
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import DONE, OPEN


@dataclass(frozen=True, eq=False)
class Known:
    """What a caller knows beside the network; None where it does not know. Columns are by row of the activities."""

    day: Minutes
    """Working minutes in a day, by calendar."""
    continuing: Bools | None = None
    """What goes on beside the project and is never finished by it (level of effort): no check counts it."""
    loaded: Bools | None = None
    """What has a resource."""
    uncertain: Bools | None = None
    """What has three points."""
    baseline: Minutes | None = None
    """Finishes of the baseline, NONE for what is not in it."""
    due: int | None = None
    """The instant by which the project has to be finished."""
    due_by: str = "the date that has to be kept"
    """What asks for it."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A schedule under check. All columns are by row."""

    network: CompiledNetwork
    solution: Solution
    known: Known
    end: int
    """The row whose finish ends the project."""

    @cached_property
    def counted(self) -> Bools:
        """What is not done, and not continuing."""
        return np.asarray((self._state != DONE) & self.project)

    @cached_property
    def project(self) -> Bools:
        """What is not continuing."""
        continuing = self.known.continuing
        return np.ones(len(self._state), bool) if continuing is None else ~continuing

    @cached_property
    def done(self) -> Bools:
        """What is done."""
        return np.asarray(self._state == DONE)

    @cached_property
    def open(self) -> Bools:
        """What has not begun."""
        return np.asarray(self._state == OPEN)

    @cached_property
    def works(self) -> Bools:
        """What is counted and takes time: no milestone."""
        return np.asarray(self.counted & (self.network.activities.duration > 0))

    @cached_property
    def live(self) -> Bools:
        """Links into what is counted, from what is not continuing."""
        links = self.network.links
        return np.asarray(self.counted[links.after] & self.project[links.before])

    @cached_property
    def day(self) -> Minutes:
        """Working minutes in a day of each activity's calendar."""
        return np.asarray(self.known.day[self.network.activities.calendar])

    @property
    def data_date(self) -> int | None:
        """The data date, None where nothing is known of progress."""
        actuals = self.solution.actuals
        return None if actuals is None else actuals.data_date

    @cached_property
    def due(self) -> Bools | None:
        """What was to be finished by the data date; None without baseline or data date."""
        if self.known.baseline is None or self.data_date is None:
            return None
        baseline = self.known.baseline
        return np.asarray(self.project & (baseline != NONE) & (baseline <= self.data_date))

    @cached_property
    def chain(self) -> FloatPath:
        """The chain that drives the end."""
        return longest_path(self.network, self.solution, target=self.end)

    @cached_property
    def begins(self) -> int:
        """The data date, or the first start."""
        return int(self.solution.start.min()) if self.data_date is None else self.data_date

    @cached_property
    def _state(self) -> Minutes:
        return np.asarray(self.solution.work.state[self.network.numbers.number])


def subject(network: CompiledNetwork, solution: Solution, known: Known, *, end: int | None = None) -> Subject:
    """Return what is to be checked. Without an `end` the last finish ends the project: of equals what comes last by links."""
    if end is None:
        last = np.flatnonzero(solution.finish == solution.finish.max())
        end = int(last[np.argmax(network.numbers.number[last])])
    return Subject(network, solution, known, end)
