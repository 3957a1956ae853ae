"""Makes the schedules of some samples of a group, one after another, in the memory of one thread."""

from __future__ import annotations

from typing import NamedTuple

from steps.schedule.levelling.compiled import Ints, compiled
from steps.schedule.levelling.serial import TOO_LONG, Room
from steps.schedule.levelling.tables import SearchTables
from steps.schedule.sampling.chains import Crews, count_chain
from steps.schedule.sampling.placing import Hours, Placed, schedule


class Site(NamedTuple):
    """What all samples have in common."""

    tables: SearchTables
    """Gaps are between the ends that the problem names, since lengths differ from sample to sample."""
    hours: Hours
    crews: Crews


class Memory(NamedTuple):
    """What a thread changes from sample to sample."""

    tables: SearchTables
    """Those of the site, with durations of this thread's own."""
    room: Room
    placed: Placed
    on_chain: Ints
    """In how many samples each activity drives each target, target by target; empty if chains are not wanted."""


@compiled
def place_lanes(
    site: Site, memory: Memory, order: Ints, targets: Ints, slots: Ints, first: int, last: int, out: Ints
) -> int:
    """Place the samples `first` to `last - 1`, and write the finishes of the targets to `out`, sample by sample.

    `slots` has the durations, sample by sample. Return the place in it of the first activity that does not fit into the
    horizon, or TOO_LONG if all do.
    """
    t = memory.tables
    n = len(t.duration)
    for lane in range(first, last):
        for a in range(n):
            t.duration[a] = slots[lane * n + a]
        left = schedule(t, site.hours, order, memory.room, memory.placed)
        if left >= 0:
            return lane * n + left
        for k in range(len(targets)):
            out[lane * len(targets) + k] = memory.placed.finish[targets[k]]
            if len(memory.on_chain) > 0:
                count_chain(t, site.hours, site.crews, order, memory.placed, targets[k], k * n, memory.on_chain)
    return TOO_LONG
