"""A solved network and what its activities need, as a levelling problem: minutes become slots.

Durations, lags and releases are rounded up to whole slots, so that whatever is found in slots can be kept in minutes. A lag of
working time becomes an activity of its own, without needs. What is done, and when running work began, are fixed instants.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import Bools
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.floats import near_ends
from schedule.cpm.shifts import ALWAYS, Minutes, ShiftCalendar
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import DONE, FROM_START, RUNNING, TO_FINISH, counting
from schedule.levelling.problem import CONTINUOUS, NOT_FIXED, Capacity, Demands, Precedence, Problem

SLOT = 15
"""Minutes in a slot: shifts begin and end on quarters of an hour."""
LAG = -1
"""The row of a lag."""


class Needs(NamedTuple):
    """What is held while work goes on: `amount` of `resource` by the activity in `row`; columns of one length."""

    row: NDArray[np.int64]
    resource: NDArray[np.int64]
    amount: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Slotted:
    """A levelling problem of a network. `row` has the network's row of each activity of the problem, LAG for a lag."""

    problem: Problem
    row: NDArray[np.int64]
    first: int
    """The minute at which slot 0 begins."""

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """The number in the problem of each row of the network."""
        activities = np.flatnonzero(self.row != LAG)
        place = np.empty(len(activities), np.int64)
        place[self.row[activities]] = activities
        return place

    def slots(self, minutes: Minutes) -> NDArray[np.int64]:
        """Return the slots of instants by row of the network; that of a lag is the first one, as nothing is known of it."""
        slots = np.maximum(-(-(minutes[self.row] - self.first) // SLOT), 0)
        return np.where(self.row == LAG, 0, slots)

    def minutes(self, slots: NDArray[np.int64]) -> Minutes:
        """Return the instants at which slots begin, in minutes of the network."""
        return np.asarray(self.first + slots * SLOT)


def slotted(
    network: CompiledNetwork,
    solution: Solution,
    needs: Needs,
    capacities: tuple[Capacity, ...],
    *,
    slots: int,
    group: NDArray[np.int64] | None = None,
) -> Slotted:
    """Return the problem of what is not done in a solution.

    Args:
        network: the solved network.
        solution: its dates, from the data date on.
        needs: by row. What is done, or takes no time, holds nothing.
        capacities: of the resources, by their number.
        slots: how far calendars are laid out; `slots_for` says how far a schedule usually reaches.
        group: the pod or area of each activity, by row.

    """
    return _Layout(network, solution).problem(needs, capacities, slots, group)


def slots_for(network: CompiledNetwork, solution: Solution, needs: Needs, capacities: tuple[Capacity, ...]) -> int:
    """Return a number of slots in which a levelled schedule usually has room: the longest chain and the greatest load."""
    work = solution.work
    remaining = np.where(work.state == DONE, 0, work.duration)[network.numbers.number[needs.row]]
    load = np.zeros(len(capacities))
    np.add.at(load, needs.resource, needs.amount * remaining)
    most = np.array([max(1, capacity.amount[-1]) for capacity in capacities])
    first = _first(solution)
    chain = max(int(solution.early.finish.max(initial=first)) - first, 0)
    return (chain + _elapsed(network, float((load / most).max(initial=0.0)))) // SLOT + 1


def known_slots(network: CompiledNetwork, solution: Solution) -> int:
    """Return for how many slots all calendars of the network are known."""
    first = _first(solution)
    ends = [calendar.known[1] for calendar in network.calendars if not calendar.is_continuous]
    return (min(ends, default=ALWAYS) - first) // SLOT


def open_slots(calendar: ShiftCalendar, first: int, slots: int) -> Bools:
    """Return which slots are worked from their beginning to their end."""
    worked = calendar.work(first + SLOT * np.arange(slots + 1))
    return np.asarray(np.diff(worked) == SLOT)


def _first(solution: Solution) -> int:
    """Return the first beginning of a slot at which work that is not done may go on."""
    earliest = solution.work.earliest[solution.work.state != DONE]
    return -(-int(earliest.min(initial=solution.project_finish)) // SLOT) * SLOT


def _elapsed(network: CompiledNetwork, minutes: float) -> int:
    """Return about how long so many working minutes take on the calendar that is closed most."""
    shifts = [calendar for calendar in network.calendars if not calendar.is_continuous]
    shares = [float(calendar.before[-1]) / (calendar.known[1] - calendar.known[0]) for calendar in shifts]
    return int(minutes / min(shares, default=1.0))


def _in_slots(minutes: Minutes) -> Minutes:
    """Return minutes as slots, rounded up."""
    return np.asarray(-(-minutes // SLOT))


class _Layout:
    """Where each activity and each lag of a network is in the problem: an activity comes right after the lags that lead to it."""

    def __init__(self, network: CompiledNetwork, solution: Solution) -> None:
        """Place the activities and the lags of working time between them."""
        self.network, self.solution = network, solution
        self.work, self.into = solution.work, network.into
        self.near = near_ends(network.into)
        self.first = _first(solution)
        self.in_shifts = np.array([not calendar.is_continuous for calendar in network.calendars], bool)
        live, self.constant = self._links()
        self.lagged = live & (self.into.lag > 0) & self.in_shifts[self.into.lag_calendar]
        self.plain = live & ~self.lagged
        number = len(network.activities)
        self.place = np.arange(number) + np.cumsum(np.bincount(self.near[self.lagged], minlength=number))
        self.count = number + int(self.lagged.sum())
        is_lag = np.ones(self.count, bool)
        is_lag[self.place] = False
        self.lag_place = np.flatnonzero(is_lag)

    def problem(
        self, needs: Needs, capacities: tuple[Capacity, ...], slots: int, group: NDArray[np.int64] | None
    ) -> Slotted:
        """Return the problem."""
        network, work = self.network, self.work
        shifts = np.flatnonzero(self.in_shifts)
        renumbered = np.full(len(network.calendars), CONTINUOUS)
        renumbered[shifts] = np.arange(len(shifts))
        settled = np.zeros(self.count, bool)
        settled[self.place] = self._settled(self.plain | self.lagged)
        release = np.maximum(self._all(_in_slots(self._released() - self.first), 0), 0)
        problem = Problem.of(
            self._all(_in_slots(np.where(work.state == DONE, 0, work.duration)), _in_slots(self.into.lag[self.lagged])),
            self._precedence(),
            self._demands(needs, capacities),
            capacities,
            release=release,
            fixed=np.where(settled, release, NOT_FIXED),
            calendar=renumbered[self._all(work.calendar, self.into.lag_calendar[self.lagged])],
            calendars=[open_slots(network.calendars[index], self.first, slots) for index in shifts],
            group=None if group is None else self._groups(group),
        )
        return Slotted(problem, self._all(network.numbers.order, LAG), self.first)

    def _all(self, activities: NDArray[np.integer], lags: NDArray[np.integer] | int) -> NDArray[np.int64]:
        """Return one column of the problem from those of the activities, by number, and of the lags."""
        column = np.zeros(self.count, np.int64)
        column[self.place], column[self.lag_place] = activities, lags
        return column

    def _groups(self, group: NDArray[np.int64]) -> NDArray[np.int64]:
        by_number = group[self.network.numbers.order]
        return self._all(by_number, by_number[self.near[self.lagged]])

    def _links(self) -> tuple[Bools, Bools]:
        """Return which links still count between two unknown instants, and which come from an instant that is known.

        The finish of what is done is known unless retained logic moves it: a link from an unknown instant still leads to it.
        """
        work, into = self.work, self.into
        counts = counting(into, work, before=into.far, after=self.near)
        from_start = (into.code & FROM_START) != 0
        state = work.state[into.far]
        known = counts & np.where(from_start, state >= RUNNING, state == DONE)
        while True:
            live = counts & ~known
            still_known = known & (from_start | ~self._linked(live)[into.far])
            if still_known.sum() == known.sum():
                return live, known
            known = still_known

    def _linked(self, live: Bools) -> Bools:
        """Return by number to what such links lead."""
        linked = np.zeros(len(self.work.state), bool)
        linked[self.near[live]] = True
        return linked

    def _released(self) -> Minutes:
        """Return the earliest starts by number, with what known instants ask for."""
        work, into, clock = self.work, self.into, self.network.clock
        rows = np.flatnonzero(self.constant)
        numbers, far, code = self.near[rows], into.far[rows], into.code[rows]
        instant = np.where(code & FROM_START, work.started[far], self.solution.early.finish[far])
        lagged = np.flatnonzero(into.lag[rows])
        at = rows[lagged]
        instant[lagged] = clock.later(instant[lagged], into.lag[at], into.lag_calendar[at], numbers[lagged])
        ends = np.flatnonzero(code & TO_FINISH)
        c = work.calendar[numbers[ends]]
        instant[ends] = clock.instant(clock.work(instant[ends], c) - work.duration[numbers[ends]], c)
        release = work.earliest.copy()
        np.maximum.at(release, numbers, instant)
        return release

    def _settled(self, live: Bools) -> Bools:
        """Return by number what stays where it is: what has begun, and is held up by known instants only."""
        return np.asarray((self.work.state >= RUNNING) & ~self._linked(live))

    def _precedence(self) -> Precedence:
        """Return the links, those with a lag of working time through that lag. A lead in working time counts as none."""
        into, plain, lagged, place = self.into, self.plain, self.lagged, self.place
        gap = np.where(self.in_shifts[into.lag_calendar], 0, _in_slots(into.lag))
        from_finish, to_finish = (into.code & FROM_START) == 0, (into.code & TO_FINISH) != 0
        lags = self.lag_place
        before = np.concatenate([place[into.far[plain]], place[into.far[lagged]], lags])
        after = np.concatenate([place[self.near[plain]], lags, place[self.near[lagged]]])
        gaps = np.concatenate([gap[plain], np.zeros(2 * len(lags), np.int64)])
        from_finishes = np.concatenate([from_finish[plain], from_finish[lagged], np.ones(len(lags), bool)])
        to_finishes = np.concatenate([to_finish[plain], np.zeros(len(lags), bool), to_finish[lagged]])
        order = np.argsort(after, kind="stable")
        first = np.searchsorted(after[order], np.arange(self.count + 1)).astype(np.int64)
        return Precedence(first, before[order], gaps[order], from_finishes[order], to_finishes[order])

    def _demands(self, needs: Needs, capacities: tuple[Capacity, ...]) -> Demands:
        """Return what open work holds. What is never short, even if all of it went on at once, is left out: nothing waits for it."""
        number = self.network.numbers.number[needs.row]
        holds = (self.work.state[number] != DONE) & (self.work.duration[number] > 0)
        total = np.zeros(len(capacities), np.int64)
        np.add.at(total, needs.resource[holds], needs.amount[holds])
        holds &= (total > np.array([min(capacity.amount) for capacity in capacities]))[needs.resource]
        columns = (self.place[number[holds]], needs.resource[holds], needs.amount[holds])
        return Demands.of(self.count, list(zip(*(column.tolist() for column in columns), strict=True)))
