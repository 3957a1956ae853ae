"""The activity network as arrays, and the critical path through it.

Nodes are numbered in any order. Times are elapsed hours since the calendar's origin. The forward and the backward pass go
through the network level by level, in numpy.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from steps.schedule.calendar import Floats, WorkCalendar
from steps.schedule.circle import circle

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Successors = list[list[int]]

FINISH_ENDS = ("FS", "FF")
"""Link types that start from the predecessor's finish."""
START_SIDES = ("FS", "SS")
"""Link types that end at the successor's start."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One link between two nodes, by index."""

    before: int
    after: int
    type: str = "FS"
    lag_h: float = 0.0
    lag_working: bool = False


@dataclass(frozen=True)
class Network:
    """Durations in hours on each node's own calendar, and the links between nodes."""

    ids: tuple[str, ...]
    duration_h: Floats
    working: Bools
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Progress:
    """What has happened: elapsed hours since the origin, NaN for what has not.

    What is out of sequence happened while something before it is open. Its successors wait for that too (retained logic).
    """

    started: Floats
    finished: Floats
    out_of_sequence: Bools
    data_date: float


@dataclass(frozen=True)
class Schedule:
    """Early and late times in elapsed hours; floats in hours of the node's own calendar."""

    early_start: Floats
    early_finish: Floats
    late_start: Floats
    late_finish: Floats
    total_float_h: Floats
    free_float_h: Floats
    driving: Ints = field(repr=False)
    """The index of the predecessor that sets the early start, -1 if it is the start of the project."""


def levels(network: Network) -> Ints:
    """Return each node's depth in the network, or raise InputError naming a cycle."""
    n = len(network.ids)
    degree = np.zeros(n, dtype=np.int64)
    successors: Successors = [[] for _ in range(n)]
    for edge in network.edges:
        degree[edge.after] += 1
        successors[edge.before].append(edge.after)
    depth = np.zeros(n, dtype=np.int64)
    ready = [i for i in range(n) if degree[i] == 0]
    seen = 0
    while ready:
        node = ready.pop()
        seen += 1
        for after in successors[node]:
            depth[after] = max(depth[after], depth[node] + 1)
            degree[after] -= 1
            if degree[after] == 0:
                ready.append(after)
    if seen < n:
        loop = _cycle(successors, [i for i in range(n) if degree[i] > 0])
        raise circle([network.ids[i] for i in loop])
    return depth


def _cycle(successors: Successors, stuck: list[int]) -> list[int]:
    """Return the nodes of a circle, found by going backwards from a node that waits for itself."""
    before: dict[int, int] = {}
    for node in stuck:
        before |= dict.fromkeys(set(successors[node]) & set(stuck), node)
    path = [stuck[0]]
    while before[path[-1]] not in path:
        path.append(before[path[-1]])
    start = before[path[-1]]
    return [start, *reversed(path[path.index(start) :])]


