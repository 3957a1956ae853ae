"""The rules of docs/reference/schedule.md, played minute by minute. It shares no arithmetic with the code: it only steps and counts.

A calendar is a row of minutes, worked or not. Each question is answered by walking along it.
"""

from __future__ import annotations

import numpy as np

from schedule.cpm.columns import NONE, Activities, Actuals, Links
from schedule.cpm.shifts import ShiftCalendar

FS, SS, FF, SF = range(4)


class Played:
    """Dates by row."""

    def __init__(self, number: int) -> None:
        self.start = [0] * number
        self.finish = [0] * number
        self.remaining_start = [0] * number
        self.late_start = [0] * number
        self.late_finish = [0] * number
        self.total_float = [0] * number
        self.free_float = [0] * number
        self.project_finish = 0


class Minutes:
    """One calendar's minutes from `first` to `last`."""

    def __init__(self, calendar: ShiftCalendar, first: int, last: int) -> None:
        self.first = first
        self.worked = bytearray(last - first)
        for start, end in zip(calendar.start.tolist(), calendar.end.tolist(), strict=True):
            begin, stop = max(start, first), min(end, last)
            self.worked[begin - first : stop - first] = b"\1" * (stop - begin)

    def works(self, minute: int) -> bool:
        return bool(self.worked[minute - self.first])

    def next(self, t: int) -> int:
        """Walk to the next minute that is worked."""
        while not self.works(t):
            t += 1
        return t

    def after(self, t: int, minutes: int) -> int:
        """Walk on until so many minutes are worked; stop at the end of the last."""
        while minutes:
            minutes -= self.works(t)
            t += 1
        return t

    def ahead_of(self, t: int, minutes: int) -> int:
        """Walk back until so many minutes are worked; stop at the beginning of the first."""
        while minutes:
            t -= 1
            minutes -= self.works(t)
        return t

    def idle(self, begin: int, end: int) -> bool:
        """Whether nothing is worked from one instant to another."""
        return 1 not in self.worked[begin - self.first : max(begin, end) - self.first]

    def between(self, begin: int, end: int) -> int:
        """Count the minutes worked; negative where the end comes first."""
        if end < begin:
            return -self.between(end, begin)
        return self.worked.count(1, begin - self.first, end - self.first)

    def lagged(self, t: int, lag: int) -> int:
        """Where a link's lag leads: after so much work, or as much work ahead."""
        return self.after(t, lag) if lag >= 0 else self.ahead_of(t, -lag)

    def unlagged(self, t: int, lag: int) -> int:
        """The last instant from which a lag leads no further."""
        if lag > 0:
            return self.ahead_of(t, lag)
        return self.next(self.after(t, -lag)) if lag else t


