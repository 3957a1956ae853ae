"""Which activities are on the chain that drives a target, counted by sample; compiled by numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Indices
from schedule.machine_code import numba
from schedule.risk.philox import LANES
from schedule.risk.scratch import Targets


@numba.njit(nogil=True)
def count_chains(
    wanted: Targets, group: int, far: Indices, driving: NDArray[np.int32], on_chain: NDArray[np.int64]
) -> None:
    """Add each sample of a group to the activities on its chains; `on_chain` is by target and number."""
    for number in range(len(wanted.numbers)):
        for lane in range(min(LANES, wanted.samples - group * LANES)):
            at = wanted.numbers[number]
            link = driving[at, lane]
            on_chain[number, at] += 1
            while link >= 0:
                at = far[link]
                link = driving[at, lane]
                on_chain[number, at] += 1
