"""The longest path, and the next ones by float: chains of links in the order in which they drive."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import FREE, counting


class FloatPath(NamedTuple):
    """One chain. All are rows; there is one link less than activities, or as many where the chain joins an earlier one."""

    activities: tuple[int, ...]
    links: tuple[int, ...]
    total_float: int
    """The least float of the chain's activities towards the target, in minutes of the calendar of the one that has it."""


def longest_path(network: CompiledNetwork, solution: Solution, *, target: int | None = None) -> FloatPath:
    """Return the chain of driving links that ends at `target`, by default at the last finish (of equals the first row)."""
    at = int(np.argmax(solution.finish)) if target is None else target
    activities, links = [at], []
    while (link := int(solution.driving_link[at])) >= 0:
        at = int(network.links.before[link])
        activities.append(at)
        links.append(link)
    least = int(solution.total_float[activities].min())
    return FloatPath(tuple(reversed(activities)), tuple(reversed(links)), least)


def float_paths(network: CompiledNetwork, solution: Solution, target: int, *, most: int) -> list[FloatPath]:
    """Return at most `most` chains to the target, the most critical first; each activity is in one of them.

    The first chain follows from the target the predecessor with the least float towards it. Each later one begins at the
    activity with the least float of those that lead into a chain. Of equals the first link wins.
    """
    towards = network.late_for(solution, target)
    trace = _Trace(network, solution, np.where(towards.finish == FREE, FREE, towards.total_float).tolist())
    paths = [trace.path(int(network.numbers.number[target]), ())]
    while len(paths) < most and (link := trace.next_link()):
        paths.append(trace.path(link.before, (link.row,)))
    return paths


class _Entry(NamedTuple):
    float: int
    row: int
    before: int


class _Trace:
    """What float paths have taken, and which links lead into it."""

    def __init__(self, network: CompiledNetwork, solution: Solution, floats: list[int]) -> None:
        self._network, self._floats = network, floats
        into = network.into
        near = np.repeat(np.arange(len(floats), dtype=np.int32), np.diff(into.begin))
        self._counts = counting(into, solution.work, before=into.far, after=near)
        self._taken: set[int] = set()
        self._leading: list[_Entry] = []

    def next_link(self) -> _Entry | None:
        """Return the link with the least float from what is in no chain into what is in one."""
        while self._leading:
            entry = heapq.heappop(self._leading)
            if entry.before not in self._taken:
                return entry
        return None

    def path(self, last: int, joins: tuple[int, ...]) -> FloatPath:
        """Take the chain that ends at number `last`, and note the links that lead into it."""
        numbers, links = [last], []
        self._taken.add(last)
        while entries := self._before(numbers[-1]):
            best, *others = sorted(entries)
            for entry in others:
                heapq.heappush(self._leading, entry)
            numbers.append(best.before)
            links.append(best.row)
            self._taken.add(best.before)
        rows = self._network.numbers.order[numbers[::-1]].tolist()
        return FloatPath(tuple(rows), (*reversed(links), *joins), min(self._floats[number] for number in numbers))

    def _before(self, number: int) -> list[_Entry]:
        into = self._network.into
        entries = []
        for position in range(into.begin[number], into.begin[number + 1]):
            before = int(into.far[position])
            if self._counts[position] and before not in self._taken:
                entries.append(_Entry(self._floats[before], int(into.row[position]), before))
        return entries
