"""Which activities drive a target in a sample: by their links, and by the crews that they hold.

A chain goes back from the target. Where an activity waited for a crew, it goes to the activity that released the crew: of
those that held it in the last slot in which it was lacking, the first to finish. Elsewhere it goes along the link that sets
the start, the first of equal ones. It ends where a release sets the start, or where the crew was not there at all.
"""

from __future__ import annotations

from schedule.levelling.compiled import Ints, compiled
from schedule.levelling.serial import pulled
from schedule.levelling.tables import SearchTables
from schedule.sampling.layout import NOWHERE, CrewLanes, LaidOut, OpenSlots, Placed

NOBODY = -1


@compiled
def count_chain(
    t: SearchTables, layout: LaidOut, order: Ints, placed: Placed, target: int, first: int, on_chain: Ints
) -> None:
    """Add 1 for each activity on the chain that drives `target`; that of activity `i` is at `first + i`."""
    a = target
    while a != NOBODY:
        on_chain[first + a] += 1
        waits = placed.lacked[a] != NOWHERE
        a = (
            releaser(t, layout.hours, layout.crews, order, placed, a)
            if waits
            else predecessor(t, layout.hours, placed, a)
        )


@compiled
def predecessor(t: SearchTables, hours: OpenSlots, placed: Placed, a: int) -> int:
    """Return the activity whose link sets the start of `a`, or NOBODY if its release does, or if it is fixed."""
    if t.fixed[a] >= 0:
        return NOBODY
    latest = -1
    found = NOBODY
    for link in range(t.link_first[a], t.link_first[a + 1]):
        before = t.link_before[link]
        ends = t.link_ends[link]
        instant = (placed.finish[before] if ends & 1 else placed.start[before]) + t.link_gap[link]
        if ends & 2:
            instant = pulled(t, a, instant)
        if instant > latest:
            latest = instant
            found = before
    if found != NOBODY and latest < t.release[a]:
        calendar = (t.calendar[a] + 1) * (t.horizon + 1)
        idle = hours.before[calendar + t.release[a]] == hours.before[calendar + latest]
        if not idle or t.duration[a] == 0:
            return NOBODY
    return found


@compiled
def releaser(t: SearchTables, hours: OpenSlots, crews: CrewLanes, order: Ints, placed: Placed, a: int) -> int:
    """Return the activity that released the crew for which `a` waited, or NOBODY if the crew was not there at all."""
    slot = placed.lacked[a]
    for k in range(crews.first[a], crews.first[a + 1]):
        resource = crews.resource[k]
        level = (t.free[crews.word[resource] + slot] >> crews.shift[resource]) & crews.lane[resource]
        left = level - crews.amount[k]
        found = NOBODY
        for b in order:
            if b == a:
                break
            if placed.start[b] <= slot < placed.finish[b]:
                held = held_by(t, hours, crews, b, resource, slot)
                left -= held
                if held > 0 and (found == NOBODY or placed.finish[b] < placed.finish[found]):
                    found = b
        if left < 0:
            return found
    return NOBODY


@compiled
def held_by(t: SearchTables, hours: OpenSlots, crews: CrewLanes, b: int, resource: int, slot: int) -> int:
    """Return how many of a resource `b` holds in a slot between its start and its finish."""
    calendar = (t.calendar[b] + 1) * (t.horizon + 1)
    if hours.before[calendar + slot] == hours.before[calendar + slot + 1]:
        return 0
    for k in range(crews.first[b], crews.first[b + 1]):
        if crews.resource[k] == resource:
            return crews.amount[k]
    return 0
