"""Runs: groups of samples are drawn, and placed by as many threads as there are.

A sample is a function of seed and number, and so is its schedule. The same bits come from any number of threads, from a longer
horizon, and from a run that is longer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Minutes
from schedule.cpm.wiring import DONE
from schedule.crews.slots import Slotted
from schedule.errors import InputError
from schedule.levelling.problem import NOT_FIXED
from schedule.risk.model import RiskModel
from schedule.risk.philox import LANES
from schedule.risk.running import RiskResult, check_run
from schedule.sampling.drawing import slots_of
from schedule.sampling.horizon import first_room, longer
from schedule.sampling.threads import Threads


def levelled_samples(
    model: RiskModel,
    slotted: Slotted,
    levelled_start: Minutes,
    targets: Sequence[int],
    *,
    seed: int,
    samples: int,
    threads: int = 1,
    chains: bool = False,
) -> RiskResult:
    """Return samples of the finishes of targets with the crews that there are.

    Args:
        model: the network, and what is uncertain.
        slotted: the same network in slots, with the same start and progress.
        levelled_start: the slot in which each activity of the problem starts in the levelled plan. In every sample, what starts
            earlier there is placed earlier.
        targets: rows of milestones.
        seed: as of the samples with unlimited crews. Equal seeds have equal durations.
        samples: how many.
        threads: how many place at once. The result does not depend on it.
        chains: whether to count in how many samples each activity drives each target, by links and by crews.

    """
    check_run(model, targets, seed, samples, threads)
    if len(levelled_start) != slotted.problem.count:
        raise InputError(
            f"{slotted.problem.count} activities of the problem have {len(levelled_start)} levelled starts",
            hint="pass the starts that levelling found for this problem, lags included",
        )
    ends = slotted.place[np.asarray(targets, np.int64)]
    work = Threads(*first_room(model.network, slotted), levelled_start, ends, threads, chains=chains)
    found = np.empty((len(targets), samples), np.int64)
    for first in range(0, samples, LANES):
        slots = slots_of(model, slotted, seed, first // LANES)[: samples - first]
        while (left := work.place(slots)) is not None:
            work.lay_out(*longer(model.network, slotted, work.horizon, left))
        found[:, first : first + LANES] = work.finishes(len(slots))
    on_chain = work.on_chain()[:, slotted.place] if chains else None
    return RiskResult(tuple(targets), _minutes(model, slotted, ends, found), on_chain, enough=False)


def _minutes(model: RiskModel, slotted: Slotted, ends: NDArray[np.int64], found: NDArray[np.int64]) -> Minutes:
    """Return finishes in minutes. What is done was finished before the first slot, and the problem does not know when."""
    number = model.network.numbers.number[slotted.row[ends]]
    done = (model.course.state[number] == DONE) & (slotted.problem.fixed[ends] != NOT_FIXED)
    return np.where(done[:, None], model.course.earliest[number][:, None], slotted.minutes(found))
