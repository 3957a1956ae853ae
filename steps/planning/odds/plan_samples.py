"""Samples of a plan's rows with its crews: what odds, curves and tornados of a plan are made of."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schedule.cpm.shifts import Minutes
from schedule.crews.levelled_network import CrewedSolution
from schedule.risk.model import RiskModel
from schedule.risk.running import run
from schedule.sampling.running import levelled_samples


class Drawn(NamedTuple):
    """Samples of a plan with its crews: what they are drawn from, and the finishes of some rows in minutes, sample by sample."""

    model: RiskModel
    seed: int
    finishes: Mapping[int, Minutes]


def drawn(crewed: CrewedSolution, model: RiskModel, rows: Iterable[int], *, samples: int, seed: int) -> Drawn:
    """Return samples of the finishes of rows. The first of them are those that fewer samples would be."""
    targets = sorted(set(rows))
    found = crewed_samples(crewed, model, targets, samples=samples, seed=seed)
    return Drawn(model, seed, dict(zip(targets, found, strict=True)))


def crewed_samples(
    crewed: CrewedSolution, model: RiskModel, targets: Sequence[int], *, samples: int, seed: int
) -> Minutes:
    """Return sampled finishes in minutes, of shape (targets, samples), each kept by the crews that there are."""
    if crewed.slotted is None or crewed.levelled is None:
        return run(model, targets, seed=seed, samples=samples, threads=_threads(), chains=False).samples
    starts = crewed.levelled.start
    return levelled_samples(
        model, crewed.slotted, starts, targets, seed=seed, samples=samples, threads=_threads()
    ).samples


def finishes_as_sampled(crewed: CrewedSolution) -> Minutes:
    """Return the finishes by row as samples have them: in whole slots, where work waits for crews."""
    if crewed.slotted is None or crewed.levelled is None:
        return crewed.solution.finish
    return crewed.slotted.minutes(crewed.levelled.finish[crewed.slotted.place])


def _threads() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
