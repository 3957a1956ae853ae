"""The rates of a plan's crews, learned from what they have finished: what a step took in the first pods says what it takes in the next.

Only work that holds crews teaches, and is forecast by what was learned. Time that passes by itself, lead times and waits for
approval stay as planned.

Dates and odds begin elsewhere. Dates begin at the plan's most likely durations, so work that goes as planned moves no date. Odds
begin at the mean of the three points. Both move only as far as the evidence goes, and the spread of odds too: see `FEW`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import NONE
from schedule.cpm.columns import Actuals as Progress
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.shifts import Minutes
from schedule.learning.history import History
from schedule.learning.learn import Learned, learn
from schedule.learning.outlook import Outlook as Rates
from schedule.learning.outlook import outlook
from schedule.learning.step_types import step_types
from schedule.learning.strengths import Strengths
from schedule.risk.spreads import Estimates, Family, three_points
from steps.planning.activity import PlanActivity
from steps.planning.dates.learned import Lesson
from steps.planning.plan import Plan

MINUTES = 60
"""In an hour."""
FIRST = 1.0
FEW = 5.0
"""With so many finished activities of a step, and step types finished at all, half of what they say is believed. So one slow activity moves
its own step by two sevenths of what it says, and other steps by a sixth; a finished pod of sixty steps moves all by nine tenths.
Practice is learned from so many step types that were repeated. Source: assumption."""


class LearnedRates(NamedTuple):
    """What finished work says of the work that remains, by row of the network; `steps` are the step types, in their order."""

    steps: tuple[str, ...]
    learned: Learned
    rates: Rates
    """Rows of all other work, and of what is done, keep the plan's estimate."""
    step: NDArray[np.int32]
    """The step type of each row that was forecast so, -1 for all others."""
    likely: NDArray[np.float64]
    """The minutes by which dates are forecast, by row, of the whole activity or of what remains of it."""
    lessons: tuple[Lesson, ...]
    """Of the steps of which some work is finished, in their order."""
    believed: float
    """The share of what was learned that is believed of a step of which nothing is finished: see `FEW`."""


def learned_rates(plan: Plan, network: CompiledNetwork, progress: Progress) -> LearnedRates | None:
    """Return what the finished work of a plan teaches; None before any work that holds crews is finished."""
    number = {name: row for row, name in enumerate(network.activities.names)}
    work = sorted(
        (one for one in plan.activities if one.crews and one.dates and one.id in number),
        key=lambda one: (one.dates.early_start if one.dates else plan.start, one.id),
    )
    rows = np.array([number[one.id] for one in work], np.int64)
    done = progress.finished[rows] != NONE
    if not done.any():
        return None
    steps = tuple(sorted({one.step for one in work}))
    index = {step: place for place, step in enumerate(steps)}
    first = {one.step: one for one in reversed(work)}
    types = step_types(steps, _points([first[step] for step in steps]), [first[step].role for step in steps])
    step = np.array([index[one.step] for one in work], np.int32)
    turn = _turns(step)
    begun = progress.started[rows] != NONE
    worked = crew_minutes(plan, network, progress, work, rows)
    history = History(step[begun], _points(work).likely[begun], worked[begun], done[begun], turn=turn[begun])
    strengths = Strengths() if _repeated(history) >= FEW else Strengths(practice=0.0)
    learned, from_plan = (
        _as_far_as_known(learn(replace(types, mean=mean), history, strengths))
        for mean in (types.mean, np.zeros(len(types)))
    )
    size = len(network.activities)
    own = _points(work)
    planned = Estimates(
        _spread_out(own.family, rows, size),
        *(_spread_out(column, rows, size) for column in (own.low, own.likely, own.high)),
    )
    forecast = np.full(size, -1, np.int32)
    forecast[rows[~done]] = step[~done]
    turns = np.full(size, FIRST)
    turns[rows] = turn
    share = _left(network, progress)
    running = np.zeros(size)
    running[rows[begun & ~done]] = worked[begun & ~done]
    running[~np.isnan(share)] = 0.0
    rates, dates = (
        _of_what_is_left(outlook(one, planned, forecast, worked=running, turn=turns), share)
        for one in (learned, from_plan)
    )
    lessons = tuple(
        Lesson(name, int(number), float(np.exp(mean)))
        for name, number, mean in zip(steps, from_plan.observations, from_plan.mean, strict=True)
        if number
    )
    believed = len(lessons) / (len(lessons) + FEW)
    return LearnedRates(steps, learned, rates, forecast, dates.estimates.likely, lessons, believed)


