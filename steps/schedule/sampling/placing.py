"""Places the activities of one sample in a fixed order, each as early as links, releases, calendars and crews allow.

It is the serial way of `levelling.serial` for a calendar that is closed most of the time: it counts open slots and does not
visit closed ones. Durations differ from sample to sample, so nothing that did not fit is remembered between activities.
"""

from __future__ import annotations

from typing import NamedTuple

from steps.schedule.levelling.compiled import Ints, compiled
from steps.schedule.levelling.serial import TOO_LONG, Room, clear, earliest, has_room
from steps.schedule.levelling.tables import SearchTables

NOWHERE = -1
"""The slot in which a crew was lacking, of an activity that waited for none."""


class Hours(NamedTuple):
    """The open slots of each calendar. Those of calendar `c` are at `c + 1`; slots without a calendar are all open and at 0."""

    opens: Ints
    """How many there are in all."""
    before: Ints
    """How many there are before each slot: horizon + 1 for each calendar."""
    slot: Ints
    """The slot of each: horizon for each calendar."""


class Placed(NamedTuple):
    """Where the activities of a sample are."""

    start: Ints
    finish: Ints
    lacked: Ints
    """The last slot before the start in which a crew was lacking, or NOWHERE."""


@compiled
def schedule(t: SearchTables, hours: Hours, order: Ints, room: Room, placed: Placed) -> int:
    """Place all that is not fixed, and return the first activity that does not fit into the horizon, or -1.

    `order` is topological. Starts and finishes of what is fixed are in `placed` already.
    """
    clear(t, room)
    for a in order:
        if t.fixed[a] < 0:
            est = earliest(t, a, 0, placed.start, placed.finish)
            if place(t, hours, a, est, room, placed) == TOO_LONG:
                return a
    return -1


@compiled
def place(t: SearchTables, hours: Hours, a: int, est: int, room: Room, placed: Placed) -> int:
    """Place one activity at the first slot from `est` on at which it fits, and return it; TOO_LONG if there is none.

    A stretch of open slots is tried from its end: the last slot that lacks a crew rules out all starts up to it.
    """
    length = t.duration[a]
    placed.lacked[a] = NOWHERE
    if est > t.horizon:
        return TOO_LONG
    if length == 0:
        placed.start[a] = est
        placed.finish[a] = est
        return est
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
        return TOO_LONG
    placed.start[a] = hours.slot[slots + first]
    placed.finish[a] = hours.slot[slots + last] + 1
    occupy(t, hours, a, slots + first, slots + last + 1, room)
    return placed.start[a]


@compiled
def occupy(t: SearchTables, hours: Hours, a: int, begin: int, end: int, room: Room) -> None:
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
