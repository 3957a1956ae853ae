"""What is known at the data date of activities that are finished or run, as columns; and what it says of each step type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Indices
from schedule.errors import InputError
from schedule.learning.step_types import LEAST_RATIO, MOST_RATIO, StepTypes
from schedule.risk.quantiles import Floats

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class History:
    """One row an activity, in the order of its finish or of anything else. All of shape (activities,).

    The caller leaves out what is recorded after the data date: nothing here can tell.
    """

    step: Indices
    """The index of the step type."""
    planned: Floats
    """The most likely duration of this very activity, in minutes of work."""
    actual: Floats
    """The minutes of work it took. If it still runs: the minutes worked until the data date."""
    finished: Bools
    weight: Floats | None = None
    """How much each finished activity counts, 1 for one like any other; None for 1 everywhere."""
    turn: Floats | None = None
    """Which time the step is done at this site, 1 for the first; None if practice is not to be learned."""


class Logs(NamedTuple):
    """Observations that teach something: step type, log ratio less its prior mean, weight, and doublings of the turn."""

    step: Indices
    value: Floats
    weight: Floats
    doublings: Floats

    def less(self, slope: float) -> Logs:
        """Return what the log ratios would be at the first turn."""
        return self._replace(value=self.value - slope * self.doublings)


class Sums(NamedTuple):
    """What finished activities say of each step type; columns of shape (steps,)."""

    number: Floats
    weight: Floats
    mean: Floats
    """Weighted, of log ratios less their prior mean; 0 where there is none."""
    squares: Floats
    """Weighted squares about that mean."""


def logs_of(history: History, types: StepTypes, wanted: Bools) -> Logs:
    """Return the log ratios of the wanted rows, without those that say nothing: see `teaches`."""
    rows = np.flatnonzero(wanted & teaches(history))
    ratio = np.minimum(history.actual[rows] / history.planned[rows], MOST_RATIO)
    weight = np.ones(len(rows)) if history.weight is None else history.weight[rows]
    doublings = np.zeros(len(rows)) if history.turn is None else np.log2(history.turn[rows])
    return Logs(history.step[rows], np.log(ratio) - types.mean[history.step[rows]], weight, doublings)


def teaches(history: History) -> Bools:
    """Return which rows say how long the work takes.

    What was planned to take no time does not, nor what is entered as finished in less than a twentieth of its most likely
    duration. More than twenty times it counts as twenty times. What runs always does: it has taken at least that long.
    """
    has_plan = history.planned > 0
    ratio = history.actual / np.where(has_plan, history.planned, 1.0)
    return np.asarray(has_plan & (history.actual > 0) & (~history.finished | (ratio >= LEAST_RATIO)))


def sums_of(logs: Logs, steps: int) -> Sums:
    """Return what is sufficient for the normal model: counts, means and squares by step type."""
    number = _total(logs.step, np.ones_like(logs.value), steps)
    weight = _total(logs.step, logs.weight, steps)
    mean = _total(logs.step, logs.weight * logs.value, steps) / np.where(weight > 0, weight, 1.0)
    squares = _total(logs.step, logs.weight * (logs.value - mean[logs.step]) ** 2, steps)
    return Sums(number, weight, mean, squares)


def _total(step: Indices, values: Floats, steps: int) -> Floats:
    return np.bincount(step, values, minlength=steps).astype(np.float64)


def check_history(history: History, types: StepTypes) -> None:
    """Raise InputError for the first row that cannot be true."""
    number = len(history.step)
    columns = {"planned": history.planned, "actual": history.actual}
    columns |= {name: own for name, own in (("weight", history.weight), ("turn", history.turn)) if own is not None}
    lengths = {name: len(column) for name, column in columns.items()} | {"finished": len(history.finished)}
    for name, length in lengths.items():
        if length != number:
            raise InputError(f"{number} observations have {length} of {name}", hint="every column has one row each")
    outside = (history.step < 0) | (history.step >= len(types))
    _refuse(outside, history.step, f"has an unknown step type; there are {len(types)}")
    for name, column in columns.items():
        _refuse(~np.isfinite(column) | (column < 0), column, f"has a value of {name} that is not zero or more")
    if history.weight is not None:
        _refuse(history.weight == 0, history.weight, "has no weight: leave it out instead")
    if history.turn is not None:
        _refuse(history.turn < 1, history.turn, "has a turn before the first one")


def _refuse(wrong: Bools, column: Floats | Indices, what: str) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"observation {row} {what}: {column[row]}", hint="correct this row")
