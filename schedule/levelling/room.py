"""What the making of schedules needs beside the tables: what is free in each slot, and space for keys and orders."""

from __future__ import annotations

from typing import NamedTuple

from schedule.levelling.compiled import Ints, compiled, numbers
from schedule.levelling.tables import SearchTables

TOO_LONG = 1 << 60
"""The length of a schedule that does not fit into the horizon."""


class Room(NamedTuple):
    """Made once for one direction of a problem, used for many schedules."""

    free: Ints
    full_from: Ints
    """For each kind of activity: no start fits from here ..."""
    full_to: Ints
    """... to here, exclusive."""
    counts: Ints
    keys: Ints
    order: Ints
    dirty: Ints
    """The first slot in which `free` may differ from the tables, and the first after it from which on it does not."""


@compiled
def room_for(t: SearchTables) -> Room:
    """Return the room that schedules of one direction are made in."""
    n = len(t.duration)
    free = numbers(len(t.free), 0)
    for at in range(len(free)):
        free[at] = t.free[at]
    return Room(
        free,
        numbers(t.kinds, 0),
        numbers(t.kinds, 0),
        numbers(t.horizon + 2, 0),
        numbers(n, 0),
        numbers(n, 0),
        numbers(2, 0),
    )


@compiled
def clear(t: SearchTables, room: Room) -> None:
    """Make all that was occupied free again, and forget where nothing fitted."""
    for word in range(0, len(t.free), t.horizon):
        low, high = word + room.dirty[0], word + room.dirty[1]
        room.free[low:high] = t.free[low:high]
    room.dirty[0] = t.horizon
    room.dirty[1] = 0
    for kind in range(t.kinds):
        room.full_from[kind] = 0
        room.full_to[kind] = 0
