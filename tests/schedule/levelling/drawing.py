"""Random levelling problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from schedule.levelling.problem import Capacity, Demands, Precedence, Problem

HORIZON = 600


@st.composite
def problems(draw: st.DrawFn, *, most: int = 14, rich: bool = True) -> Problem:
    """Draw a problem; a rich one has all types of link, releases, fixed starts, calendars and capacities that change."""
    count = draw(st.integers(1, most))
    numbers = st.integers(0, 5)
    duration = draw(st.lists(numbers, min_size=count, max_size=count))
    pairs = [(a, b) for b in range(count) for a in range(b)]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=2 * count, unique=True)) if pairs else []
    gaps = [draw(st.integers(-2, 3)) if rich else 0 for _ in chosen]
    links = Precedence.of(count, [(a, b, gap) for (a, b), gap in zip(chosen, gaps, strict=True)], finish_to_start=True)
    if rich:
        ends = st.lists(st.booleans(), min_size=len(chosen), max_size=len(chosen))
        links = replace(links, from_finish=np.array(draw(ends), bool), to_finish=np.array(draw(ends), bool))
    resources = draw(st.integers(1, 3))
    demands = [(a, r, draw(st.integers(0, 4))) for a in range(count) for r in range(resources)]
    capacities = [draw(_capacities()) if rich else draw(st.integers(4, 8)) for _ in range(resources)]
    return Problem.of(
        duration,
        links,
        Demands.of(count, demands),
        capacities,
        release=draw(st.lists(numbers, min_size=count, max_size=count)) if rich else None,
        fixed=draw(st.lists(st.sampled_from([-1, -1, -1, 0, 2]), min_size=count, max_size=count)) if rich else None,
        calendar=draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=count, max_size=count)) if rich else None,
        calendars=[_week(5, 2), _week(2, 1)]
        if rich and draw(st.booleans())
        else [np.ones(HORIZON, bool)] * 2
        if rich
        else (),
    )


def _week(works: int, rests: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return the open slots of a calendar that works and rests in turn."""
    return np.arange(HORIZON) % (works + rests) < works


@st.composite
def _capacities(draw: st.DrawFn) -> int | Capacity:
    if draw(st.booleans()):
        return draw(st.integers(4, 8))
    since = sorted(draw(st.sets(st.integers(1, 30), max_size=3)))
    amounts = [draw(st.integers(0, 8)) for _ in since]
    return Capacity((0, *since), (*amounts, draw(st.integers(4, 8))))
