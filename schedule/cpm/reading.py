"""A solved network, read one activity at a time: what each link into it allows. It computes what the passes compute for all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import DONE, FROM_START, LAGGED, LOWEST, OPEN, RUNNING, TO_FINISH
from schedule.cpm.working_time import WorkingTime, working_time


class Allowed(NamedTuple):
    """What one link into an activity allows."""

    position: int
    """Of the link, among the links by successor."""
    start: int
    """The first instant at which what remains may begin. For FF and SF it is the one that leads to the first finish allowed."""


class SolvedNetwork:
    """A network and one solution of it. Activities are numbers, as in the passes; links are positions among `network.into`."""

    def __init__(self, network: CompiledNetwork, solution: Solution) -> None:
        self.network, self.solution = network, solution
        self.into, self.early, self.work = network.into, solution.early, solution.work
        self._times = [working_time(calendar) for calendar in network.calendars]

    @property
    def number(self) -> dict[str, int]:
        """The numbers of activities by name."""
        return _numbers(self.network)

    def name(self, number: int) -> str:
        """Return the name of an activity."""
        return self.network.activities.names[int(self.network.numbers.order[number])]

    def state(self, number: int) -> int:
        """Return OPEN, RUNNING or DONE."""
        return int(self.work.state[number])

    def calendar(self, number: int) -> WorkingTime:
        """Return the calendar of an activity."""
        return self._times[int(self.work.calendar[number])]

    def lag_calendar(self, position: int) -> WorkingTime:
        """Return the calendar of a link's lag."""
        return self._times[int(self.into.lag_calendar[position])]

    def at(self, number: int, *, start: bool) -> int:
        """Return the start of an activity, or its finish."""
        return int(self.early.start[number] if start else self.early.finish[number])

    def finished(self, number: int) -> int:
        """Return the finish as people read it: the actual one of what is done, also if it should have waited for something."""
        return int(self.work.earliest[number]) if self.state(number) == DONE else self.at(number, start=False)

    def resumes(self, number: int) -> int:
        """Return when what remains begins: the start, or for what has started the start of the remaining work."""
        duration = int(self.work.duration[number])
        if self.state(number) == OPEN:
            return int(self.early.start[number])
        if not duration:
            return int(self.early.finish[number])
        finish = int(self.early.finish[number])
        return self.calendar(number).begin_of(finish, duration)

    def positions(self, number: int) -> range:
        """Return the positions of the links into an activity."""
        return range(int(self.into.begin[number]), int(self.into.begin[number + 1]))

    def counts(self, position: int, number: int) -> bool:
        """Return whether a link into an activity still counts. The rule is `wiring.counting`."""
        mine, theirs = self.state(number), self.state(int(self.into.far[position]))
        if self.work.override and mine != OPEN:
            return False
        code = int(self.into.code[position])
        left = theirs >= RUNNING if code & FROM_START else theirs == DONE
        reached = mine == DONE if code & TO_FINISH else mine >= RUNNING
        return not (left and reached)

    def leaves(self, position: int) -> int:
        """Return the instant at a link's predecessor, moved by the lag."""
        code = int(self.into.code[position])
        instant = self.at(int(self.into.far[position]), start=bool(code & FROM_START))
        return self.lag_calendar(position).later(instant, int(self.into.lag[position])) if code & LAGGED else instant

    def allowed(self, position: int, number: int, duration: int) -> int:
        """Return the first start of work of `duration` minutes that a link allows."""
        instant = self.leaves(position)
        if duration and int(self.into.code[position]) & TO_FINISH:
            return self.calendar(number).begin_of(instant, duration)
        return instant

    def counting(self, number: int) -> Iterator[Allowed]:
        """Return what each link that counts allows to what remains of an activity."""
        duration = int(self.work.duration[number])
        for position in self.positions(number):
            if self.counts(position, number):
                yield Allowed(position, self.allowed(position, number, duration))


@lru_cache(maxsize=4)
def _numbers(network: CompiledNetwork) -> dict[str, int]:
    """Return the numbers by name; made once for all solutions of a network."""
    return dict(zip(network.activities.names, network.numbers.number.tolist(), strict=True))


def latest(links: list[Allowed]) -> Allowed | None:
    """Return the link that allows the latest start; of equals the first. None if there is no link."""
    return max(links, key=lambda link: (link.start, -link.position), default=None)


def latest_start(links: list[Allowed], *, but: int | None = None) -> int:
    """Return the latest start that links allow, LOWEST if there are none. `but` is the position of one that is left out."""
    return max((link.start for link in links if link.position != but), default=LOWEST)
