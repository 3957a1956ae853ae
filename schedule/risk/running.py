"""Runs: samples in rounds, over threads, until there are enough of them.

A sample is a function of seed and number, and counts are sums of whole numbers. So the same bits come from any number of
threads, and from a run that is longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import Protocol

import numpy as np

from schedule.cpm.shifts import Minutes
from schedule.cpm.wiring import LeftCalendarError
from schedule.errors import InputError
from schedule.risk.calendar_pass import run_calendars
from schedule.risk.continuous_pass import run_continuous
from schedule.risk.model import RiskModel
from schedule.risk.odds import quantile
from schedule.risk.philox import LANES
from schedule.risk.quantiles import Floats, pert_table
from schedule.risk.scratch import Scratch, Targets, scratch

ROUND = 8 * LANES
"""Samples between two looks at whether the interval is narrow enough."""
WORTHWHILE = 2**20
"""A call into compiled code draws so many durations, so that the call itself costs nothing."""
MOST_SAMPLES = 10_000_000


@dataclass(frozen=True)
class Enough:
    """When to stop early: all targets' intervals for `level` are no wider than `width` minutes."""

    width: int
    level: float = 0.8


@dataclass(frozen=True, eq=False)
class RiskResult:
    """What a run found. Columns are by row of the activities."""

    targets: tuple[int, ...]
    samples: Minutes
    """Finishes of the targets; shape (targets, samples). A column is one sample."""
    on_chain: Minutes | None
    """In how many samples each activity is on the chain that drives each target; shape (targets, activities)."""
    enough: bool
    """Whether the run stopped since its intervals are narrow enough; False if none were asked for."""

    @property
    def criticality(self) -> Floats:
        """The share of samples in which each activity is on the chain that drives each target."""
        if self.on_chain is None:
            raise InputError("this run has counted no chains", hint="run with chains=True")
        return np.asarray(self.on_chain / self.samples.shape[1])


class _Sampler(Protocol):
    def __call__(self, groups: range, wanted: Targets, on_chain: Minutes) -> Minutes: ...


def run(
    model: RiskModel,
    targets: Sequence[int],
    *,
    seed: int,
    samples: int,
    threads: int = 1,
    chains: bool = True,
    enough: Enough | None = None,
) -> RiskResult:
    """Return `samples` samples of the finishes of targets, or fewer if `enough` is reached.

    Args:
        model: the network, and what is uncertain.
        targets: rows of milestones.
        seed: from 0 to 2**64 - 1.
        samples: how many at most.
        threads: how many draw at once. The result does not depend on it.
        chains: whether to count in how many samples each activity drives each target.
        enough: looked at after each 1,024 samples.

    """
    check_run(model, targets, seed, samples, threads)
    numbers = model.network.numbers.number[np.asarray(targets, np.intp)].astype(np.int32)
    wanted = Targets(numbers, samples)
    sampler = _sampler(model, seed, threads, chains)
    on_chain = np.zeros((len(targets), len(model.course.calendar)), np.int64)
    found = np.empty((len(targets), -(-samples // LANES) * LANES), np.int64)
    drawn, reached = 0, False
    try:
        while drawn < samples and not reached:
            last = min(samples, drawn + ROUND) if enough else samples
            groups = range(drawn // LANES, -(-last // LANES))
            found[:, groups.start * LANES : groups.stop * LANES] = sampler(
                groups, wanted._replace(samples=last), on_chain
            )
            drawn = last
            reached = enough is not None and all(_is_narrow(row[:drawn], enough) for row in found)
    except LeftCalendarError as left:
        raise model.network.left(left) from None
    by_row = on_chain[:, model.network.numbers.number] if chains else None
    return RiskResult(tuple(targets), found[:, :drawn].copy(), by_row, reached)


def check_run(model: RiskModel, targets: Sequence[int], seed: int, samples: int, threads: int) -> None:
    """Raise InputError for a run that cannot be."""
    activities = len(model.course.calendar)
    wrong = next((target for target in targets if not 0 <= target < activities), None)
    if wrong is not None:
        raise InputError(f"target {wrong} is not in the network; there are {activities} activities")
    for value, least, most, what in (
        (len(targets), 1, activities, "number of targets"),
        (seed, 0, 2**64 - 1, "seed"),
        (samples, 1, MOST_SAMPLES, "number of samples"),
        (threads, 1, 1024, "number of threads"),
    ):
        if not least <= value <= most:
            raise InputError(f"the {what} is {value}", hint=f"between {least} and {most:,}")


def _is_narrow(row: Minutes, enough: Enough) -> bool:
    found = quantile(np.sort(row), enough.level)
    return found.is_bounded and found.high - found.low <= enough.width


def _sampler(model: RiskModel, seed: int, threads: int, chains: bool) -> _Sampler:
    memories = [scratch(model, chains=chains) for _ in range(threads)]

    def sampler(groups: range, wanted: Targets, on_chain: Minutes) -> Minutes:
        out = np.empty((len(wanted.numbers), len(groups) * LANES), np.int64)
        some = max(1, WORTHWHILE // (len(model.course.calendar) * LANES))
        places = count(0, some)

        def work(memory: Scratch) -> Minutes:
            """Take groups until none are left; return the counts of this thread."""
            own = np.zeros_like(on_chain)
            while (place := next(places)) < len(groups):
                part = groups[place : place + some]
                out[:, place * LANES : (place + len(part)) * LANES] = _compiled(model, seed, part, wanted, memory, own)
            return own

        with ThreadPoolExecutor(threads) as pool:
            for own in pool.map(work, memories):
                on_chain += own
        return out

    return sampler


def _compiled(
    model: RiskModel, seed: int, groups: range, wanted: Targets, memory: Scratch, on_chain: Minutes
) -> Minutes:
    out = np.empty((len(wanted.numbers), len(groups) * LANES), np.int64)
    what = (np.uint64(seed), groups.start, len(groups), model.durations, model.causes, model.course)
    if model.is_continuous:
        run_continuous(*what, pert_table(), wanted, memory, on_chain, out)
        return out
    fault = np.full(2, -1, np.int64)
    run_calendars(*what, model.network.tables, pert_table(), wanted, memory, on_chain, out, fault)
    if fault[0] >= 0:
        raise LeftCalendarError(int(fault[0]), int(fault[1]))
    return out
