"""The parallel way to make a schedule: slot by slot, whatever may start and fits is started, the most urgent first.

Activities of a kind need the same slots, so that only the most urgent of each kind is tried: it is the first in a heap.
"""

from __future__ import annotations

from steps.schedule.levelling.compiled import Ints, compiled, numbers
from steps.schedule.levelling.serial import TOO_LONG, Room, clear, earliest, occupy, place_fixed
from steps.schedule.levelling.tables import Tables

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
def followers(t: Tables) -> tuple[Ints, Ints]:
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
def heap_bases(t: Tables) -> Ints:
    """Return where the heap of each kind begins."""
    base = numbers(t.kinds + 1, 0)
    for kind in t.kind:
        base[kind + 1] += 1
    for kind in range(t.kinds):
        base[kind + 1] += base[kind]
    return base


@compiled
def fits_at(t: Tables, a: int, slot: int, free: Ints, finish: Ints) -> bool:
    """Return whether `a` can start at `slot`, and write its finish if so."""
    if t.duration[a] == 0:
        finish[a] = slot
        return True
    calendar = t.calendar[a]
    left = t.duration[a]
    at = slot
    if calendar >= 0 and t.opened[calendar * t.horizon + slot] == 0:
        return False
    while left > 0:
        if at == t.horizon:
            return False
        if calendar < 0 or t.opened[calendar * t.horizon + at] == 1:
            for k in range(t.need_first[a], t.need_first[a + 1]):
                guard = t.need_guard[k]
                if (free[t.need_word[k] + at] - t.need[k]) & guard != guard:
                    return False
            left -= 1
        at += 1
    finish[a] = at
    return True


@compiled
def parallel(t: Tables, order: Ints, room: Room, start: Ints, finish: Ints) -> int:
    """Write starts and finishes; urgent is what comes first in `order`. Return the last finish."""
    n = len(t.duration)
    clear(t, room)
    rank = numbers(n, 0)
    for at in range(n):
        rank[order[at]] = at
    first, after = followers(t)
    base = heap_bases(t)
    heap = numbers(n, 0)
    size = numbers(t.kinds, 0)
    tried = numbers(t.kinds, -1)
    waits = numbers(n, 0)
    for a in range(n):
        waits[a] = t.link_first[a + 1] - t.link_first[a]
    come = numbers(t.horizon + 1, NOBODY)  # the activities that may start from a slot on, as a chain
    then = numbers(n, NOBODY)
    for a in range(n):
        if waits[a] == 0:
            slot = max(t.release[a], t.fixed[a])
            if slot >= t.horizon:
                return TOO_LONG
            then[a] = come[slot]
            come[slot] = a
    placed = 0
    last = 0
    slot = 0
    while placed < n and slot < t.horizon:
        a = come[slot]
        come[slot] = NOBODY
        while a != NOBODY:
            following = then[a]
            kind = t.kind[a]
            push(heap, base[kind], size[kind], rank, a)
            size[kind] += 1
            a = following
        chosen = NOBODY
        for kind in range(t.kinds):
            if size[kind] > 0 and tried[kind] < slot:
                a = heap[base[kind]]
                if chosen == NOBODY or rank[a] < rank[chosen]:
                    chosen = a
        if chosen == NOBODY:
            slot += 1
            continue
        kind = t.kind[chosen]
        if t.fixed[chosen] >= 0:
            start[chosen] = t.fixed[chosen]
            place_fixed(t, chosen, finish)
        elif fits_at(t, chosen, slot, room.free, finish):
            start[chosen] = slot
            occupy(t, chosen, slot, finish[chosen], room)
        else:
            tried[kind] = slot
            continue
        pop(heap, base[kind], size[kind], rank)
        size[kind] -= 1
        placed += 1
        last = max(last, finish[chosen])
        for at in range(first[chosen], first[chosen + 1]):
            a = after[at]
            waits[a] -= 1
            if waits[a] == 0:
                begin = max(slot, earliest(t, a, 0, start, finish), t.fixed[a])
                if begin >= t.horizon:
                    return TOO_LONG
                then[a] = come[begin]
                come[begin] = a
    return last if placed == n else TOO_LONG
