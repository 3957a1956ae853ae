"""A problem laid out for samples: what all of them have in common, and what each thread changes from sample to sample."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from schedule.levelling.compiled import Ints, native, numbers
from schedule.levelling.problem import NOT_FIXED, Problem
from schedule.levelling.room import Room, room_for
from schedule.levelling.tables import Packed, SearchTables, forward_alone, open_first, pack


class OpenSlots(NamedTuple):
    """The open slots of each calendar. Those of calendar `c` are at `c + 1`; all slots are open at 0, for work without one."""

    opens: Ints
    """How many there are in all."""
    before: Ints
    """How many there are before each slot: horizon + 1 for each calendar."""
    slot: Ints
    """The slot of each: horizon for each calendar."""


class CrewLanes(NamedTuple):
    """Who needs how many of which crew: those of activity `i` from `first[i]` on. By resource: where it is."""

    first: Ints
    resource: Ints
    amount: Ints
    word: Ints
    """The offset in `free` of the word that a resource has its lane in."""
    shift: Ints
    lane: Ints
    """The bits of the lane, shifted to the right."""


class LaidOut(NamedTuple):
    """What all samples have in common."""

    tables: SearchTables
    """Gaps are between the ends that the problem names, since lengths differ from sample to sample. Nothing fixed is in `free`."""
    hours: OpenSlots
    crews: CrewLanes


class Placed(NamedTuple):
    """Where the activities of a sample are."""

    start: Ints
    finish: Ints
    lacked: Ints
    """The last slot before the start in which a crew was lacking, or NOWHERE."""


NOWHERE = -1
"""The slot in which a crew was lacking, of an activity that waited for none."""


class Memory(NamedTuple):
    """What a thread changes from sample to sample."""

    tables: SearchTables
    """Those of the layout, with durations of this thread's own."""
    room: Room
    placed: Placed
    on_chain: Ints
    """In how many samples each activity drives each target, target by target; empty if chains are not wanted."""


def laid_out(problem: Problem, horizon: int) -> LaidOut:
    """Return what all samples of a problem have in common, over `horizon` slots."""
    links = problem.links
    free = replace(problem, fixed=np.full(problem.count, NOT_FIXED))
    ends = links.from_finish + 2 * links.to_finish
    packed = pack(free, (int(capacity.over(horizon).max(initial=0)) for capacity in free.capacities))
    tables = forward_alone(free, packed, horizon)
    tables = tables._replace(fixed=native(problem.fixed), link_gap=native(links.gap), link_ends=native(ends))
    return LaidOut(tables, _hours(problem, horizon), _crews(free, packed, horizon))


def _hours(problem: Problem, horizon: int) -> OpenSlots:
    opened = [np.ones(horizon, np.int64), *(np.asarray(slots[:horizon], np.int64) for slots in problem.calendars)]
    before = [np.concatenate([[0], np.cumsum(slots)]) for slots in opened]
    opens = np.array([slots.sum() for slots in opened], np.int64)
    return OpenSlots(native(opens), native(np.concatenate(before)), native(open_first(np.array(opened)).ravel()))


def _crews(problem: Problem, packed: Packed, horizon: int) -> CrewLanes:
    demands = problem.demands
    guards = packed.guard[packed.word] >> packed.shift
    return CrewLanes(
        native(demands.first),
        native(demands.resource),
        native(demands.amount),
        native(packed.word * horizon),
        native(packed.shift),
        native((guards & -guards) - 1),  # the guard bit of a lane is the first above it
    )


def memory_for(layout: LaidOut, chains: int) -> Memory:
    """Return the memory of one thread, for the chains of so many targets."""
    count = len(layout.tables.duration)
    tables = layout.tables._replace(duration=numbers(count, 0))
    placed = Placed(numbers(count, 0), numbers(count, 0), numbers(count, NOWHERE))
    return Memory(tables, room_for(tables), placed, numbers(chains * count, 0))
