"""Durations of groups of samples in numpy, a level of activities at a time. `draws_numba` has the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Minutes
from schedule.risk.model import Causes, RiskModel
from schedule.risk.philox import LANES, Words, uniforms, words
from schedule.risk.quantiles import Floats, lognormal, pert, pert_table, triangular
from schedule.risk.spreads import Family


def values_of(family: NDArray[np.uint8], parameters: Floats, drawn: Words) -> Floats:
    """Return the quantiles that words stand for; a row a distribution, a column a sample."""
    return quantiles_at(family, parameters, uniforms(drawn))


def quantiles_at(family: NDArray[np.uint8], parameters: Floats, levels: Floats) -> Floats:
    """Return the quantiles at levels between 0 and 1; a row a distribution, a column a level."""
    values = np.repeat(parameters[:, :1], levels.shape[1], axis=1)
    for kind in (Family.TRIANGULAR, Family.PERT, Family.LOGNORMAL):
        rows = np.flatnonzero(family == kind)
        if not len(rows):
            continue
        u, p = levels[rows], parameters[rows].T[:, :, None]
        if kind == Family.PERT:
            values[rows] = pert(u, p, pert_table())
        else:
            values[rows] = triangular(u, p) if kind == Family.TRIANGULAR else lognormal(u, p)
    return values


def multipliers_of(seed: int, groups: range, causes: Causes, drivers: int) -> Floats:
    """Return what each driver multiplies durations by; 1 where it does not occur."""
    keys, first = causes.key[:drivers], causes.begin[:drivers]
    values = values_of(causes.family[:drivers], causes.parameters[:drivers], words(seed, keys, 1, groups))
    occurs = words(seed, keys, 0, groups) < causes.limit[first][:, None]
    return np.where(occurs & causes.is_on[:drivers, None], values, 1.0)


def durations_of(seed: int, groups: range, model: RiskModel, numbers: slice, multipliers: Floats) -> Minutes:
    """Return minutes by number and sample, for a slice of numbers."""
    durations = model.durations
    family = durations.family[numbers]
    drawn = np.zeros((len(family), len(groups) * LANES), np.uint64)
    uncertain = np.flatnonzero(family != Family.FIXED)
    drawn[uncertain] = words(seed, durations.key[numbers][uncertain], 0, groups)
    values = values_of(family, durations.parameters[numbers], drawn)
    begin = durations.driver_begin[numbers.start : numbers.stop + 1]
    for place in range(int(np.diff(begin).max(initial=0))):
        rows = np.flatnonzero(np.diff(begin) > place)
        values[rows] *= multipliers[durations.driver[begin[rows] + place]]
    minutes = (values + 0.5).astype(np.int64)
    _add_events(seed, groups, model, numbers, minutes)
    return minutes


def _add_events(seed: int, groups: range, model: RiskModel, numbers: slice, minutes: Minutes) -> None:
    """Add the work of each occurrence."""
    for one in occurrences_of(seed, groups, model, numbers):
        np.add.at(minutes, one.rows, one.minutes)


class Occurrences(NamedTuple):
    """The first, second ... occurrence of events: the rows of `numbers` that they add to, their places in the causes, and minutes.

    `minutes` has a column a sample. It is 0 where an event does not occur so often.
    """

    rows: NDArray[np.intp]
    event: NDArray[np.int32]
    minutes: Minutes


def occurrences_of(seed: int, groups: range, model: RiskModel, numbers: slice) -> Iterator[Occurrences]:
    """Yield what events add. The first draw says how many occurrences there are, and each has a draw of its own after it."""
    durations, causes = model.durations, model.causes
    begin = durations.event_begin[numbers.start : numbers.stop + 1]
    rows = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    event, key = durations.event[begin[0] : begin[-1]], durations.event_key[begin[0] : begin[-1]]
    kept = np.flatnonzero(causes.is_on[event])
    rows, event, key = rows[kept], event[kept], key[kept]
    occurs = words(seed, key, 0, groups)
    first, ends = causes.begin[event], causes.begin[event + 1]
    draw = 0
    while len(event):
        limit = causes.limit[np.minimum(first + draw, ends - 1)][:, None]
        more = np.flatnonzero((first + draw < ends) & (occurs < limit).any(axis=1))
        rows, event, key, first, ends = rows[more], event[more], key[more], first[more], ends[more]
        occurs, limit = occurs[more], limit[more]
        draw += 1
        extra = values_of(causes.family[event], causes.parameters[event], words(seed, key, draw, groups))
        yield Occurrences(rows, event, np.where(occurs < limit, (extra + 0.5).astype(np.int64), 0))
