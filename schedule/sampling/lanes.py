"""Makes the schedules of some samples of a group, one after another, in the memory of one thread."""

from __future__ import annotations

from schedule.levelling.compiled import Ints, compiled
from schedule.levelling.room import TOO_LONG
from schedule.sampling.chains import count_chain
from schedule.sampling.layout import LaidOut, Memory
from schedule.sampling.placing import schedule


@compiled
def place_lanes(
    layout: LaidOut, memory: Memory, order: Ints, targets: Ints, slots: Ints, first: int, last: int, out: Ints
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
        left = schedule(t, layout, order, memory.room, memory.placed)
        if left >= 0:
            return lane * n + left
        for k in range(len(targets)):
            out[lane * len(targets) + k] = memory.placed.finish[targets[k]]
            if len(memory.on_chain) > 0:
                count_chain(t, layout, order, memory.placed, targets[k], k * n, memory.on_chain)
    return TOO_LONG
