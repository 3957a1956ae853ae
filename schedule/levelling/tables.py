"""A problem laid out for the inner loops, and its mirror image, in which time runs from the end to the beginning.

Several resources share one integer: each has a lane as wide as its greatest number, and a guard bit above it. Demand is
subtracted from what is free in all lanes at once; a lane that lacks something borrows its guard bit. So one comparison tells
whether a slot has enough of up to a dozen resources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.levelling.compiled import Ints, native
from schedule.levelling.problem import CONTINUOUS, NOT_FIXED, Bools, Precedence, Problem

WORD_BITS = 62

Array = NDArray[np.int64]


class SearchTables(NamedTuple):
    """One direction of a problem. Lengths: activities n, links m, words w, slots h."""

    horizon: int
    duration: Ints
    release: Ints
    fixed: Ints
    calendar: Ints
    link_first: Ints
    link_before: Ints
    link_gap: Ints
    link_ends: Ints
    """1 if the gap is from the finish of the earlier activity, plus 2 if it is to the finish of the later one."""
    need_first: Ints
    need_word: Ints
    """The offset of the word in `free`."""
    need: Ints
    need_guard: Ints
    free: Ints
    """What is free in each slot of each word, without what is not fixed: w * h."""
    opened: Ints
    """1 where a calendar is open: calendars * h."""
    open_before: Ints
    """How many slots are open before each: calendars * h."""
    open_slot: Ints
    """The open slots, those of each calendar at the beginning of its part: calendars * h."""
    kind: Ints
    """A number for each kind of activity: the same needs, duration and calendar."""
    kinds: int
    steady: bool
    """Whether `steady.py` can make the schedules: no calendars, nothing fixed, all needs of an activity in one word."""


class Both(NamedTuple):
    """A problem in both directions."""

    forward: SearchTables
    mirror: SearchTables


class _Stretches(NamedTuple):
    """Where the activities of one calendar work, in the numbers of its open slots: `first` to `last - 1` of `opened`."""

    activities: Array
    opened: Array
    first: Array
    last: Array


class Packed(NamedTuple):
    """Where each resource is: its word, the place of its lane, and the guard bits of each word."""

    word: Array
    shift: Array
    guard: Array


def lay_out(problem: Problem, horizon: int) -> Both:
    """Return both directions of a problem over `horizon` slots. The mirror is twice as long, for work that does not fit."""
    whole = free_levels(problem, horizon)
    most = whole.max(axis=1, initial=0)
    packed = pack(problem, most)
    free = _packed(packed, whole, horizon)
    beyond = np.repeat(_packed(packed, most[:, None], 1), horizon, axis=1)
    opened = _opened(problem, horizon)
    flipped = [np.concatenate([slots[::-1], np.ones(horizon, np.int64)]) for slots in opened]
    mirror = _tables(_mirror(problem, horizon), packed, np.concatenate([free[:, ::-1], beyond], axis=1), flipped)
    return Both(_tables(problem, packed, free, opened), mirror)


def forward_alone(problem: Problem, packed: Packed, horizon: int) -> SearchTables:
    """Return the forward direction of a problem of which nothing is fixed, over `horizon` slots."""
    # a row at a time: samples look far ahead, and all rows of a large site are 115 MB
    free = _packed(packed, (capacity.over(horizon) for capacity in problem.capacities), horizon)
    return _tables(problem, packed, free, _opened(problem, horizon))


def _opened(problem: Problem, horizon: int) -> list[Array]:
    return [np.asarray(slots[:horizon], np.int64) for slots in problem.calendars]


def free_levels(problem: Problem, horizon: int) -> Array:
    """Return what each resource has in each slot after fixed work took its part, at least 0."""
    levels = np.zeros((len(problem.capacities), horizon), np.int64)
    for number, capacity in enumerate(problem.capacities):
        levels[number] = capacity.over(horizon)
    take(levels, problem, problem.fixed != NOT_FIXED, problem.fixed)
    return np.maximum(levels, 0, out=levels)


def take(levels: Array, problem: Problem, chosen: Bools, start: Array) -> None:
    """Take from each resource what the chosen activities hold of it in each slot, if all start so."""
    demands = problem.demands
    for one in _stretches(problem, np.flatnonzero(chosen), start, levels.shape[1]):
        first, last = np.zeros(problem.count, np.int64), np.zeros(problem.count, np.int64)
        first[one.activities], last[one.activities] = one.first, one.last
        rows = np.flatnonzero(last[demands.activity] > first[demands.activity])
        users, resource, amount = demands.activity[rows], demands.resource[rows], demands.amount[rows]
        change = np.zeros((len(levels), len(one.opened) + 1), np.int64)
        np.add.at(change, (resource, first[users]), amount)
        np.add.at(change, (resource, last[users]), -amount)
        used = np.unique(resource)
        levels[np.ix_(used, one.opened)] -= change[used, :-1].cumsum(axis=1)


def _stretches(problem: Problem, activities: Array, start: Array, horizon: int) -> Iterator[_Stretches]:
    """Yield for each calendar where its activities work that start so."""
    calendars = problem.calendar[activities]
    for calendar in np.unique(calendars).tolist():
        own = activities[calendars == calendar]
        continuous = calendar == CONTINUOUS
        opened = np.arange(horizon) if continuous else np.flatnonzero(problem.calendars[calendar][:horizon])
        first = np.searchsorted(opened, start[own])
        yield _Stretches(own, opened, first, np.minimum(first + problem.duration[own], len(opened)))


def _mirror(problem: Problem, horizon: int) -> Problem:
    """Return the problem with time, links and numbering reversed. Nothing is released in it, and what is fixed waits for nothing."""
    count, demands = problem.count, problem.demands
    links = problem.links.into(problem.fixed == NOT_FIXED)
    order = np.argsort(-links.before, kind="stable")
    first = np.searchsorted((count - 1 - links.before)[order], np.arange(count + 1))
    turned = Precedence(
        first.astype(np.int64),
        (count - 1 - links.after)[order],
        links.gap[order],
        ~links.to_finish[order],
        ~links.from_finish[order],
    )
    rows = np.argsort(-demands.activity, kind="stable")
    sizes = np.diff(demands.first)[::-1]
    needs = type(demands)(np.concatenate([[0], np.cumsum(sizes)]), demands.resource[rows], demands.amount[rows])
    fixed = np.full(count, NOT_FIXED)
    for one in _stretches(problem, np.flatnonzero(problem.fixed != NOT_FIXED), problem.fixed, horizon):
        works = one.last > one.first
        ends = problem.fixed[one.activities]
        ends[works] = one.opened[one.last[works] - 1] + 1
        fixed[count - 1 - one.activities] = horizon - ends
    return Problem(
        problem.duration[::-1],
        turned,
        needs,
        problem.capacities,
        np.zeros(count, np.int64),
        fixed,
        problem.calendar[::-1],
        problem.calendars,
        problem.group[::-1],
    )


def _packed(packed: Packed, levels: Iterable[Array], horizon: int) -> Array:
    """Return what is free in each slot of each word, by what each resource has."""
    free = np.repeat(packed.guard[:, None], horizon, axis=1)
    for number, row in enumerate(levels):
        free[packed.word[number]] += row << packed.shift[number]
    return free


def _tables(problem: Problem, packed: Packed, free: Array, opened: list[Array]) -> SearchTables:
    horizon = free.shape[1]
    need_first, need_word, need = _needs(problem, packed)
    links, kind = problem.links, _kinds(problem, need_first, need_word, need)
    gap, ends = gaps(problem)
    return SearchTables(
        horizon,
        native(problem.duration),
        native(problem.release),
        native(problem.fixed),
        native(problem.calendar),
        native(links.first),
        native(links.before),
        native(gap),
        native(ends),
        native(need_first),
        native(need_word * horizon),
        native(need),
        native(packed.guard[need_word]),
        native(free.ravel()),
        *_open(opened),
        native(kind),
        int(kind.max(initial=-1)) + 1,
        _is_steady(problem, need_first),
    )


def _open(opened: list[Array]) -> tuple[Ints, Ints, Ints]:
    """Return for all calendars, one after another, which slots are open, how many are before each, and the open ones."""
    whole = np.array(opened, np.int64, ndmin=2)
    return native(whole.ravel()), native((whole.cumsum(axis=1) - whole).ravel()), native(open_first(whole).ravel())


def open_first(opened: Array) -> Array:
    """Return the open slots of each calendar, at the beginning of its row."""
    slots = np.zeros_like(opened)
    for own, row in zip(opened, slots, strict=True):
        places = np.flatnonzero(own)
        row[: len(places)] = places
    return slots


def _is_steady(problem: Problem, need_first: Array) -> bool:
    fixed_or_interrupted = (problem.fixed != NOT_FIXED) | (problem.calendar != CONTINUOUS)
    return not fixed_or_interrupted.any() and int(np.diff(need_first).max(initial=0)) <= 1


def gaps(problem: Problem) -> tuple[Array, Array]:
    """Return the gap of each link and its ends. Without calendars all gaps are made to be from start to start."""
    links = problem.links
    if (problem.calendar != CONTINUOUS).any():
        return links.gap, links.from_finish + 2 * links.to_finish
    gap = links.gap + np.where(links.from_finish, problem.duration[links.before], 0)
    return gap - np.where(links.to_finish, problem.duration[links.after], 0), np.zeros(len(gap), np.int64)


def pack(problem: Problem, most: Iterable[int]) -> Packed:
    """Return a lane for each resource, by the most that it ever has. The next word begins where a lane does not fit into the last."""
    word, shift, guard = [], [], [0]
    used = 0
    for number, level in enumerate(most):
        amounts = problem.demands.amount[problem.demands.resource == number]
        bits = max(int(level), int(amounts.max(initial=0))).bit_length()
        if used + bits + 1 > WORD_BITS:
            guard.append(0)
            used = 0
        word.append(len(guard) - 1)
        shift.append(used)
        guard[-1] |= 1 << (used + bits)
        used += bits + 1
    return Packed(np.array(word, np.int64), np.array(shift, np.int64), np.array(guard, np.int64))


def _needs(problem: Problem, packed: Packed) -> tuple[Array, Array, Array]:
    """Return what each activity needs of each word, in lanes: where each activity begins, the words, the needs."""
    demands, words = problem.demands, len(packed.guard)
    key = demands.activity * words + packed.word[demands.resource]
    where, at = np.unique(key, return_inverse=True)
    need = np.zeros(len(where), np.int64)
    np.add.at(need, at, demands.amount << packed.shift[demands.resource])
    first = np.searchsorted(where // words, np.arange(problem.count + 1))
    return first.astype(np.int64), (where % words).astype(np.int64), need


def _kinds(problem: Problem, first: Array, word: Array, need: Array) -> Array:
    """Return the kind of each activity. Activities of a kind fit into the same slots."""
    sizes = np.diff(first)
    columns = [problem.duration, problem.calendar, sizes]
    for place in range(int(sizes.max(initial=0))):
        has = sizes > place
        at = first[:-1][has] + place
        nth = np.zeros((2, problem.count), np.int64)
        nth[:, has] = word[at], need[at]
        columns += [*nth]
    order = np.lexsort(columns)
    rows = np.array(columns)[:, order]
    kind = np.zeros(problem.count, np.int64)
    kind[order[1:]] = (rows[:, 1:] != rows[:, :-1]).any(axis=0).cumsum()
    return kind
