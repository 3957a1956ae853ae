"""The chain that explains why a date moved, from the target back to what did not move, or to where one network ends.

Where a date is later, the chain follows the link that sets it now. Where it is earlier, it follows the link that set it before.
What else holds an activity is taken from the other standing, so that a delay counts as far as nothing else held the date anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from schedule.cpm.columns import NONE, Bools
from schedule.cpm.reading import Allowed, SolvedNetwork, latest, latest_start
from schedule.cpm.wiring import DONE, FROM_START, LOWEST, OPEN, TO_FINISH
from schedule.slip.causes import SlipCause
from schedule.slip.replay import OnChain, Terms
from schedule.slip.standing import Standing


class Bought(Enum):
    """What an activity is, if it is not work."""

    ORDER = "order"
    DELIVERY = "delivery"


class Half(NamedTuple):
    """One half of a window: two standings that differ in progress only, or in revisions only."""

    before: Standing
    after: Standing
    old: SolvedNetwork
    new: SolvedNetwork
    bought: Mapping[str, Bought]
    is_revision: bool


class _Entry(NamedTuple):
    """The link by which a chain enters an activity: its positions in both networks, -1 where it is not there."""

    old: int
    new: int
    floor: int


class Chain:
    """A walk back through one half of a window."""

    def __init__(self, half: Half, target: str) -> None:
        self._target = target
        self._half, self._old, self._new = half, half.old, half.new
        self._same_links = half.old.into is half.new.into

    def walked_back(self) -> tuple[list[OnChain], int]:
        """Return the chain that ends at the target's finish, in order, and the instant at which its first link leaves.

        It ends in finite time: a link that is followed beyond its predecessor is in both networks, and neither has a loop.
        """
        places: list[OnChain] = []
        name, by_start = self._target, False
        while True:
            i, j = self._old.number[name], self._new.number[name]
            if self._is_past(i, j, by_start=by_start):
                root = self._new.at(j, start=by_start)
                break
            if self._is_corrected(i, j):
                places.append(self._corrected(name, i, j, by_start=by_start))
                root = LOWEST
                break
            entry = self._entry(i, j, by_start=by_start)
            places.append(self._place(name, i, j, entry, by_start=by_start))
            reader, position = (self._new, entry.new) if entry.new >= 0 else (self._old, entry.old)
            if position < 0:
                root = LOWEST
                break
            before, from_start = int(reader.into.far[position]), bool(reader.into.code[position] & FROM_START)
            if entry.old < 0 or entry.new < 0:
                root = reader.at(before, start=from_start)
                break
            name, by_start = reader.name(before), from_start
        return places[::-1], root

    def _is_past(self, i: int, j: int, *, by_start: bool) -> bool:
        """Return whether a date is the same fact in both standings."""
        old, new = self._old, self._new
        if by_start:
            return old.state(i) != OPEN and new.state(j) != OPEN and old.work.started[i] == new.work.started[j]
        if old.state(i) != DONE or new.state(j) != DONE or old.work.earliest[i] != new.work.earliest[j]:
            return False
        return self._is_closed(j) or (old.early.driver[i] < 0 and new.early.driver[j] < 0)

    def _is_closed(self, j: int) -> bool:
        """Return whether it is the target, and done: then its actual finish counts, and not what it should have waited for."""
        return self._new.state(j) == DONE and j == self._new.number[self._target]

    def _is_corrected(self, i: int, j: int) -> bool:
        """Return whether the earlier record says something that the later one does not."""
        old, new = self._old, self._new
        if old.state(i) == OPEN:
            return False
        if old.work.started[i] != new.work.started[j]:
            return True
        return old.state(i) == DONE and (new.state(j) != DONE or old.work.earliest[i] != new.work.earliest[j])

    def _corrected(self, name: str, i: int, j: int, *, by_start: bool) -> OnChain:
        old, new = self._old, self._new
        calendar = new.calendar(j)
        is_target = name == self._target
        dates = [
            reader.finished(number) if is_target else reader.at(number, start=by_start)
            for reader, number in ((old, i), (new, j))
        ]
        first = Terms(calendar, 0, dates[0], LOWEST, NONE, linked=False, lag=0, lag_calendar=calendar)
        cause = self._own_cause(name, SlipCause.CORRECTED)
        then = first._replace(earliest=dates[1])
        return OnChain(name, to_finish=False, by_start=False, first=first, steps=((cause, then),), logic=name)

    def _entry(self, i: int, j: int, *, by_start: bool) -> _Entry:
        """Return the link that explains a date, and what everything else allows in the other standing."""
        old, new = self._old, self._new
        if not self._is_history(i, j, by_start=by_start):
            if self._is_closed(j):
                return self._by_new(_driving(old, i), i, j)
            resumes = new.resumes(j)
            if resumes >= old.resumes(i):
                return self._by_new(_driving(new, j), i, j)
            return self._by_old(list(new.counting(j)), i, j, resumes)
        started = int(new.work.started[j])
        links = self._as_built(i, j, by_start=by_start)
        position = _position(latest(links))
        if started >= old.at(i, start=True) or self._held_to_the_end(position, links, started):
            return self._by_new(position, i, j)
        return self._by_old(links, i, j, started)

    def _is_history(self, i: int, j: int, *, by_start: bool) -> bool:
        """Return whether it has started since, and its own record sets the date, not a link."""
        old, new = self._old, self._new
        has_started = old.state(i) == OPEN and new.state(j) != OPEN
        return has_started and (by_start or new.early.driver[j] < 0 or self._is_closed(j))

    def _as_built(self, i: int, j: int, *, by_start: bool) -> list[Allowed]:
        """Return what links would have allowed to what has started, also those whose two ends have happened.

        A link into the finish has held the start only if it allowed it.
        """
        new = self._new
        started, duration = int(new.work.started[j]), int(self._old.work.duration[i])
        links = [Allowed(position, new.allowed(position, j, duration)) for position in new.positions(j)]
        if not by_start:
            return links
        return [link for link in links if link.start <= started or not self._is_to_finish(link.position)]

    def _is_to_finish(self, position: int) -> bool:
        return bool(self._new.into.code[position] & TO_FINISH)

    def _held_to_the_end(self, position: int, links: list[Allowed], started: int) -> bool:
        """Return whether the latest link is one into the finish, and held work that had already started."""
        return position >= 0 and self._is_to_finish(position) and latest_start(links) >= started

    def _by_new(self, position: int, i: int, j: int) -> _Entry:
        """Return the entry by a link of the later standing; in the earlier one the other links hold the activity."""
        same = self._counterpart(position, self._new, j, self._old, i)
        return _Entry(same, position, latest_start(list(self._old.counting(i)), but=same))

    def _by_old(self, others: list[Allowed], i: int, j: int, most: int) -> _Entry:
        """Return the entry by the link that drove before. `others` hold the activity in the later standing, until `most`."""
        position = _driving(self._old, i)
        same = self._counterpart(position, self._old, i, self._new, j)
        return _Entry(position, same, min(latest_start(others, but=same), most))

    def _counterpart(self, position: int, one: SolvedNetwork, number: int, two: SolvedNetwork, other: int) -> int:
        """Return the position of a link in the other network: of the same activities and type, the first, second ... of them."""
        if self._same_links or position < 0:
            return position
        wanted = _same_kind(one, number, int(one.into.far[position]), int(one.into.code[position]))
        before = two.number.get(one.name(int(one.into.far[position])))
        if before is None:
            return -1
        there = _same_kind(two, other, before, int(one.into.code[position]))
        rank = wanted.index(position)
        return there[rank] if rank < len(there) else -1

    def _place(self, name: str, i: int, j: int, entry: _Entry, *, by_start: bool) -> OnChain:
        first, then = _terms(self._old, i, entry.old, entry.floor), _terms(self._new, j, entry.new, entry.floor)
        is_history = self._is_history(i, j, by_start=by_start)
        if is_history or self._is_closed(j):
            then = then._replace(floor=LOWEST, linked=False)
        linked = self._with_link(first, then, entry)
        there = linked._replace(calendar=then.calendar, lag_calendar=then.lag_calendar)
        steps = [(self._cause_of_link(entry), linked), (SlipCause.CALENDAR, there)]
        if is_history:
            begun = there._replace(started=then.started, begins=True)
            steps.append((self._own_cause(name, SlipCause.STARTED), begun))
        elif self._old.state(i) == OPEN == self._new.state(j):
            held = self._held(there, i, j)
            not_yet = SlipCause.HELD if self._half.is_revision else SlipCause.NOT_STARTED
            steps.append((self._own_cause(name, SlipCause.HELD), held))
            steps.append((self._own_cause(name, not_yet), held._replace(earliest=then.earliest)))
        steps.append((self._own_cause(name, self._cause_of_work(j)), then))
        to_finish, logic = self._link_shown(name, entry)
        return OnChain(name, to_finish, by_start, first, tuple(steps), logic)

    def _with_link(self, first: Terms, then: Terms, entry: _Entry) -> Terms:
        """Return the first terms with the later link and lag; hours of a lag that was there before stay for now."""
        if entry.old < 0 and entry.new < 0:
            return first
        is_there = entry.new >= 0 and (first.linked or entry.old < 0)
        lag_calendar = first.lag_calendar if entry.old >= 0 else then.lag_calendar
        return first._replace(lag=then.lag, lag_calendar=lag_calendar, linked=is_there)

    def _held(self, now: Terms, i: int, j: int) -> Terms:
        """Return the terms with the later date before which it may not start; a promise takes the place of a duration."""
        before, after = self._half.before, self._half.after
        old_date = int(before.no_earlier[self._old.network.numbers.order[i]])
        new_date = int(after.no_earlier[self._new.network.numbers.order[j]])
        if old_date == new_date:
            return now
        duration = int(self._new.work.duration[j])
        return now._replace(earliest=max(before.data_date, new_date), duration=duration)

    def _link_shown(self, name: str, entry: _Entry) -> tuple[bool, str]:
        """Return whether the link ends at the finish, and the activity to which a change of it belongs."""
        for position, one, two in ((entry.new, self._new, self._old), (entry.old, self._old, self._new)):
            if position >= 0:
                before = one.name(int(one.into.far[position]))
                return bool(one.into.code[position] & TO_FINISH), name if before in two.number else before
        return False, name

    def _cause_of_link(self, entry: _Entry) -> SlipCause:
        of_crew = _is_crew(self._half.after.crew_links, self._new, entry.new)
        was_of_crew = _is_crew(self._half.before.crew_links, self._old, entry.old)
        return SlipCause.CREW if of_crew or was_of_crew else SlipCause.LOGIC

    def _cause_of_work(self, j: int) -> SlipCause:
        state = self._new.state(j)
        if self._half.is_revision or state == OPEN:
            return SlipCause.DURATION
        return SlipCause.TOOK if state == DONE else SlipCause.TAKING

    def _own_cause(self, name: str, cause: SlipCause) -> SlipCause:
        match self._half.bought.get(name):
            case Bought.DELIVERY:
                return SlipCause.DELIVERY
            case Bought.ORDER:
                return SlipCause.ORDER
        return cause


def _driving(reader: SolvedNetwork, number: int) -> int:
    """Return the position of the link that allows the latest start, -1 without links. Another date may be later still."""
    driver = int(reader.early.driver[number])
    return driver if driver >= 0 else _position(latest(list(reader.counting(number))))


def _position(link: Allowed | None) -> int:
    return -1 if link is None else link.position


def _terms(reader: SolvedNetwork, number: int, position: int, floor: int) -> Terms:
    work, is_there = reader.work, position >= 0
    calendar = reader.calendar(number)
    return Terms(
        calendar=calendar,
        duration=int(work.duration[number]),
        earliest=int(work.earliest[number]),
        floor=floor,
        started=int(work.started[number]) if reader.state(number) != OPEN else NONE,
        linked=is_there and reader.counts(position, number),
        lag=int(reader.into.lag[position]) if is_there else 0,
        lag_calendar=reader.lag_calendar(position) if is_there else calendar,
    )


def _same_kind(reader: SolvedNetwork, number: int, before: int, code: int) -> list[int]:
    """Return the positions of the links of one type between two activities."""
    into, wanted = reader.into, code & (FROM_START | TO_FINISH)
    return [
        position
        for position in reader.positions(number)
        if into.far[position] == before and into.code[position] & (FROM_START | TO_FINISH) == wanted
    ]


def _is_crew(crew_links: Bools | None, reader: SolvedNetwork, position: int) -> bool:
    return crew_links is not None and position >= 0 and bool(crew_links[reader.into.row[position]])
