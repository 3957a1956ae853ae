"""Durations of one group of samples, as machine code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.shifts import Indices, Minutes
from schedule.machine_code import numba
from schedule.risk.compiled_quantiles import lognormal, pert, triangular
from schedule.risk.model import Causes, Durations, RiskModel
from schedule.risk.philox import LANES, Words, draw_group
from schedule.risk.quantiles import Floats, pert_table
from schedule.risk.spreads import Family

compiled = numba.njit(nogil=True)
kept = numba.njit(nogil=True, cache=True)
inlined = numba.njit(inline="always")

FIXED, TRIANGULAR, PERT = int(Family.FIXED), int(Family.TRIANGULAR), int(Family.PERT)


@inlined
def _values(family: int, row: Floats, table: Floats, words: Words, out: Floats) -> None:
    """Write the quantiles that the words of a group stand for."""
    p = (
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
    )  # numbers: what is read from an array might change with each lane written
    if family == FIXED:
        out[:] = row[0]
    elif family == TRIANGULAR:
        for lane in range(LANES):
            out[lane] = triangular((np.float64(words[lane]) + 0.5) * 2.0**-32, p)
    elif family == PERT:
        for lane in range(LANES):
            out[lane] = pert((np.float64(words[lane]) + 0.5) * 2.0**-32, p, table)
    else:
        for lane in range(LANES):
            out[lane] = lognormal((np.float64(words[lane]) + 0.5) * 2.0**-32, p)


@compiled
def draw_multipliers(
    seed: np.uint64, group: int, causes: Causes, table: Floats, words: Words, out: NDArray[np.float64]
) -> None:
    """Write what each driver multiplies durations by; shape (drivers, LANES), 1 where it does not occur."""
    for driver in range(len(out)):
        out[driver, :] = 1.0
        if not causes.is_on[driver]:
            continue
        draw_group(seed, causes.key[driver], 1, group, words)
        _values(causes.family[driver], causes.parameters[driver], table, words, out[driver])
        draw_group(seed, causes.key[driver], 0, group, words)
        limit = causes.limit[causes.begin[driver]]
        for lane in range(LANES):
            if words[lane] >= limit:
                out[driver, lane] = 1.0


@inlined
def _draw_work(
    seed: np.uint64,
    group: int,
    j: int,
    durations: Durations,
    table: Floats,
    multipliers: Floats,
    words: Words,
    values: Floats,
    out: Minutes,
) -> None:
    """Write the minutes of activity number `j` before anybody responds and without what events add."""
    family = durations.family[j]
    if family != FIXED:
        draw_group(seed, durations.key[j], 0, group, words)
    _values(family, durations.parameters[j], table, words, values)
    for position in range(durations.driver_begin[j], durations.driver_begin[j + 1]):
        multiplier = multipliers[durations.driver[position]]
        for lane in range(LANES):
            values[lane] *= multiplier[lane]
    for lane in range(LANES):
        out[lane] = np.int64(values[lane] + 0.5)


@compiled
def _respond(
    seed: np.uint64,
    group: int,
    position: int,
    durations: Durations,
    causes: Causes,
    table: Floats,
    multipliers: Floats,
    words: Words,
    values: Floats,
    out: Minutes,
) -> None:
    """Shorten what lasts longer than the response waits, and only that. What is left then is never rounded to more than it was."""
    own = durations.responding
    response, after, driver = own.cause[position], own.after[position], own.driver[position]
    if not causes.is_on[response] or not (out > after).any():
        return
    draw_group(seed, causes.key[response], 0, group, words)
    _values(causes.family[response], causes.parameters[response], table, words, values)
    for lane in range(LANES):
        if out[lane] > after:
            left = np.float64(out[lane] - after)
            instead = values[lane] * (multipliers[driver, lane] if driver >= 0 else 1.0)
            shorter = min(left * own.part[position], max(left - own.saves[position], 0.0), instead)
            out[lane] = after + np.int64(shorter + 0.5)


@inlined
def draw_durations(
    seed: np.uint64,
    group: int,
    j: int,
    durations: Durations,
    causes: Causes,
    table: Floats,
    multipliers: Floats,
    words: Words,
    values: Floats,
    out: Minutes,
) -> None:
    """Write the minutes of activity number `j`. `words` and `values` are scratch; all are of shape (LANES,)."""
    _draw_work(seed, group, j, durations, table, multipliers, words, values, out)
    for position in range(durations.responding.begin[j], durations.responding.begin[j + 1]):
        _respond(seed, group, position, durations, causes, table, multipliers, words, values, out)
    for position in range(durations.event_begin[j], durations.event_begin[j + 1]):
        event = durations.event[position]
        if causes.is_on[event]:
            _add_event(seed, group, durations.event_key[position], event, causes, table, words, values, out)


@compiled
def _add_event(
    seed: np.uint64,
    group: int,
    key: np.uint64,
    event: int,
    causes: Causes,
    table: Floats,
    words: Words,
    values: Floats,
    out: Minutes,
) -> None:
    """Add the work of each occurrence. The first draw says how many there are, and each has a draw of its own after it."""
    draw_group(seed, key, 0, group, words)
    occurs = words.copy()
    for position in range(causes.begin[event], causes.begin[event + 1]):
        limit = causes.limit[position]
        if not (occurs < limit).any():
            return
        draw = position - causes.begin[event] + 1
        draw_group(seed, key, draw, group, words)
        _values(causes.family[event], causes.parameters[event], table, words, values)
        for lane in range(LANES):
            if occurs[lane] < limit:
                out[lane] += np.int64(values[lane] + 0.5)


class Occurrences(NamedTuple):
    """What events add in one sample, a row an occurrence: the number of the activity, the place of the event in the causes, minutes."""

    number: NDArray[np.int64]
    event: NDArray[np.int64]
    minutes: Minutes


def occurrences_of(model: RiskModel, seed: int, sample: int) -> Occurrences:
    """Return what happens of each event in a sample, counted from 0: each occurrence by itself."""
    group, lane = divmod(sample, LANES)
    most = np.diff(model.causes.begin)[model.durations.event].sum()
    found = np.empty((3, int(most)), np.int64)
    count = _list_occurrences(np.uint64(seed), group, lane, model.durations, model.causes, pert_table(), found)
    return Occurrences(*found[:, :count])


@kept
def _list_occurrences(
    seed: np.uint64,
    group: int,
    lane: int,
    durations: Durations,
    causes: Causes,
    table: Floats,
    found: NDArray[np.int64],
) -> int:
    words, values, occurs = np.empty(LANES, np.uint64), np.empty(LANES, np.float64), np.empty(LANES, np.uint64)
    count = 0
    for j in range(len(durations.key)):
        for position in range(durations.event_begin[j], durations.event_begin[j + 1]):
            event, key = durations.event[position], durations.event_key[position]
            if not causes.is_on[event]:
                continue
            draw_group(seed, key, 0, group, occurs)
            for limit in range(causes.begin[event], causes.begin[event + 1]):
                if occurs[lane] >= causes.limit[limit]:
                    break
                draw_group(seed, key, limit - causes.begin[event] + 1, group, words)
                _values(causes.family[event], causes.parameters[event], table, words, values)
                found[0, count], found[1, count], found[2, count] = j, event, np.int64(values[lane] + 0.5)
                count += 1
    return count


class Uses(NamedTuple):
    """What responses do in samples. A row is one response of one activity: `number` is of the activity, `response` of the response.

    `is_used` and `saved` have a column a sample. `saved` are the minutes by which the activity is shorter. A response may be used
    and save nothing.
    """

    number: Indices
    response: NDArray[np.int64]
    is_used: NDArray[np.bool_]
    saved: Minutes


def uses_of(model: RiskModel, seed: int, group: int) -> Uses:
    """Return in which samples of a group each response is used, and what it saves. `response` counts the responses of the model."""
    own = model.durations.responding
    before, left = np.empty((2, len(own.cause), LANES), np.int64)
    multipliers = np.empty((len(model.drivers), LANES), np.float64)
    _list_uses(np.uint64(seed), group, model.durations, model.causes, pert_table(), multipliers, before, left)
    first = len(model.drivers) + len(model.events)
    is_used = (before > own.after[:, None]) & model.causes.is_on[own.cause][:, None]
    return Uses(own.number, own.cause.astype(np.int64) - first, is_used, before - left)


@kept
def _list_uses(
    seed: np.uint64,
    group: int,
    durations: Durations,
    causes: Causes,
    table: Floats,
    multipliers: Floats,
    before: Minutes,
    left: Minutes,
) -> None:
    words, values, out = np.empty(LANES, np.uint64), np.empty(LANES, np.float64), np.empty(LANES, np.int64)
    draw_multipliers(seed, group, causes, table, words, multipliers)
    begin = durations.responding.begin
    for j in range(len(durations.key)):
        if begin[j] < begin[j + 1]:
            _draw_work(seed, group, j, durations, table, multipliers, words, values, out)
        for position in range(begin[j], begin[j + 1]):
            before[position] = out
            _respond(seed, group, position, durations, causes, table, multipliers, words, values, out)
            left[position] = out


def multipliers_of(model: RiskModel, seed: int, group: int) -> Floats:
    """Return what each driver multiplies durations by in each sample of a group; shape (drivers, LANES), 1 where it does not occur."""
    out = np.empty((len(model.drivers), LANES), np.float64)
    draw_multipliers(np.uint64(seed), group, model.causes, pert_table(), np.empty(LANES, np.uint64), out)
    return out


def durations_of(model: RiskModel, seed: int, group: int) -> Minutes:
    """Return the minutes of each activity in each sample of a group; shape (activities, LANES), by number."""
    out = np.empty((len(model.durations.key), LANES), np.int64)
    multipliers = np.empty((len(model.drivers), LANES), np.float64)
    _draw_all(np.uint64(seed), group, model.durations, model.causes, pert_table(), multipliers, out)
    return out


@kept
def _draw_all(
    seed: np.uint64,
    group: int,
    durations: Durations,
    causes: Causes,
    table: Floats,
    multipliers: Floats,
    out: NDArray[np.int64],
) -> None:
    words, values = np.empty(LANES, np.uint64), np.empty(LANES, np.float64)
    draw_multipliers(seed, group, causes, table, words, multipliers)
    for j in range(len(out)):
        draw_durations(seed, group, j, durations, causes, table, multipliers, words, values, out[j])
