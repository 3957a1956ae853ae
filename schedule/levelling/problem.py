"""What is to be levelled: activities, links, resources and calendars as arrays of integers.

Time is counted in slots, from slot 0. How long a slot is, is the caller's: a day, an hour, 15 minutes. An activity that
starts at `s` and lasts `d` slots occupies the slots `s` to `s + d - 1`. Activities are numbered in topological order: each
link leads from a lower number to a higher one.

An activity with a calendar works in the open slots of that calendar only. A break interrupts it, and while it is interrupted
it holds no resource, as in Primavera P6, where units are spread over working time. Capacity never interrupts an activity: it
starts only where all its open slots have what it needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedule.errors import InputError

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NOT_FIXED = -1
CONTINUOUS = -1
"""The calendar of an activity that works in every slot."""


def _none() -> Ints:
    return np.zeros(0, np.int64)


@dataclass(frozen=True)
class Precedence:
    """Precedence by their later activity: those into `i` are at `first[i]` to `first[i + 1] - 1`.

    A link says: one end of the later activity is at least `gap` slots after one end of the earlier one. Both ends are starts
    where nothing else is said. Without calendars every type of link can be written so; with calendars the length of an
    activity depends on where it starts, and the ends are named.
    """

    first: Ints
    before: Ints
    gap: Ints
    from_finish: Bools
    to_finish: Bools

    @staticmethod
    def of(count: int, links: Sequence[tuple[int, int, int]], *, finish_to_start: bool = False) -> Precedence:
        """Return the links of `count` activities from triples (earlier, later, gap).

        The gap is measured from start to start, or from finish to start.
        """
        table = np.array(sorted(links, key=lambda link: link[1]), np.int64).reshape(-1, 3)
        first = np.searchsorted(table[:, 1], np.arange(count + 1))
        ends = np.full(len(table), finish_to_start)
        return Precedence(first.astype(np.int64), table[:, 0], table[:, 2], ends, np.zeros(len(table), bool))

    @cached_property
    def after(self) -> Ints:
        """Return the later activity of each link."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def leading_to(self, ends: Bools) -> Bools:
        """Return the activities that some ends wait for, and the ends themselves."""
        chosen = ends.copy()
        for activity in range(len(ends) - 1, -1, -1):
            if chosen[activity]:
                chosen[self.before[self.first[activity] : self.first[activity + 1]]] = True
        return chosen

    def into(self, chosen: Bools) -> Precedence:
        """Return the links of which the later activity is chosen."""
        kept = chosen[self.after]
        first = np.searchsorted(self.after[kept], np.arange(len(self.first))).astype(np.int64)
        return Precedence(first, self.before[kept], self.gap[kept], self.from_finish[kept], self.to_finish[kept])


