"""A genetic search for problems of up to some thousand activities.

A child takes from its mother the finishes in a window of time, all others from its father, and a few are moved at random: so
what fits well together in one stretch of a schedule stays together. The finishes are read as an order, from the last to the first; from it a schedule is made backward, and from that one
forward. So each child is justified in both directions (Valls, Ballestin and Quintanilla 2005, "Justification and RCPSP: a
technique that pays", European Journal of Operational Research 165).
"""

from __future__ import annotations

from schedule.levelling.compiled import Ints, compiled, numbers
from schedule.levelling.room import TOO_LONG, room_for
from schedule.levelling.serial import again, ordered, serial, turned_keys
from schedule.levelling.tables import SearchTables

POPULATION = 150
MOVED = 40
"""How many of a thousand activities are moved at random."""
FARTHEST = 10
"""A move goes at most this part of the schedule, a tenth."""
LEAST = 4
"""A child has at least this part of the schedule from its mother, a quarter, and at most three quarters."""


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
def sown(seed: int) -> Ints:
    """Return the state of random numbers that begins at a seed."""
    state = numbers(1, (seed * 2654435761) % 4294967295 + 1)
    for _ in range(16):
        drawn(state, 2)
    return state


@compiled
def fitter(lengths: Ints, state: Ints) -> int:
    """Return the shorter of two schedules that are drawn."""
    one = drawn(state, len(lengths))
    two = drawn(state, len(lengths))
    return one if lengths[one] <= lengths[two] else two


@compiled
def longest_of_some(lengths: Ints, state: Ints) -> int:
    """Return the longest of four schedules that are drawn."""
    found = drawn(state, len(lengths))
    for _ in range(3):
        other = drawn(state, len(lengths))
        if lengths[other] > lengths[found]:
            found = other
    return found


@compiled
def mixed(finishes: Ints, mother: int, father: int, length: int, state: Ints, child: Ints) -> None:
    """Write the finishes of a child."""
    n = len(child)
    reach = length // FARTHEST
    wide = length // LEAST + drawn(state, length * (LEAST - 2) // LEAST + 1)
    low = drawn(state, length - wide + 1)
    for a in range(n):
        child[a] = finishes[mother * n + a]
        if child[a] <= low or child[a] > low + wide:
            child[a] = finishes[father * n + a]
        if drawn(state, 1000) < MOVED:
            child[a] += drawn(state, 2 * reach + 1) - reach


@compiled
def is_there(finishes: Ints, lengths: Ints, length: int, child: Ints) -> bool:
    """Return whether the population has this schedule."""
    n = len(child)
    for member in range(len(lengths)):
        if lengths[member] != length:
            continue
        same = True
        for a in range(n):
            if finishes[member * n + a] != child[a]:
                same = False
                break
        if same:
            return True
    return False


@compiled
def keep(finishes: Ints, member: int, child: Ints) -> None:
    """Write the finishes of a child over those of a member."""
    n = len(child)
    for a in range(n):
        finishes[member * n + a] = child[a]


@compiled
def genetic(
    forward: SearchTables,
    mirror: SearchTables,
    finishes: Ints,
    lengths: Ints,
    known: int,
    late: Ints,
    schedules: int,
    enough: int,
    state: Ints,
    best_start: Ints,
) -> int:
    """Search until `schedules` are made or one is `enough`; write the starts of a better one, and return the number made.

    The first `known` members of the population are schedules; the others are made from `late`, the latest starts, with
    noise. The best length is that of the shortest member at the end.
    """
    n = len(forward.duration)
    ahead = room_for(forward)
    back = room_for(mirror)
    start = numbers(n, 0)
    finish = numbers(n, 0)
    turned = numbers(n, 0)
    child = numbers(n, 0)
    best = TOO_LONG
    for member in range(known):
        best = min(best, lengths[member])
    reach = 1
    for a in range(n):
        reach = max(reach, late[a])
    made = 0
    member = known
    while made + 3 <= schedules and best > enough:
        if member < len(lengths):
            for a in range(n):
                ahead.keys[a] = 2 * late[a] + drawn(state, reach)
            ordered(forward, ahead.keys, ahead)
            length = serial(forward, ahead.order, 0, ahead, start, child)
            made += 1
        else:
            mother = fitter(lengths, state)
            father = fitter(lengths, state)
            length = max(lengths[mother], lengths[father])
            mixed(finishes, mother, father, length, state, child)
        if length == TOO_LONG:
            continue
        turned_keys(child, back.keys)
        ordered(mirror, back.keys, back)
        serial(mirror, back.order, forward.horizon - length, back, start, turned)
        length = again(forward, turned, 0, ahead, start, finish)
        made += 2
        if length < best:
            best = length
            for a in range(n):
                best_start[a] = start[a]
        if member < len(lengths):
            lengths[member] = length
            keep(finishes, member, finish)
            member += 1
        elif not is_there(finishes, lengths, length, finish):
            worst = longest_of_some(lengths, state)
            if length <= lengths[worst]:
                lengths[worst] = length
                keep(finishes, worst, finish)
    return made
