"""Runs: groups of samples are drawn, and placed by as many threads as there are.

A sample is a function of seed and number, and so is its schedule. The same bits come from any number of threads, from a longer
horizon, and from a run that is longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import Bools
from schedule.cpm.shifts import Minutes
from schedule.cpm.wiring import DONE
from schedule.crews.slots import Slotted
from schedule.errors import InputError
from schedule.levelling.problem import NOT_FIXED, Problem
from schedule.risk.model import RiskModel
from schedule.risk.philox import LANES
from schedule.risk.running import RiskResult, check_run
from schedule.sampling.drawing import slots_of
from schedule.sampling.horizon import first_room, longer, over
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
        found[:, first : first + LANES] = _placed(model, slotted, work, slots)
    on_chain = work.on_chain()[:, slotted.place] if chains else None
    return RiskResult(tuple(targets), _minutes(model, slotted, ends, found), on_chain, enough=False)


class OneSchedule(NamedTuple):
    """The schedule of one sample in slots, by activity of the problem, and which activities drive the target."""

    problem: Problem
    """With the sample's durations, and calendars that are as long as its schedule."""
    start: NDArray[np.int64]
    finish: NDArray[np.int64]
    drives: Bools


def one_schedule(
    model: RiskModel,
    slotted: Slotted,
    levelled_start: Minutes,
    target: int,
    slots: NDArray[np.int64],
) -> OneSchedule:
    """Return the schedule of one sample with the crews that there are. `slots` has its durations, by activity of the problem."""
    ends = slotted.place[np.array([target])]
    work = Threads(*first_room(model.network, slotted), levelled_start, ends, 1, chains=True)
    _placed(model, slotted, work, slots[None, :])
    placed = work.memories[0].placed
    problem = replace(over(model.network, slotted, work.horizon)[0], duration=slots)
    return OneSchedule(problem, np.array(placed.start), np.array(placed.finish), work.on_chain()[0] > 0)


def finishes_of(
    model: RiskModel,
    slotted: Slotted,
    levelled_start: Minutes,
    target: int,
    slots: NDArray[np.int64],
) -> Minutes:
    """Return the finish of the target for each row of durations in slots: samples, or what is changed in one of them."""
    ends = slotted.place[np.array([target])]
    work = Threads(*first_room(model.network, slotted), levelled_start, ends, 1, chains=False)
    parts = [
        _placed(model, slotted, work, slots[first : first + LANES])
        for first in range(0, len(slots), LANES)
    ]  # fmt: skip
    return np.asarray(_minutes(model, slotted, ends, np.concatenate(parts, axis=1))[0])


def _placed(model: RiskModel, slotted: Slotted, work: Threads, slots: NDArray[np.int64]) -> NDArray[np.int64]:
    """Place samples, in a longer horizon if they need one. Return the finishes of the targets in slots."""
    while (left := work.place(slots)) is not None:
        work.lay_out(*longer(model.network, slotted, work.horizon, left))
    return work.finishes(len(slots))


def _minutes(model: RiskModel, slotted: Slotted, ends: NDArray[np.int64], found: NDArray[np.int64]) -> Minutes:
    """Return finishes in minutes. What is done was finished before the first slot, and the problem does not know when."""
    number = model.network.numbers.number[slotted.row[ends]]
    done = (model.course.state[number] == DONE) & (slotted.problem.fixed[ends] != NOT_FIXED)
    return np.where(done[:, None], model.course.earliest[number][:, None], slotted.minutes(found))
