"""The serial way to make a schedule: activities one by one in a given order, each as early as it fits.

All schedules of this package are made here or in `parallel.py`. Times that lie beyond the horizon make a schedule fail, and
its length is `TOO_LONG`.
"""

from __future__ import annotations

from schedule.levelling.compiled import Ints, compiled
from schedule.levelling.room import TOO_LONG, Room, clear
from schedule.levelling.steady import steady
from schedule.levelling.tables import SearchTables


@compiled
def earliest(t: SearchTables, a: int, floor: int, start: Ints, finish: Ints) -> int:
    """Return the earliest start of `a` by its release and its links."""
    est = max(floor, t.release[a])
    for link in range(t.link_first[a], t.link_first[a + 1]):
        before = t.link_before[link]
        ends = t.link_ends[link]
        if ends == 0:
            est = max(est, start[before] + t.link_gap[link])
        else:
            instant = (finish[before] if ends & 1 else start[before]) + t.link_gap[link]
            est = max(est, pulled(t, a, instant) if ends & 2 else instant)
    return est


@compiled
def first_open(t: SearchTables, a: int, slot: int) -> int:
    """Return the first slot from `slot` on in which `a` may work, whatever it needs; `slot` itself if it takes no time."""
    calendar = t.calendar[a]
    if calendar >= 0 and t.duration[a] > 0:
        while slot < t.horizon and t.opened[calendar * t.horizon + slot] == 0:
            slot += 1
    return slot


@compiled
def pulled(t: SearchTables, a: int, instant: int) -> int:
    """Return the earliest start with which `a` finishes at `instant` or later; beyond the horizon if that is not in it."""
    length = t.duration[a]
    if instant > t.horizon:
        return instant
    if t.calendar[a] < 0 or length == 0:
        return instant - length
    at = t.calendar[a] * t.horizon
    last = t.open_before[at + max(instant - 1, 0)]
    ends_beyond = last == t.open_before[at + t.horizon - 1] and t.opened[at + t.horizon - 1] == 0
    if ends_beyond and length == 1:
        return t.horizon - 1
    return t.open_slot[at + last - length + 1] if last >= length - 1 else 0


@compiled
def place(t: SearchTables, a: int, est: int, free: Ints, finish: Ints) -> int:
    """Return the first start from `est` on at which `a` fits, and write its finish; TOO_LONG if there is none."""
    length = t.duration[a]
    low = t.need_first[a]
    high = t.need_first[a + 1]
    calendar = t.calendar[a]
    if length == 0 or (calendar < 0 and low == high):
        finish[a] = est + length
        return est if est + length <= t.horizon else TOO_LONG
    run = 0
    found = est
    for slot in range(est, t.horizon):
        if calendar >= 0 and t.opened[calendar * t.horizon + slot] == 0:
            continue
        if not has_room(t, a, slot, free):
            run = 0
            continue
        if run == 0:
            found = slot
        run += 1
        if run == length:
            finish[a] = slot + 1
            return found
    return TOO_LONG


@compiled
def has_room(t: SearchTables, a: int, slot: int, free: Ints) -> bool:
    """Return whether a slot has what `a` needs."""
    for k in range(t.need_first[a], t.need_first[a + 1]):
        guard = t.need_guard[k]
        if (free[t.need_word[k] + slot] - t.need[k]) & guard != guard:
            return False
    return True


@compiled
def occupy(t: SearchTables, a: int, begin: int, end: int, room: Room) -> None:
    """Take what `a` needs from the slots between its start and its finish."""
    calendar = t.calendar[a]
    if t.need_first[a] == t.need_first[a + 1]:
        return
    room.dirty[0] = min(room.dirty[0], begin)
    room.dirty[1] = max(room.dirty[1], end)
    for k in range(t.need_first[a], t.need_first[a + 1]):
        word = t.need_word[k]
        need = t.need[k]
        for slot in range(begin, end):
            if calendar < 0 or t.opened[calendar * t.horizon + slot] == 1:
                room.free[word + slot] -= need


@compiled
def serial(t: SearchTables, order: Ints, floor: int, room: Room, start: Ints, finish: Ints) -> int:
    """Write starts and finishes of the activities placed in `order`, none before `floor`; return the last finish.

    `order` is topological. What fits nowhere for one activity fits nowhere for a later one of its kind: the search goes on
    where the last one of the kind ended.
    """
    clear(t, room)
    if t.steady:
        return steady(t, order, floor, room, start, finish)
    last = 0
    for a in order:
        if t.fixed[a] >= 0:
            start[a] = t.fixed[a]
            place_fixed(t, a, finish)
        else:
            est = earliest(t, a, floor, start, finish)
            kind = t.kind[a]
            begin = est
            if room.full_from[kind] <= est < room.full_to[kind]:
                begin = room.full_to[kind]
            found = place(t, a, begin, room.free, finish)
            if found == TOO_LONG:
                return TOO_LONG
            if room.full_from[kind] <= est <= room.full_to[kind]:
                room.full_to[kind] = max(found, room.full_to[kind])
            elif found - est > room.full_to[kind] - room.full_from[kind]:
                room.full_from[kind] = est
                room.full_to[kind] = found
            start[a] = found
            occupy(t, a, found, finish[a], room)
        last = max(last, finish[a])
    return last


@compiled
def place_fixed(t: SearchTables, a: int, finish: Ints) -> None:
    """Write the finish of an activity whose start is fixed."""
    slot = t.fixed[a]
    calendar = t.calendar[a]
    left = t.duration[a]
    while left > 0:
        if calendar < 0 or slot >= t.horizon or t.opened[calendar * t.horizon + slot] == 1:
            left -= 1
        slot += 1
    finish[a] = slot


@compiled
def ordered(t: SearchTables, keys: Ints, room: Room) -> None:
    """Write to `room.order` the activities by rising key, later ones after all that they wait for. Keys are changed."""
    n = len(t.duration)
    low = keys[0] if n else 0
    high = low
    for a in range(n):
        for link in range(t.link_first[a], t.link_first[a + 1]):
            keys[a] = max(keys[a], keys[t.link_before[link]])
        low = min(low, keys[a])
        high = max(high, keys[a])
    counts = room.counts
    if high - low + 2 > len(counts):  # wider than the horizon: sort by what is left of the key after a division
        step = (high - low) // (len(counts) - 2) + 1
        for a in range(n):
            keys[a] = (keys[a] - low) // step
        high = (high - low) // step
        low = 0
    for at in range(high - low + 2):
        counts[at] = 0
    for a in range(n):
        counts[keys[a] - low + 1] += 1
    for at in range(high - low + 1):
        counts[at + 1] += counts[at]
    for a in range(n):
        at = keys[a] - low
        room.order[counts[at]] = a
        counts[at] += 1


@compiled
def turned_keys(finish: Ints, keys: Ints) -> None:
    """Write the keys that place activities in the other direction: what finishes last comes first."""
    n = len(finish)
    for a in range(n):
        keys[n - 1 - a] = -finish[a]


@compiled
def again(t: SearchTables, finish: Ints, floor: int, room: Room, start: Ints, new_finish: Ints) -> int:
    """Make a schedule in direction `t` from the finishes of one in the other direction; return its last finish."""
    turned_keys(finish, room.keys)
    ordered(t, room.keys, room)
    return serial(t, room.order, floor, room, start, new_finish)
