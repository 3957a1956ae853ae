"""The way in: level a problem with a number of schedules and a seed, from nothing or from what was found earlier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from schedule.errors import InputError
from schedule.levelling.bounds import Unlevelled, lower_bound, unlevelled
from schedule.levelling.candidates import keeps
from schedule.levelling.compiled import Ints, copied, native, numbers
from schedule.levelling.genetic import POPULATION, genetic, sown
from schedule.levelling.horizon import finishes, first_horizon, last_horizon
from schedule.levelling.justify import justified, settled
from schedule.levelling.parallel import parallel
from schedule.levelling.problem import Problem
from schedule.levelling.result import Levelled
from schedule.levelling.room import TOO_LONG, room_for
from schedule.levelling.rules import Keys, keys_of_rules
from schedule.levelling.serial import ordered, serial
from schedule.levelling.tables import lay_out
from schedule.levelling.waits import Starts
from schedule.levelling.windows import shake

MOST_FOR_GENETIC = 2000
"""Activities up to which many different schedules are kept and mixed; beyond, one schedule is improved window by window."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to search. Equal efforts find equal schedules on every machine."""

    schedules: int = 5_000
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Attempt:
    """A schedule, its length and what found it."""

    start: Ints
    finish: Ints
    length: int
    method: str


def level(problem: Problem, effort: Effort | None = None, candidates: Sequence[Starts] = ()) -> Levelled:
    """Return the best schedule found. It is never later than a candidate that keeps the problem.

    A candidate that does not keep the problem is used as an order. Raise InputError if a calendar ends before the work.
    """
    search = Search(problem, effort or Effort())
    for start in candidates:
        search.take(start)
    search.try_rules()
    search.go_on()
    return search.result()


@dataclass
class Search:
    """One search: the schedules found so far, and how many were made."""

    problem: Problem
    effort: Effort
    found: list[Attempt] = field(default_factory=list)
    made: int = 0

    def __post_init__(self) -> None:
        """Lay the problem out over enough slots for a first schedule."""
        self.horizon = first_horizon(self.problem)
        self._lay_out()
        while not self._fits():
            if self.horizon >= last_horizon(self.problem):
                raise InputError(
                    f"the work does not fit into {self.horizon} slots",
                    hint="a calendar ends before the work does; let it go on for longer",
                )
            self.horizon = min(2 * self.horizon, last_horizon(self.problem))
            self._lay_out()
        self.bound = lower_bound(self.problem, self.mirror, self.early, self.horizon, self.best.length)

    def _lay_out(self) -> None:
        self.forward, self.mirror = lay_out(self.problem, self.horizon)
        self.ahead, self.back = room_for(self.forward), room_for(self.mirror)
        self.early: Unlevelled = unlevelled(self.forward)

    def _fits(self) -> bool:
        """Make the first schedule: latest start first."""
        return self._serial("latest start time, serial", int(self.early.finish.max(initial=0)) - self.early.tail)

    @property
    def best(self) -> Attempt:
        """Return the shortest schedule, of equals the first: one from a candidate, if there is one."""
        return min(self.found, key=lambda found: found.length)

    @property
    def left(self) -> int:
        """Return how many schedules may still be made; 0 if none can be shorter."""
        return 0 if self.best.length <= self.bound else self.effort.schedules - self.made

    def take(self, start: Starts) -> None:
        """Add a candidate, pushed to the left, before what was found so far."""
        others, self.found = self.found, []
        if keeps(self.problem, start, self.horizon):
            self._add(native(start), native(finishes(self.problem, start)), "candidate")
        self._serial("order of a candidate", start)
        self.found += others

    def try_rules(self) -> None:
        """Try each rule in both ways, and push what comes out to and fro."""
        self._justify("latest start time, serial")
        for rule, keys in keys_of_rules(self.problem, self.early, self.bound):
            for way in (self._serial, self._parallel):
                if self.left <= 0:
                    return
                method = f"{rule.value}, {way.__name__.strip('_')}"
                if way(method, keys):
                    self._justify(method)

    def _serial(self, method: str, keys: Keys) -> bool:
        start, finish = self._empty()
        self._order(keys)
        length = serial(self.forward, self.ahead.order, 0, self.ahead, start, finish)
        return self._keep(start, finish, length, method)

    def _parallel(self, method: str, keys: Keys) -> bool:
        start, finish = self._empty()
        self._order(keys)
        length = parallel(self.forward, self.ahead.order, self.ahead, start, finish)
        return self._keep(start, finish, length, method)

    def _order(self, keys: Keys) -> None:
        """Write the order of some keys, as far apart as the sorting takes them."""
        self.ahead.keys[:] = native(np.asarray(keys))
        ordered(self.forward, self.ahead.keys, self.ahead)

    def _empty(self) -> tuple[Ints, Ints]:
        return numbers(self.problem.count, 0), numbers(self.problem.count, 0)

    def _keep(self, start: Ints, finish: Ints, length: int, method: str) -> bool:
        self.made += 1
        if length != TOO_LONG:
            self.found.append(Attempt(start, finish, length, method))
        return length != TOO_LONG

    def _add(self, start: Ints, finish: Ints, method: str) -> None:
        self.found.append(Attempt(start, finish, max(finish, default=0), method))

    def _justify(self, method: str) -> None:
        """Push the last schedule to and fro."""
        last = self.found[-1]
        start, finish = copied(last.start), copied(last.finish)
        room = (self.forward, self.mirror, self.ahead, self.back)
        self.made += justified(*room, start, finish, last.length, self.left)
        self._add(start, finish, f"{method}, forward-backward")

    def go_on(self) -> None:
        """Search with the schedules that are left."""
        if self.left <= 0:
            return
        if self.problem.count <= MOST_FOR_GENETIC:
            self._mix()
        else:
            self._shake()

    def _mix(self) -> None:
        n = self.problem.count
        size = min(POPULATION, max(self.left // 100, 10))
        known = sorted(self.found, key=lambda found: found.length)[: size // 2]
        finish, lengths = numbers(size * n, 0), numbers(size, TOO_LONG)
        for member, schedule in enumerate(known):
            finish[member * n : member * n + n] = schedule.finish
            lengths[member] = schedule.length
        late = native(int(self.early.finish.max(initial=0)) - self.early.tail)
        start = numbers(n, 0)
        tables = (self.forward, self.mirror)
        state = sown(self.effort.seed)
        self.made += genetic(*tables, finish, lengths, len(known), late, self.left, self.bound, state, start)
        if min(lengths) < self.best.length:
            self._add(start, native(finishes(self.problem, np.array(start))), "genetic search")

    def _shake(self) -> None:
        best = self.best
        start, finish = copied(best.start), copied(best.finish)
        state = sown(self.effort.seed)
        self.made += shake(self.forward, self.mirror, self.left, self.bound, state, start, finish, best.length)
        if max(finish) < best.length:
            self._add(start, finish, "shaken windows")

    def result(self) -> Levelled:
        """Return the best schedule, in which nothing can start earlier while the rest stays."""
        best = self.best
        begin, end = copied(best.start), copied(best.finish)
        length = settled(self.forward, self.ahead, begin, end, self.problem.count)
        if length > best.length:  # links backward in time can change the order; the schedule is then kept as it is
            begin, end = best.start, best.finish
        start, finish = np.array(begin, np.int64), np.array(end, np.int64)
        return Levelled(
            start,
            finish,
            self.early.start,
            int(finish.max(initial=0)),
            self.bound,
            best.method,
            self.made,
            self.effort.seed,
            self.problem,
        )
