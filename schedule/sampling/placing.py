"""Places the activities of one sample in a fixed order, each as early as links, releases, calendars and crews allow.

It is the serial way of `levelling.serial` for a calendar that is closed most of the time: it counts open slots and does not
visit closed ones. Durations differ from sample to sample, so nothing that did not fit is remembered between activities.
"""

from __future__ import annotations

from schedule.levelling.compiled import Ints, compiled
from schedule.levelling.room import Room, clear
from schedule.levelling.serial import earliest, has_room
from schedule.levelling.tables import SearchTables
from schedule.sampling.layout import NOWHERE, CrewLanes, LaidOut, OpenSlots, Placed


@compiled
def schedule(t: SearchTables, layout: LaidOut, order: Ints, room: Room, placed: Placed) -> int:
    """Place all activities, and return the first that does not fit into the horizon, or -1.

    In `order` what is fixed comes first; the rest is topological.
    """
    clear(t, room)
    hours = layout.hours
    for a in order:
        if t.fixed[a] >= 0:
            fits = settle(t, hours, layout.crews, a, room, placed)
        else:
            fits = place(t, hours, a, earliest(t, a, 0, placed.start, placed.finish), room, placed)
        if not fits:
            return a
    return -1


@compiled
def place(t: SearchTables, hours: OpenSlots, a: int, est: int, room: Room, placed: Placed) -> bool:
    """Place one activity at the first slot from `est` on at which it fits, and return whether there is one.

    A stretch of open slots is tried from its end: the last slot that lacks a crew rules out all starts up to it.
    """
    length = t.duration[a]
    placed.lacked[a] = NOWHERE
    if est > t.horizon:
        return False
    if length == 0:
        placed.start[a] = est
        placed.finish[a] = est
        return True
    calendar = t.calendar[a] + 1
    slots = calendar * t.horizon
    first = hours.before[calendar * (t.horizon + 1) + est]
    if t.need_first[a] < t.need_first[a + 1]:
        seen = first
        at = first + length - 1
        while at >= seen and at < hours.opens[calendar]:
            slot = hours.slot[slots + at]
            if has_room(t, a, slot, room.free):
                at -= 1
            else:
                placed.lacked[a] = slot
                seen = first + length
                first = at + 1
                at = first + length - 1
    last = first + length - 1
    if last >= hours.opens[calendar]:
        return False
    placed.start[a] = hours.slot[slots + first]
    placed.finish[a] = hours.slot[slots + last] + 1
    occupy(t, hours, a, slots + first, slots + last + 1, room)
    return True


@compiled
def occupy(t: SearchTables, hours: OpenSlots, a: int, begin: int, end: int, room: Room) -> None:
    """Take what `a` needs from the open slots from one place in `hours.slot` to another."""
    if t.need_first[a] == t.need_first[a + 1]:
        return
    room.dirty[0] = min(room.dirty[0], hours.slot[begin])
    room.dirty[1] = max(room.dirty[1], hours.slot[end - 1] + 1)
    for k in range(t.need_first[a], t.need_first[a + 1]):
        word = t.need_word[k]
        need = t.need[k]
        for at in range(begin, end):
            room.free[word + hours.slot[at]] -= need


@compiled
def settle(t: SearchTables, hours: OpenSlots, crews: CrewLanes, a: int, room: Room, placed: Placed) -> bool:
    """Leave what is fixed where it is, and return whether it ends within the horizon. It may hold more than there is."""
    length = t.duration[a]
    placed.lacked[a] = NOWHERE
    placed.start[a] = t.fixed[a]
    placed.finish[a] = t.fixed[a]
    if length == 0:
        return True
    if t.fixed[a] > t.horizon:
        return False
    calendar = t.calendar[a] + 1
    begin = calendar * t.horizon + hours.before[calendar * (t.horizon + 1) + t.fixed[a]]
    end = begin + length
    if end > calendar * t.horizon + hours.opens[calendar]:
        return False
    placed.finish[a] = hours.slot[end - 1] + 1
    room.dirty[0] = min(room.dirty[0], hours.slot[begin])
    room.dirty[1] = max(room.dirty[1], placed.finish[a])
    for k in range(crews.first[a], crews.first[a + 1]):
        word = crews.word[crews.resource[k]]
        shift = crews.shift[crews.resource[k]]
        lane = crews.lane[crews.resource[k]]
        for at in range(begin, end):
            where = word + hours.slot[at]
            room.free[where] -= min(crews.amount[k], (room.free[where] >> shift) & lane) << shift
    return True
