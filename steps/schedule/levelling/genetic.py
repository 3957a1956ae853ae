"""A genetic search over two populations: schedules pushed to the left, and schedules pushed to the right.

After Debels and Vanhoucke (2007), "A decomposition-based genetic algorithm for the resource-constrained project-scheduling
problem", Operations Research 55. A child of two schedules of one population is made in the other direction, so that each
child is also justified. It takes from its father the part of the time in which the father uses most of the resources, and
the rest from its mother.
"""

from __future__ import annotations

from steps.schedule.levelling.compiled import Ints, compiled, numbers
from steps.schedule.levelling.serial import TOO_LONG, Room, again, ordered, room_for, serial, turned_keys
from steps.schedule.levelling.tables import Tables


@compiled
def drawn(state: Ints, below: int) -> int:
    """Return a random integer from 0 to `below - 1` (xorshift; the state is one integer from 1 to 2^32 - 1)."""
    x = state[0]
    x ^= (x << 13) & 0xFFFFFFFF
    x ^= x >> 17
    x ^= (x << 5) & 0xFFFFFFFF
    state[0] = x
    return ((x >> 8) * below) >> 24


@compiled
def use(t: Tables, finishes: Ints, at: int, floor: int, slots: Ints) -> int:
    """Write the use of resources before each slot since the start of a schedule, and return its number of slots.

    The schedule is that of which the finishes begin at `at`; it begins at `floor`.
    """
    n = len(t.duration)
    last = floor
    for a in range(n):
        last = max(last, finishes[at + a])
    length = last - floor
    for slot in range(length + 2):
        slots[slot] = 0
    for a in range(n):
        end = finishes[at + a] - floor
        slots[max(end - t.duration[a], 0) + 1] += t.weight[a]
        slots[max(end, 0) + 1] -= t.weight[a]
    for slot in range(1, length + 1):
        slots[slot] += slots[slot - 1]
    for slot in range(1, length + 1):
        slots[slot] += slots[slot - 1]
    return length


@compiled
def cross(t: Tables, pop: Ints, mother: int, father: int, floor: int, state: Ints, slots: Ints, child: Ints) -> None:
    """Write the finishes of a child: those of the father within his busiest window, around them those of the mother."""
    n = len(t.duration)
    length = use(t, pop, father * n, floor, slots)
    wide = max(length // 4 + drawn(state, max(length // 2, 1)), 1)
    best = -1
    begin = 0
    for slot in range(length - wide + 1):
        used = slots[slot + wide] - slots[slot]
        if used > best:
            best = used
            begin = slot
    low = floor + begin
    high = low + wide
    far = 2 * t.horizon
    for a in range(n):
        own = pop[father * n + a]
        other = pop[mother * n + a]
        if own <= low:
            child[a] = other - far
        elif own > high:
            child[a] = other + far
        else:
            child[a] = own


@compiled
def fitter(lengths: Ints, count: int, state: Ints) -> int:
    """Return the better of two that are drawn."""
    one = drawn(state, count)
    two = drawn(state, count)
    return one if lengths[one] <= lengths[two] else two
