"""The forward pass where every calendar is worked around the clock, a group of samples at a time, compiled by numba.

An activity is visited once for all samples of a group, a lane each, and every loop over lanes is one that the compiler turns
into vector instructions: no branch inside, and all numbers of 64 bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Minutes
from schedule.cpm.wiring import FROM_START, LOWEST, TO_FINISH
from schedule.machine_code import numba
from schedule.risk.chains import count_chains
from schedule.risk.draws import draw_durations, draw_multipliers
from schedule.risk.model import Causes, Course, Durations
from schedule.risk.philox import LANES
from schedule.risk.quantiles import Floats
from schedule.risk.scratch import Scratch, Targets

compiled = numba.njit(nogil=True, cache=True)
inlined = numba.njit(inline="always")


@inlined
def _push(ends: Minutes, lag: int, best: Minutes) -> None:
    for lane in range(LANES):
        best[lane] = max(best[lane], ends[lane] + lag)


@inlined
def _push_noting(ends: Minutes, lag: int, best: Minutes, link: int, drives: Minutes) -> None:
    for lane in range(LANES):
        t = ends[lane] + lag
        drives[lane] = link if t > best[lane] else drives[lane]
        best[lane] = max(best[lane], t)


@compiled
def run_continuous(  # noqa: PLR0912, D417 - one loop: each call of a part would count references to all arrays; Args joins names
    seed: np.uint64,
    first: int,
    groups: int,
    durations: Durations,
    causes: Causes,
    course: Course,
    table: Floats,
    wanted: Targets,
    scratch: Scratch,
    on_chain: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Draw and date `groups` groups from `first` on.

    Args:
        seed, first, groups: what to draw.
        durations, causes, course, table: the model, and the table of PERT quantiles.
        wanted: the targets, and how many samples count.
        scratch: of one thread.
        on_chain: counts of samples by target and number, added to.
        out: finishes of targets; shape (targets, groups * LANES).

    """
    words, values = np.empty(LANES, np.uint64), np.empty(LANES, np.float64)
    duration, best, drives = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    ends = np.empty(LANES, np.int64)
    multipliers, starts, finishes, driving = scratch.multipliers, scratch.starts, scratch.finishes, scratch.driving
    keeps_starts, keeps_chains = len(starts) > 0, len(driving) > 0
    for group in range(first, first + groups):
        draw_multipliers(seed, group, causes, table, words, multipliers)
        for j in range(len(course.calendar)):
            draw_durations(seed, group, j, durations, causes, table, multipliers, words, values, duration)
            earliest = course.earliest[j]
            best[:] = LOWEST if keeps_chains else earliest
            drives[:] = -1
            for e in range(course.begin[j], course.begin[j + 1]):
                code = course.code[e]
                far = starts[course.far[e]] if code & FROM_START else finishes[course.far[e]]
                if code & TO_FINISH:
                    for lane in range(LANES):
                        ends[lane] = far[lane] - duration[lane]
                    far = ends
                if keeps_chains:
                    _push_noting(far, course.lag[e], best, e, drives)
                else:
                    _push(far, course.lag[e], best)
            if keeps_chains:
                for lane in range(LANES):
                    driving[j, lane] = drives[lane] if best[lane] >= earliest else -1
                    best[lane] = max(best[lane], earliest)
            finish = finishes[j]
            for lane in range(LANES):
                finish[lane] = best[lane] + duration[lane]
            if keeps_starts and course.state[j]:
                starts[j, :] = course.started[j]
            elif keeps_starts:
                starts[j, :] = best
        for number in range(len(wanted.numbers)):
            place = (group - first) * LANES
            out[number, place : place + LANES] = finishes[wanted.numbers[number]]
        if keeps_chains:
            count_chains(wanted, group, course.far, driving, on_chain)
