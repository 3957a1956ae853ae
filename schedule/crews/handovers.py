"""Who hands a crew to whom: the order of a levelled schedule as links, so that dates in minutes keep the crews too.

Each unit of a resource passes from one activity to the next. A network with these links needs no more than there is, whatever
the durations become (a resource flow: Artigues, Michelon and Reusser, European Journal of Operational Research 149, 2003).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

import numpy as np

from schedule.levelling.problem import CONTINUOUS, Problem
from schedule.levelling.waits import Starts


class Handover(NamedTuple):
    """An activity takes over a resource from an earlier one. All are numbers."""

    before: int
    after: int
    resource: int


class Flow(NamedTuple):
    """How resources pass through a schedule."""

    handovers: tuple[Handover, ...]
    pinned: tuple[int, ...]
    """Activities to which nobody hands over, so that only their start in the schedule keeps the crews: they work while what
    has their crew rests that day, or run with more than there is, or what had it comes after them by links that lead back in time."""


@dataclass(eq=False, slots=True)
class _Unit:
    """One unit of a resource: what holds it until it is free, what held it before that, and whether it was taken since."""

    holders: frozenset[int]
    before: frozenset[int]
    is_taken: bool = False


@dataclass(frozen=True, eq=False)
class _Schedule:
    """The schedule that resources pass through."""

    problem: Problem
    start: list[int]
    finish: list[int]
    has_whole_slots: bool
    """Whether calendars open and close with slots, so that the slots tell all."""

    def never_meet(self, one: int, other: int) -> bool:
        """Return whether both never work in one slot, whenever each of them starts: one by day, and one by night."""
        calendars = {int(self.problem.calendar[one]), int(self.problem.calendar[other])}
        if len(calendars) == 1 or CONTINUOUS in calendars or not self.has_whole_slots:
            return False
        by_day, by_night = (self.problem.calendars[calendar] for calendar in calendars)
        return not (by_day & by_night).any()

    def until(self, holders: frozenset[int]) -> int:
        """Return the last finish."""
        return max(self.finish[one] for one in holders)

    def at_once(self, one: int, other: int) -> bool:
        """Return whether both work in some slot."""
        begin = max(self.start[one], self.start[other])
        end = min(self.finish[one], self.finish[other])
        calendars = {int(self.problem.calendar[one]), int(self.problem.calendar[other])} - {CONTINUOUS}
        if begin >= end or not calendars:
            return begin < end
        opened = [self.problem.calendars[calendar][begin:end] for calendar in calendars]
        return bool(np.logical_and.reduce(opened).any())


class _Pool:
    """The units of one resource: those that have done nothing yet, those at work, and those that are free again."""

    def __init__(self, amount: int, group: list[int], schedule: _Schedule) -> None:
        """Begin with units that have done nothing."""
        self._group, self._unused, self._schedule = group, amount, schedule
        self._busy: list[tuple[int, int, _Unit]] = []
        self._free: list[_Unit] = []
        self._free_in: dict[int, list[_Unit]] = defaultdict(list)
        self._count = count()

    def take(self, amount: int, instant: int, group: int) -> list[_Unit]:
        """Take units that are free by `instant`, which never goes back; fewer where there are not enough.

        One that has done nothing yet comes first, then one of the group, then the one that became free last.
        """
        self._set_free(instant)
        unused = min(amount, self._unused)
        self._unused -= unused
        taken = [_Unit(frozenset(), frozenset()) for _ in range(unused)]
        for units in (self._free_in[group], self._free):
            while units and len(taken) < amount:
                unit = units.pop()
                if not unit.is_taken:
                    unit.is_taken = True
                    taken.append(unit)
        return taken

    def share(self, amount: int, taker: int) -> tuple[set[int], bool]:
        """Let an activity use units that are at work: those first that rest whenever it works, then those that are free first.

        If one does not rest, more is in use than there is, or no unit rests all the time. Then no other unit changes hands
        before those have ended that work at once with the activity on the same unit. Return who has ended of those that held one, and
        whether only the start of the activity keeps it from working at once with another.
        """
        at_once = {
            busy: {one for one in busy[2].holders if self._schedule.at_once(one, taker)} for busy in sorted(self._busy)
        }
        shared = sorted(at_once, key=lambda busy: bool(at_once[busy]))[:amount]
        awaited = frozenset().union(*(at_once[busy] for busy in shared))
        others = [busy for busy in at_once if busy not in shared]
        self._busy = [] if awaited else others
        for *_, unit in others if awaited else ():
            self.hold(unit.holders | awaited, unit.before)
        for *_, unit in shared:
            self.hold(unit.holders | {taker}, unit.before)
        begin = self._schedule.start[taker]
        holders = {one for *_, unit in shared for one in unit.holders}
        ended = {one for one in holders if self._schedule.finish[one] <= begin}
        if len(shared) < amount or not all(self._schedule.never_meet(one, taker) for one in holders - ended):
            return ended, True
        return ended.union(*(unit.before for *_, unit in shared)), False

    def hold(self, holders: frozenset[int], before: frozenset[int]) -> None:
        """Put a unit back that is held until all its holders have ended. They took it from those that held it `before`."""
        heappush(self._busy, (self._schedule.until(holders), next(self._count), _Unit(holders, before)))

    def _set_free(self, instant: int) -> None:
        while self._busy and self._busy[0][0] <= instant:
            unit = heappop(self._busy)[2]
            self._free.append(unit)
            for group in {self._group[one] for one in unit.holders}:
                self._free_in[group].append(unit)


def flow_of(
    problem: Problem, start: Starts, finish: Starts, before: Starts, after: Starts, *, has_whole_slots: bool = True
) -> Flow:
    """Return how resources pass through a schedule that keeps the problem; each resource has always as much.

    `before` and `after` are the ends of all links of the network, also of those that hold nothing any more: no handover leads
    against them.
    """
    demands = problem.demands
    begins = start[demands.activity]
    in_order = np.argsort(begins, kind="stable")
    columns = (begins, demands.activity, demands.resource, demands.amount)
    group = problem.group.tolist() or [0] * problem.count
    schedule = _Schedule(problem, start.tolist(), finish.tolist(), has_whole_slots)
    pools = [_Pool(max(capacity.amount), group, schedule) for capacity in problem.capacities]
    place = _places(start, before, after)
    found: list[Handover] = []
    pinned: list[int] = []
    for begin, taker, resource, amount in zip(*(column[in_order].tolist() for column in columns), strict=True):
        taken = pools[resource].take(amount, begin, group[taker])
        holders = {one for unit in taken for one in unit.holders}
        only_start = False
        if len(taken) < amount:
            sharing, only_start = pools[resource].share(amount - len(taken), taker)
            holders |= sharing
        found += [Handover(one, taker, resource) for one in sorted(holders) if place[one] < place[taker]]
        if only_start or any(place[one] > place[taker] for one in holders):
            pinned.append(taker)
        for unit in taken:
            pools[resource].hold(frozenset([taker]), unit.holders)
    return Flow(tuple(found), tuple(pinned))


def _places(start: Starts, before: Starts, after: Starts) -> list[int]:
    """Return the place of each activity by its start, after all that it waits for: links in this order make no circle."""
    key = start.tolist()
    back = np.flatnonzero(start[before] > start[after])
    if len(back):
        in_order = np.argsort(after, kind="stable")
        for earlier, later in zip(before[in_order].tolist(), after[in_order].tolist(), strict=True):
            key[later] = max(key[later], key[earlier])
    in_turn = np.argsort(key, kind="stable")
    place = np.empty(len(key), np.int64)
    place[in_turn] = np.arange(len(key))
    return place.tolist()
