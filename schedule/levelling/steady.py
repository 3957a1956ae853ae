"""The serial way for problems in which work is never interrupted: no calendars, nothing fixed, all needs of an activity in one word.

Most schedules of a search are made here. So this is one function without calls: machine code counts references to every array at
a call, which takes longer than placing an activity. `serial.py` says the same in pieces, for all problems.
"""

from __future__ import annotations

from schedule.levelling.compiled import Ints, compiled
from schedule.levelling.room import TOO_LONG, Room
from schedule.levelling.tables import SearchTables


@compiled
def steady(t: SearchTables, order: Ints, floor: int, room: Room, start: Ints, finish: Ints) -> int:
    """Write starts and finishes of the activities placed in `order`, none before `floor`; return the last finish.

    The slots of a possible start are looked at from the last to the first: where one is full, no start up to it fits.
    """
    horizon, release, duration, kinds = t.horizon, t.release, t.duration, t.kind
    link_first, link_before, link_gap = t.link_first, t.link_before, t.link_gap
    need_first, need_word, needs, need_guard = t.need_first, t.need_word, t.need, t.need_guard
    free, full_from, full_to = room.free, room.full_from, room.full_to
    repeated = 2 * t.kinds < len(order)
    low, high, last = horizon, 0, 0
    for a in order:
        est = max(floor, release[a])
        for link in range(link_first[a], link_first[a + 1]):
            est = max(est, start[link_before[link]] + link_gap[link])
        length = duration[a]
        begin = est
        at = need_first[a]
        if length > 0 and at < need_first[a + 1]:
            kind, word, need, guard = kinds[a], need_word[at], needs[at], need_guard[at]
            if repeated and full_from[kind] <= est < full_to[kind]:
                begin = full_to[kind]
            seen = begin
            while begin + length <= horizon:
                slot = begin + length - 1
                while slot >= seen and (free[word + slot] - need) & guard == guard:
                    slot -= 1
                if slot < seen:
                    break
                seen = begin + length
                begin = slot + 1
            if repeated and full_from[kind] <= est <= full_to[kind]:
                full_to[kind] = max(begin, full_to[kind])
            elif repeated and begin - est > full_to[kind] - full_from[kind]:
                full_from[kind] = est
                full_to[kind] = begin
        end = begin + length
        if end > horizon:
            last = TOO_LONG
            break
        if at < need_first[a + 1]:
            low, high = min(low, begin), max(high, end)
            for slot in range(begin, end):
                free[need_word[at] + slot] -= needs[at]
        start[a] = begin
        finish[a] = end
        last = max(last, end)
    room.dirty[0], room.dirty[1] = low, high
    return last
