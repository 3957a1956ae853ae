"""Work and elapsed time of one calendar for a lane of samples, compiled by numba and inlined; as `cpm.passes`.

The arrays of the tables are arguments of their own: a call with the whole tuple would count references to all of them.
"""

from __future__ import annotations

from schedule.cpm.shifts import Indices, Minutes
from schedule.machine_code import numba

inlined = numba.njit(inline="always")


@inlined
def shift_at(t: int, first: int, bits: int, row: int, by_time: Indices, end: Minutes) -> int:
    """Return the shift in which instant `t` is, or the next one."""
    k = by_time[row + ((t - first) >> bits)]
    while t >= end[k]:
        k += 1
    return int(k)


@inlined
def worked_by(t: int, k: int, before: Minutes, offset: Minutes) -> int:
    """Return the minutes worked before `t`, whose shift is `k`."""
    return int(max(before[k], t - offset[k]))


@inlined
def instant_of(w: int, bits: int, row: int, by_work: Indices, before: Minutes, offset: Minutes) -> int:
    """Return the last instant before which no more than `w` minutes are worked."""
    k = by_work[row + (w >> bits)]
    while w >= before[k + 1]:
        k += 1
    return int(w + offset[k])
