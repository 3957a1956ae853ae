"""The parallel way to make a schedule: slot by slot, whatever may start and fits is started, the most urgent first.

Activities of a kind need the same slots, so that only the most urgent of each kind is tried: it is the first in a heap.
"""

from __future__ import annotations

from typing import NamedTuple

from schedule.levelling.compiled import Ints, compiled, numbers
from schedule.levelling.room import TOO_LONG, Room, clear
from schedule.levelling.serial import earliest, has_room, occupy, place_fixed
from schedule.levelling.tables import SearchTables

NOBODY = -1


@compiled
def push(heap: Ints, base: int, size: int, rank: Ints, a: int) -> None:
    """Put `a` into the heap of `size` activities that begins at `base`."""
    at = size
    heap[base + at] = a
    while at > 0:
        up = (at - 1) // 2
        if rank[heap[base + up]] <= rank[heap[base + at]]:
            break
        heap[base + up], heap[base + at] = heap[base + at], heap[base + up]
        at = up


@compiled
def pop(heap: Ints, base: int, size: int, rank: Ints) -> None:
    """Take the first out of the heap of `size` activities that begins at `base`."""
    heap[base] = heap[base + size - 1]
    size -= 1
    at = 0
    while True:
        least = at
        for down in range(2 * at + 1, min(2 * at + 3, size)):
            if rank[heap[base + down]] < rank[heap[base + least]]:
                least = down
        if least == at:
            break
        heap[base + least], heap[base + at] = heap[base + at], heap[base + least]
        at = least


@compiled
def followers(t: SearchTables) -> tuple[Ints, Ints]:
    """Return the later activities of each activity: where those of `i` begin, and all of them."""
    n = len(t.duration)
    first = numbers(n + 1, 0)
    for before in t.link_before:
        first[before + 1] += 1
    for a in range(n):
        first[a + 1] += first[a]
    filled = numbers(n + 1, 0)
    after = numbers(len(t.link_before), 0)
    for a in range(n):
        for link in range(t.link_first[a], t.link_first[a + 1]):
            before = t.link_before[link]
            after[first[before] + filled[before]] = a
            filled[before] += 1
    return first, after


@compiled
def heap_bases(t: SearchTables) -> Ints:
    """Return where the heap of each kind begins."""
    base = numbers(t.kinds + 1, 0)
    for kind in t.kind:
        base[kind + 1] += 1
    for kind in range(t.kinds):
        base[kind + 1] += base[kind]
    return base


@compiled
def fits_at(t: SearchTables, a: int, slot: int, free: Ints, finish: Ints) -> bool:
    """Return whether `a` can start at `slot`, and write its finish if so."""
    calendar = t.calendar[a]
    left = t.duration[a]
    at = slot
    if left > 0 and calendar >= 0 and t.opened[calendar * t.horizon + slot] == 0:
        return False
    while left > 0:
        if at == t.horizon:
            return False
        if calendar < 0 or t.opened[calendar * t.horizon + at] == 1:
            if not has_room(t, a, at, free):
                return False
            left -= 1
        at += 1
    finish[a] = at
    return True


class Queue(NamedTuple):
    """Who may start, and who may start later."""

    rank: Ints
    first: Ints
    after: Ints
    base: Ints
    heap: Ints
    size: Ints
    """How many activities of each kind are in its heap."""
    tried: Ints
    """The slot in which the first of each kind did not fit."""
    waits: Ints
    """How many links of each activity lead from activities that are not placed."""
    come: Ints
    """The first of the activities that may start from a slot on ..."""
    then: Ints
    """... and the one after each."""


@compiled
def queue_for(t: SearchTables, order: Ints) -> Queue:
    """Return the queue before anything is placed."""
    n = len(t.duration)
    rank = numbers(n, 0)
    waits = numbers(n, 0)
    for at in range(n):
        rank[order[at]] = at
        waits[at] = t.link_first[at + 1] - t.link_first[at]
    first, after = followers(t)
    come = numbers(t.horizon + 1, NOBODY)
    size = numbers(t.kinds, 0)
    q = Queue(
        rank, first, after, heap_bases(t), numbers(n, 0), size, numbers(t.kinds, -1), waits, come, numbers(n, NOBODY)
    )
    for a in range(n):
        if waits[a] == 0:
            announce(t, q, a, max(t.release[a], t.fixed[a]))
    return q


@compiled
def announce(t: SearchTables, q: Queue, a: int, slot: int) -> None:
    """Note that `a` may start from a slot on. Beyond the horizon it never comes, and the schedule fails."""
    if slot < t.horizon:
        q.then[a] = q.come[slot]
        q.come[slot] = a


@compiled
def arrive(t: SearchTables, q: Queue, slot: int) -> None:
    """Put into the heaps what may start from this slot on."""
    a = q.come[slot]
    q.come[slot] = NOBODY
    while a != NOBODY:
        kind = t.kind[a]
        push(q.heap, q.base[kind], q.size[kind], q.rank, a)
        q.size[kind] += 1
        a = q.then[a]


@compiled
def most_urgent(t: SearchTables, q: Queue, slot: int) -> int:
    """Return the most urgent activity that was not tried in this slot, or NOBODY."""
    chosen = NOBODY
    for kind in range(t.kinds):
        if q.size[kind] > 0 and q.tried[kind] < slot:
            a = q.heap[q.base[kind]]
            if chosen == NOBODY or q.rank[a] < q.rank[chosen]:
                chosen = a
    return chosen


@compiled
def starts(t: SearchTables, a: int, slot: int, room: Room, start: Ints, finish: Ints) -> bool:
    """Start an activity if it fits, and return whether it does."""
    if t.fixed[a] >= 0:
        start[a] = t.fixed[a]
        place_fixed(t, a, finish)
        return True
    if not fits_at(t, a, slot, room.free, finish):
        return False
    start[a] = slot
    occupy(t, a, slot, finish[a], room)
    return True


@compiled
def parallel(t: SearchTables, order: Ints, room: Room, start: Ints, finish: Ints) -> int:
    """Write starts and finishes; urgent is what comes first in `order`. Return the last finish."""
    n = len(t.duration)
    clear(t, room)
    q = queue_for(t, order)
    placed = 0
    last = 0
    slot = 0
    while placed < n and slot < t.horizon:
        arrive(t, q, slot)
        a = most_urgent(t, q, slot)
        if a == NOBODY:
            slot += 1
            continue
        kind = t.kind[a]
        if not starts(t, a, slot, room, start, finish):
            q.tried[kind] = slot
            continue
        pop(q.heap, q.base[kind], q.size[kind], q.rank)
        q.size[kind] -= 1
        placed += 1
        last = max(last, finish[a])
        for at in range(q.first[a], q.first[a + 1]):
            follower = q.after[at]
            q.waits[follower] -= 1
            if q.waits[follower] == 0:
                announce(t, q, follower, max(slot, earliest(t, follower, 0, start, finish), t.fixed[follower]))
    return last if placed == n else TOO_LONG
