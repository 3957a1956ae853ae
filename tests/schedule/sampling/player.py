"""One sample played minute by minute, by the words of docs/explanation/risk.md. It shares no arithmetic with the code: it only steps and counts."""

from __future__ import annotations

from collections import Counter, deque

from schedule.cpm.columns import NONE
from schedule.crews.slots import SLOT
from tests.schedule.minutes import FF, SF, SS, Minutes
from tests.schedule.sampling.sites import SPAN, Site


class Player:
    """A site without progress, whose instants other than durations are on quarters of an hour."""

    def __init__(self, site: Site) -> None:
        """Note links, crews and the order of priority."""
        activities, links = site.network.activities, site.network.links
        calendars = [Minutes(calendar, *SPAN) for calendar in site.network.calendars]
        self.calendars, self.own = calendars, [calendars[c] for c in activities.calendar]
        columns = (links.before, links.after, links.type, links.lag, links.lag_calendar)
        self.links = [tuple(int(value) for value in link) for link in zip(*columns, strict=True)]
        self.floor = [0] * len(activities)
        if activities.no_earlier is not None:
            self.floor = [0 if date == NONE else int(date) for date in activities.no_earlier]
        self.held = [tuple(int(value) for value in held) for held in zip(*site.needs, strict=True)]
        self.capacities, self.first = site.capacities, site.slotted.first
        self.order = _order(site)

    def play(self, minutes: list[int]) -> list[int]:
        """Return the finish of each row if it takes so many minutes before they are rounded up to slots."""
        self.used: Counter[tuple[int, int]] = Counter()
        self.start, self.finish = [0] * len(minutes), [0] * len(minutes)
        for row in self.order:
            self._place(row, -(-minutes[row] // SLOT) * SLOT)
        return self.finish

    def _place(self, row: int, length: int) -> None:
        starts, finishes = self._bounds(row)
        begin = max(starts)
        if length == 0:
            self.start[row] = self.finish[row] = max(starts + finishes)
            return
        worked = self._worked(row, begin, length, max(finishes, default=begin))
        self.start[row], self.finish[row] = worked[0], worked[-1] + 1
        for at, resource, amount in self.held:
            if at == row:
                self.used.update(dict.fromkeys(((resource, minute) for minute in worked), amount))

    def _bounds(self, row: int) -> tuple[list[int], list[int]]:
        """Return the instants that the start waits for, and those that the finish waits for."""
        starts = [self.floor[row]]
        finishes: list[int] = []
        for before, after, kind, lag, calendar in self.links:
            if after == row:
                leaves = self.start[before] if kind in {SS, SF} else self.finish[before]
                instant = self.calendars[calendar].lagged(leaves, lag)
                (finishes if kind in {FF, SF} else starts).append(instant)
        return starts, finishes

    def _worked(self, row: int, begin: int, length: int, end: int) -> deque[int]:
        """Return the minutes worked: `length` open ones from `begin` on, to `end` or later, between which no crew is missing.

        The first is the first of a slot.
        """
        worked: deque[int] = deque(maxlen=length)
        minute = begin
        while len(worked) < length or worked[-1] + 1 < end or worked[0] % SLOT:
            if self.own[row].works(minute):
                if self._has_crews(row, minute):
                    worked.append(minute)
                else:
                    worked.clear()
            minute += 1
        return worked

    def _has_crews(self, row: int, minute: int) -> bool:
        for at, resource, amount in self.held:
            capacity = self.capacities[resource]
            steps = zip(capacity.since, capacity.amount, strict=True)
            there = [most for since, most in steps if self.first + since * SLOT <= minute][-1]
            if at == row and self.used[resource, minute] + amount > there:
                return False
        return True


def _order(site: Site) -> list[int]:
    """Return the rows by levelled start, none before what it waits for."""
    problem, row = site.slotted.problem, site.slotted.row
    key: list[int] = []
    for activity in range(problem.count):
        links = slice(problem.links.first[activity], problem.links.first[activity + 1])
        key.append(max([int(site.plan.start[activity]), *(key[before] for before in problem.links.before[links])]))
    in_order = sorted(range(problem.count), key=lambda activity: (key[activity], activity))
    return [int(row[activity]) for activity in in_order if row[activity] >= 0]
