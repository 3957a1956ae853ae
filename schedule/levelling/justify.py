"""Forward-backward improvement: a schedule is pushed to the right, then to the left, until it gets no shorter."""

from __future__ import annotations

from schedule.levelling.compiled import Ints, compiled, numbers
from schedule.levelling.room import Room
from schedule.levelling.serial import again, ordered, serial
from schedule.levelling.tables import SearchTables


@compiled
def justified(
    forward: SearchTables,
    mirror: SearchTables,
    ahead: Room,
    back: Room,
    start: Ints,
    finish: Ints,
    length: int,
    schedules: int,
) -> int:
    """Improve the schedule of that length while it gets shorter, and return how many of at most `schedules` were made."""
    n = len(start)
    turned_start = numbers(n, 0)
    turned = numbers(n, 0)
    new_start = numbers(n, 0)
    new_finish = numbers(n, 0)
    made = 0
    shorter = True
    while shorter and made + 2 <= schedules:
        again(mirror, finish, forward.horizon - length, back, turned_start, turned)
        found = again(forward, turned, 0, ahead, new_start, new_finish)
        made += 2
        shorter = found < length
        if shorter:
            length = found
            for a in range(n):
                start[a] = new_start[a]
                finish[a] = new_finish[a]
    return made


@compiled
def settled(forward: SearchTables, ahead: Room, start: Ints, finish: Ints, schedules: int) -> int:
    """Push a schedule to the left until nothing can start earlier, and return its last finish.

    At most `schedules` are made. Activities are placed in the order of their starts, so that none gets later.
    """
    n = len(start)
    length = 0
    for a in range(n):
        length = max(length, finish[a])
    old = numbers(n, 0)
    for _ in range(schedules):
        for a in range(n):
            old[a] = start[a]
            ahead.keys[a] = start[a]
        ordered(forward, ahead.keys, ahead)
        length = serial(forward, ahead.order, 0, ahead, start, finish)
        same = True
        for a in range(n):
            if old[a] != start[a]:
                same = False
                break
        if same:
            break
    return length