class CriticalPath:
    """Forward and backward pass over one network; it is built once, and solved whenever durations change."""

    def __init__(self, network: Network, calendar: WorkCalendar) -> None:
        """Sort the links by the depth of their ends."""
        self.network = network
        self.calendar = calendar
        self._depth = levels(network)
        edges = network.edges
        self._before = np.array([e.before for e in edges], dtype=np.int64)
        self._after = np.array([e.after for e in edges], dtype=np.int64)
        self._from_finish = np.array([e.type in FINISH_ENDS for e in edges], dtype=bool)
        self._to_start = np.array([e.type in START_SIDES for e in edges], dtype=bool)
        self._lag = np.array([e.lag_h for e in edges], dtype=np.float64)
        self._lag_working = np.array([e.lag_working for e in edges], dtype=bool)
        bottom = int(self._depth.max(initial=0))
        self._nodes_at = [np.flatnonzero(self._depth == d) for d in range(bottom + 1)]
        after_depth, before_depth = self._depth[self._after], self._depth[self._before]
        self._into = [np.flatnonzero(after_depth == d) for d in range(bottom + 1)]
        self._out_of = [np.flatnonzero(before_depth == d) for d in range(bottom + 1)]

    def solve(
        self,
        *,
        start: float = 0.0,
        progress: Progress | None = None,
        target: int | None = None,
    ) -> Schedule:
        """Return all dates; `target` is the node whose finish closes the project (None: the last one to finish)."""
        early_start, early_finish, driving = self._forward(start, progress)
        finish = float(early_finish[target] if target is not None else early_finish.max(initial=0))
        late_start, late_finish = self._backward(early_finish, finish)
        working = self.network.working
        total = self._work(late_start, working) - self._work(early_start, working)
        free = self._free_float(early_start, early_finish, total)
        return Schedule(early_start, early_finish, late_start, late_finish, total, free, driving)

    def _forward(self, start: float, progress: Progress | None) -> tuple[Floats, Floats, Ints]:
        n = len(self.network.ids)
        floor = start if progress is None else max(start, progress.data_date)
        early_start, early_finish = np.full(n, floor), np.full(n, -np.inf)
        least_finish = np.full(n, -np.inf)  # an FF link may set a finish outside working hours
        driving = np.full(n, -1, dtype=np.int64)
        for depth, nodes in enumerate(self._nodes_at):
            edges = self._into[depth]
            instant, earliest = self._pushed(edges, early_start, early_finish)
            np.maximum.at(early_start, self._after[edges], earliest)
            on_finish = ~self._to_start[edges]
            np.maximum.at(least_finish, self._after[edges[on_finish]], instant[on_finish])
            hits = edges[earliest >= early_start[self._after[edges]] - 1e-9]
            driving[self._after[hits]] = self._before[hits]
            begin, end = self._span(nodes, early_start[nodes])
            early_start[nodes] = begin
            early_finish[nodes] = np.maximum(end, least_finish[nodes])
            if progress is not None:
                self._fix(nodes, progress, early_start, early_finish)
        return early_start, early_finish, driving

    def _pushed(self, edges: Ints, early_start: Floats, early_finish: Floats) -> tuple[Floats, Floats]:
        """Return the instant that each link sets, and the earliest start that it allows its successor."""
        before, after = self._before[edges], self._after[edges]
        instant = np.where(self._from_finish[edges], early_finish[before], early_start[before])
        instant = self._shift(instant, self._lag[edges], self._lag_working[edges])
        duration, working = self.network.duration_h[after], self.network.working[after]
        pulled = self._minus_work(instant, duration, working)
        return instant, np.where(self._to_start[edges], instant, pulled)

    def _span(self, nodes: Ints, begin: Floats) -> tuple[Floats, Floats]:
        """Return start and finish of nodes that may begin at `begin`; a milestone is not moved."""
        duration, working = self.network.duration_h[nodes], self.network.working[nodes]
        moves = working & (duration > 0)
        work = self.calendar.work_at(begin)
        started = np.where(moves, self.calendar.start_at(work), begin)
        finished = np.where(moves, self.calendar.finish_at(work + duration), begin + duration)
        return started, np.where(duration > 0, finished, started)

    def _fix(self, nodes: Ints, progress: Progress, starts: Floats, finishes: Floats) -> None:
        """Write the actual times; a node that has started and not finished ends no earlier than the data date."""
        started, finished = progress.started[nodes], progress.finished[nodes]
        done = ~np.isnan(finished)
        running = ~np.isnan(started) & ~done
        duration, working = self.network.duration_h[nodes], self.network.working[nodes]
        began = np.nan_to_num(started)
        planned = self._plus_work(began, duration, working)
        unfinished = np.where(running, np.maximum(planned, progress.data_date), finishes[nodes])
        actual_start = np.where(done | running, began, starts[nodes])
        actual_finish = np.where(done, np.nan_to_num(finished), unfinished)
        early = progress.out_of_sequence[nodes]
        starts[nodes] = np.where(early, np.maximum(starts[nodes], actual_start), actual_start)
        finishes[nodes] = np.where(early, np.maximum(starts[nodes], actual_finish), actual_finish)

    def _backward(self, early_finish: Floats, finish: float) -> tuple[Floats, Floats]:
        late_finish = np.maximum(early_finish, finish)
        has_successor = np.zeros(len(self.network.ids), dtype=bool)
        has_successor[self._before] = True
        late_finish[has_successor] = np.inf
        late_start = np.full(len(self.network.ids), np.inf)
        for depth in range(len(self._nodes_at) - 1, -1, -1):
            edges, nodes = self._out_of[depth], self._nodes_at[depth]
            latest = self._pulled(edges, late_start, late_finish)
            before = self._before[edges]
            on_finish = self._from_finish[edges]
            np.minimum.at(late_finish, before[on_finish], latest[on_finish])
            np.minimum.at(late_start, before[~on_finish], latest[~on_finish])
            open_end = np.maximum(early_finish[nodes], finish)
            free = np.isinf(late_finish[nodes])
            late_finish[nodes] = np.where(free, open_end, late_finish[nodes])
            duration, working = self.network.duration_h[nodes], self.network.working[nodes]
            from_finish = self._minus_work(late_finish[nodes], duration, working)
            tightened = late_start[nodes] < from_finish
            late_start[nodes] = np.minimum(late_start[nodes], from_finish)
            _, ends = self._span(nodes, late_start[nodes])
            late_finish[nodes] = np.where(tightened, ends, late_finish[nodes])
        # a finish at opening time is shown as the previous closing time
        shown = self.calendar.finish_at(self.calendar.work_at(late_finish))
        moves = self.network.working & (self.network.duration_h > 0)
        late_finish = np.where(moves, np.maximum(shown, early_finish), late_finish)
        return late_start, late_finish

    def _pulled(self, edges: Ints, starts: Floats, finishes: Floats) -> Floats:
        """Return the latest instant that each link allows for the end of its predecessor."""
        after = self._after[edges]
        instant = np.where(self._to_start[edges], starts[after], finishes[after])
        return self._minus_work(instant, self._lag[edges], self._lag_working[edges])

    def _free_float(self, starts: Floats, finishes: Floats, total: Floats) -> Floats:
        free = total.copy()
        edges = np.arange(len(self._before))
        latest = self._pulled(edges, starts, finishes)
        before = self._before
        own = np.where(self._from_finish, finishes[before], starts[before])
        working = self.network.working[before]
        slack = self._work(latest, working) - self._work(own, working)
        np.minimum.at(free, before, np.maximum(slack, 0.0))
        return free

    def _shift(self, instant: Floats, lag: Floats, working: Bools) -> Floats:
        return np.where(lag == 0, instant, self._plus_work(instant, lag, working))

    def _plus_work(self, instant: Floats, hours: Floats, working: Bools) -> Floats:
        at_work = self.calendar.finish_at(self.calendar.work_at(instant) + hours)
        return np.where(working, at_work, instant + hours)

    def _minus_work(self, instant: Floats, duration: Floats, working: Bools) -> Floats:
        at_work = self.calendar.start_at(self.calendar.work_at(instant) - duration)
        moved = np.where(working, at_work, instant - duration)
        return np.where(duration == 0, instant, moved)

    def _work(self, instant: Floats, working: Bools) -> Floats:
        return np.where(working, self.calendar.work_at(instant), instant)
