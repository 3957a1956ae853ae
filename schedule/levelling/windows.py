"""A search for problems with many activities: one schedule, of which a window in time is shaken again and again.

Each window is around work that waits for a resource: elsewhere another order makes nothing earlier.
A shaken schedule is justified in both directions. It is kept where it is not longer. Equal ones are kept too, since most
changes of a large schedule do not change its length at once.
"""

from __future__ import annotations

from schedule.levelling.compiled import Ints, compiled, numbers
from schedule.levelling.genetic import drawn
from schedule.levelling.room import TOO_LONG, room_for
from schedule.levelling.serial import again, earliest, first_open, ordered, serial
from schedule.levelling.tables import SearchTables

PARTS = 10
"""A window is at most this part of the schedule, a tenth."""
REACH = 2
"""A finish is moved at most this part of the window, a half."""


@compiled
def waiting(t: SearchTables, start: Ints, finish: Ints, found: Ints) -> int:
    """Write the activities that start later than their links and calendars ask for: they wait for a resource. Return how many."""
    count = 0
    for a in range(len(start)):
        if t.fixed[a] < 0 and start[a] > first_open(t, a, earliest(t, a, 0, start, finish)):
            found[count] = a
            count += 1
    return count


@compiled
def shaken(finish: Ints, centre: int, length: int, state: Ints, keys: Ints) -> None:
    """Write keys for the schedule backward, of which those in a window around the finish of `centre` are moved at random."""
    n = len(finish)
    wide = max(length // PARTS, 2)
    low = finish[centre] - drawn(state, wide)
    reach = max(wide // REACH, 1)
    for a in range(n):
        key = -finish[a]
        if low <= finish[a] < low + wide:
            key += drawn(state, 2 * reach + 1) - reach
        keys[n - 1 - a] = key


@compiled
def shake(
    forward: SearchTables,
    mirror: SearchTables,
    schedules: int,
    enough: int,
    state: Ints,
    best_start: Ints,
    best_finish: Ints,
    length: int,
) -> int:
    """Search from the schedule in `best_start` and `best_finish`, and write the last that is kept; return how many were made."""
    n = len(forward.duration)
    ahead = room_for(forward)
    back = room_for(mirror)
    start = numbers(n, 0)
    finish = numbers(n, 0)
    turned = numbers(n, 0)
    waits = numbers(n, 0)
    count = waiting(forward, best_start, best_finish, waits)
    made = 0
    while made + 2 <= schedules and length > enough and count > 0:
        centre = waits[drawn(state, count)]
        shaken(best_finish, centre, length, state, back.keys)
        ordered(mirror, back.keys, back)
        serial(mirror, back.order, forward.horizon - length, back, start, turned)
        found = again(forward, turned, 0, ahead, start, finish)
        made += 2
        if found <= length and found != TOO_LONG:
            length = found
            for a in range(n):
                best_start[a] = start[a]
                best_finish[a] = finish[a]
            count = waiting(forward, best_start, best_finish, waits)
    return made