@dataclass(frozen=True)
class Demands:
    """What each activity holds while it works: `amount` of `resource`, those of `i` at `first[i]` to `first[i + 1] - 1`."""

    first: Ints
    resource: Ints
    amount: Ints

    @staticmethod
    def of(count: int, demands: Sequence[tuple[int, int, int]]) -> Demands:
        """Return the demands of `count` activities from triples (activity, resource, amount). An amount of 0 is left out."""
        table = np.array(sorted(demand for demand in demands if demand[2]), np.int64).reshape(-1, 3)
        first = np.searchsorted(table[:, 0], np.arange(count + 1))
        return Demands(first.astype(np.int64), table[:, 1], table[:, 2])

    @cached_property
    def activity(self) -> Ints:
        """Return the activity of each demand."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


@dataclass(frozen=True)
class Capacity:
    """What there is of one resource: `amount[k]` from slot `since[k]` on. The first is since slot 0, the last holds for ever."""

    since: tuple[int, ...]
    amount: tuple[int, ...]

    @staticmethod
    def constant(amount: int) -> Capacity:
        """Return a capacity that is always the same."""
        return Capacity((0,), (amount,))

    def over(self, horizon: int) -> Ints:
        """Return the capacity in each of the first `horizon` slots."""
        until = np.minimum([*self.since, horizon], horizon)
        return np.repeat(np.array(self.amount, np.int64), np.diff(until))


@dataclass(frozen=True)
class Problem:
    """A levelling problem. Arrays are as long as there are activities, unless said otherwise."""

    duration: Ints
    links: Precedence
    demands: Demands
    capacities: tuple[Capacity, ...]
    release: Ints
    """No earlier start than this slot."""
    fixed: Ints
    """The start of work that has begun or is done, otherwise `NOT_FIXED`."""
    calendar: Ints
    """The number of a calendar, or `CONTINUOUS`."""
    calendars: tuple[Bools, ...] = ()
    """The open slots of each calendar, all of one length. Nothing can be levelled beyond their end."""
    group: Ints = field(default_factory=_none)
    """The pod or area of an activity, for rules that prefer to finish one before the next. Empty: no groups."""

    @staticmethod
    def of(
        duration: Sequence[int] | Ints,
        links: Precedence,
        demands: Demands,
        capacities: Sequence[int | Capacity],
        *,
        release: Sequence[int] | Ints | None = None,
        fixed: Sequence[int] | Ints | None = None,
        calendar: Sequence[int] | Ints | None = None,
        calendars: Sequence[Bools] = (),
        group: Sequence[int] | Ints | None = None,
    ) -> Problem:
        """Return a problem after checking it. Raise InputError for one that no schedule can keep."""
        count = len(duration)
        problem = Problem(
            np.asarray(duration, np.int64),
            links,
            demands,
            tuple(Capacity.constant(c) if isinstance(c, int) else c for c in capacities),
            np.zeros(count, np.int64) if release is None else np.asarray(release, np.int64),
            np.full(count, NOT_FIXED) if fixed is None else np.asarray(fixed, np.int64),
            np.full(count, CONTINUOUS) if calendar is None else np.asarray(calendar, np.int64),
            tuple(calendars),
            _none() if group is None else np.asarray(group, np.int64),
        )
        check(problem)
        return problem

    @property
    def count(self) -> int:
        """Return the number of activities."""
        return len(self.duration)

    def only(self, chosen: Bools) -> Problem:
        """Return the problem without the others: they take no time and wait for nothing. What is chosen must not wait for them."""
        duration, release = (np.where(chosen, column, 0) for column in (self.duration, self.release))
        return replace(self, duration=duration, release=release, links=self.links.into(chosen))


def check(problem: Problem) -> None:
    """Raise InputError if arrays do not fit together, or an activity needs more than there ever is."""
    count = problem.count
    lengths = (problem.release, problem.fixed, problem.calendar, problem.links.first[1:], problem.demands.first[1:])
    if any(len(values) != count for values in lengths) or len(problem.group) not in (0, count):
        raise InputError(f"the arrays of the problem differ in length: there are {count} activities")
    _refuse(problem.duration < 0, "has a negative duration")
    _refuse(problem.release < 0, "has a negative release")
    known = (problem.calendar >= CONTINUOUS) & (problem.calendar < len(problem.calendars))
    _refuse(~known, "has a calendar that is not there")
    _check_links(problem)
    _check_demands(problem)


def _check_links(problem: Problem) -> None:
    backward = problem.links.before >= problem.links.after
    if backward.any() or (problem.links.before < 0).any():
        raise InputError(
            f"activity {int(problem.links.after[backward][0])} has a link from a higher number",
            hint="number the activities in topological order",
        )


def _check_demands(problem: Problem) -> None:
    for number, capacity in enumerate(problem.capacities):
        if capacity.since[:1] != (0,) or list(capacity.since) != sorted(set(capacity.since)):
            raise InputError(f"the capacity of resource {number} does not begin at slot 0 or goes back in time")
        if min(capacity.amount) < 0:
            raise InputError(f"the capacity of resource {number} is negative")
    demands = problem.demands
    if ((demands.resource < 0) | (demands.resource >= len(problem.capacities))).any() or (demands.amount < 0).any():
        raise InputError("a demand is negative or names a resource that is not there")
    last = np.array([capacity.amount[-1] for capacity in problem.capacities], np.int64)
    free = (problem.fixed[demands.activity] == NOT_FIXED) & (problem.duration[demands.activity] > 0)
    too_much = (demands.amount > last[demands.resource]) & free if len(last) else np.zeros(0, bool)
    if too_much.any():
        at = int(np.flatnonzero(too_much)[0])
        resource = int(demands.resource[at])
        raise InputError(
            f"activity {int(demands.activity[at])} needs {int(demands.amount[at])} of resource {resource}, "
            f"of which there are {int(last[resource])} in the end",
        )


def _refuse(wrong: Bools, what: str) -> None:
    if wrong.any():
        raise InputError(f"activity {int(np.flatnonzero(wrong)[0])} {what}")