def _repeated(history: History) -> int:
    """Return how many step types were finished more than once. Practice of one step could as well be two bad days."""
    return int(np.count_nonzero(np.bincount(history.step[history.finished]) > 1))


def _as_far_as_known(learned: Learned) -> Learned:
    """Return rates that differ from what was assumed as far as the evidence goes: finished activities of the step, and step types."""
    evidence = learned.observations + np.count_nonzero(learned.observations)
    believed = evidence / (evidence + FEW)
    assumed = learned.types.mean
    return replace(learned, mean=assumed + believed * (learned.mean - assumed))


def _left(network: CompiledNetwork, progress: Progress) -> NDArray[np.float64]:
    """Return which share of its work is left of each row whose items or people say so, by row; not a number elsewhere."""
    share = np.full(len(network.activities), np.nan)
    if progress.remaining is not None:
        said = np.flatnonzero((progress.remaining != NONE) & (network.activities.duration > 0))
        share[said] = progress.remaining[said] / network.activities.duration[said]
    return share


def _of_what_is_left(rates: Rates, share: NDArray[np.float64]) -> Rates:
    """Return the estimates of whole activities, where it is known what share of them is left, as those of what is left."""
    factor, found = np.where(np.isnan(share), 1.0, share), rates.estimates
    left = Estimates(found.family, found.low * factor, found.likely * factor, found.high * factor)
    return rates._replace(estimates=left)


def _spread_out(values: NDArray[Any], rows: NDArray[np.int64], size: int) -> NDArray[Any]:
    """Return a column of the network that has these values in some rows, and zeros in all others."""
    column = np.zeros(size, values.dtype)
    column[rows] = values
    return column


def _points(work: Sequence[PlanActivity]) -> Estimates:
    """Return the three points in minutes, in order."""
    hours = np.array([(one.duration.o, one.duration.m, one.duration.p) for one in work]) * MINUTES
    low, likely, high = hours.T
    return three_points(np.minimum(low, likely), likely, np.maximum(high, likely), Family.PERT)


def _turns(step: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return which time each step is done, in the order of the plan: 1 for the first."""
    seen: dict[int, int] = {}
    turns = np.empty(len(step))
    for place, one in enumerate(step.tolist()):
        turns[place] = seen[one] = seen.get(one, 0) + 1
    return turns


def crew_minutes(
    plan: Plan, network: CompiledNetwork, progress: Progress, work: Sequence[PlanActivity], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the working minutes that crews had for each activity until its finish, or the data date; 0 for what has not begun.

    Where more is under way than a trade has crews for, they are at each for a part of the time: who is said to be at 38 racks at once
    has not worked at each for as long. Time on hold is no work, and what was on hold took no time from the rest.
    """
    worked = np.zeros(len(rows))
    started, finished = progress.started[rows], progress.finished[rows]
    until = np.where(finished == NONE, progress.data_date, finished)
    held = np.zeros(len(rows), np.int64) if progress.held is None else progress.held[rows]
    begun = started != NONE
    worked[begun] = worked_between(network, rows[begun], started[begun], until[begun]) - held[begun]
    role, crews = np.array([one.role for one in work]), np.array([one.crews for one in work])
    calendar, never_held = network.activities.calendar[rows], begun & (held == 0)
    for trade in np.unique(role[never_held]).tolist():
        own = np.flatnonzero(never_held & (role == trade))
        instants, place = np.unique(np.stack([started[own], until[own]]), return_inverse=True)
        first, last = place.reshape(2, -1)
        change = np.zeros(len(instants))
        np.add.at(change, first, crews[own])
        np.subtract.at(change, last, crews[own])
        share = np.minimum(1.0, plan.crews.get(trade, math.inf) / np.maximum(change.cumsum(), 1.0))
        for index in np.unique(calendar[own]):
            passed = np.diff(network.calendars[index].work(instants)) * share[:-1]
            had = np.concatenate([[0.0], passed.cumsum()])
            mine = calendar[own] == index
            worked[own[mine]] = had[last[mine]] - had[first[mine]]
    return worked


def worked_between(network: CompiledNetwork, row: Minutes, start: Minutes, end: Minutes) -> Minutes:
    """Return the working minutes between two instants, on the calendar of each row."""
    worked = np.zeros(len(row), np.int64)
    calendar = network.activities.calendar[row]
    for index in np.unique(calendar):
        own = calendar == index
        shifts = network.calendars[index]
        worked[own] = shifts.work(end[own]) - shifts.work(start[own])
    return worked