class Player:
    """One network, activity by activity in any order that its links allow."""

    def __init__(
        self,
        activities: Activities,
        links: Links,
        calendars: list[ShiftCalendar],
        span: tuple[int, int],
        actuals: Actuals | None = None,
    ) -> None:
        self.number = len(activities)
        self.activities = activities
        self.calendars = [Minutes(calendar, *span) for calendar in calendars]
        self.own = [self.calendars[c] for c in activities.calendar]
        rows = zip(links.before, links.after, links.type, links.lag, links.lag_calendar, strict=True)
        self.links = [tuple(int(value) for value in row) for row in rows]
        nothing = np.full(self.number, NONE)
        self.actuals = actuals
        self.began: list[int] = (actuals.started if actuals else nothing).tolist()
        self.ended: list[int] = (actuals.finished if actuals else nothing).tolist()
        self.left = [self._left(i) for i in range(self.number)]

    def play(self, start: int = 0, target: int | None = None) -> Played:
        """Find every date."""
        played = Played(self.number)
        self.project_start = start
        self.logic_finish = [0] * self.number
        order = self._order()
        for j in order:
            self._early(j, start, played)
        finishes = self.logic_finish
        played.project_finish = max(finishes) if target is None else finishes[target]
        for i in reversed(order):
            self._late(i, played)
        for i in range(self.number):
            self._floats(i, played)
        for i in range(self.number):
            if self.ended[i] != NONE:
                played.finish[i] = played.late_finish[i] = self.ended[i]
                played.late_start[i] = self.began[i]
        return played

    def _left(self, i: int) -> int:
        duration = int(self.activities.duration[i])
        if self.ended[i] != NONE:
            return 0
        if self.actuals and self.actuals.remaining is not None and self.actuals.remaining[i] != NONE:
            return int(self.actuals.remaining[i])
        if self.actuals and self.began[i] != NONE:
            worked: int = self.own[i].between(self.began[i], self.actuals.data_date)
            return max(0, duration - worked)
        return duration

    def _order(self) -> list[int]:
        order: list[int] = []
        while len(order) < self.number:
            ready = (
                i
                for i in range(self.number)
                if i not in order and all(link[0] in order for link in self.links if link[1] == i)
            )
            order.append(next(ready))
        return order

    def _matters(self, link: tuple[int, ...]) -> bool:
        """A link is over when both its ends have happened, or when what started does not wait (progress override)."""
        before, after, kind, *_ = link
        left = (self.began if kind in {SS, SF} else self.ended)[before] != NONE
        reached = (self.began if kind in {FS, SS} else self.ended)[after] != NONE
        if self.actuals and self.actuals.override and self.began[after] != NONE:
            return False
        return not (left and reached)

    def _early(self, j: int, start: int, played: Played) -> None:
        starts = [self._floor(j, start)]
        finishes: list[int] = []
        for link in self.links:
            before, after, kind, lag, calendar = link
            if after != j or not self._matters(link):
                continue
            leaves = played.start[before] if kind in {SS, SF} else self.logic_finish[before]
            instant = self.calendars[calendar].lagged(leaves, lag)
            (starts if kind in {FS, SS} else finishes).append(instant)
        begin, end = self._earliest(j, starts, finishes)
        played.remaining_start[j], self.logic_finish[j], played.finish[j] = begin, end, end
        played.start[j] = begin if self.began[j] == NONE else self.began[j]

    def _earliest(self, j: int, starts: list[int], finishes: list[int]) -> tuple[int, int]:
        """The first start and finish in working time that keep these bounds."""
        own, left = self.own[j], self.left[j]
        if left == 0:
            begin = max(starts + finishes)
            return begin, begin
        begin = own.next(max(starts))
        end = own.after(begin, left)
        while not all(own.idle(end, instant) for instant in finishes):
            begin, end = own.next(begin + 1), own.after(end, 1)
        return begin, end

    def _floor(self, j: int, start: int) -> int:
        if self.ended[j] != NONE:
            return int(self.ended[j])
        if self.began[j] != NONE and self.actuals:
            return self.actuals.data_date
        floor = max(start, self.actuals.data_date) if self.actuals else start
        if self.activities.no_earlier is not None:
            floor = max(floor, int(self.activities.no_earlier[j]))
        return floor

    def _end_cap(self, i: int, played: Played) -> int:
        return max(self.logic_finish[i], played.project_finish)

    def _late(self, i: int, played: Played) -> None:
        finishes = [self._end_cap(i, played)]
        starts: list[int] = []
        if self.activities.no_later is not None and self.activities.no_later[i] != NONE:
            finishes.append(int(self.activities.no_later[i]))
        for link in self.links:
            before, after, kind, lag, calendar = link
            if before != i or not self._matters(link) or (kind in {SS, SF} and self.began[i] != NONE):
                continue
            reaches = played.late_start[after] if kind in {FS, SS} else played.late_finish[after]
            (starts if kind in {SS, SF} else finishes).append(self.calendars[calendar].unlagged(reaches, lag))
        own, left = self.own[i], self.left[i]
        if left == 0:
            played.late_start[i] = played.late_finish[i] = min(starts + finishes)
            return
        end = own.ahead_of(min(finishes), 1) + 1
        begin = own.ahead_of(end, left)
        while not all(begin <= instant or own.idle(instant, begin) for instant in starts):
            end = own.ahead_of(end - 1, 1) + 1
            begin = own.ahead_of(end, left)
        played.late_start[i], played.late_finish[i] = begin, end

    def _floats(self, i: int, played: Played) -> None:
        own, finish = self.own[i], self.logic_finish[i]
        if self.ended[i] != NONE:
            return
        played.total_float[i] = own.between(finish, played.late_finish[i])
        free = own.between(finish, self._end_cap(i, played))
        for link in self.links:
            before, after, kind, lag, calendar = link
            if before != i or not self._matters(link) or (kind in {SS, SF} and self.began[i] != NONE):
                continue
            end = self.logic_finish[after]
            latest = self.own[after].next(end) if self.left[after] else end
            reaches = played.remaining_start[after] if kind in {FS, SS} else latest
            allowed = self.calendars[calendar].unlagged(reaches, lag)
            leaves = played.start[i] if kind in {SS, SF} else finish
            free = min(free, own.between(leaves, allowed))
        played.free_float[i] = free
