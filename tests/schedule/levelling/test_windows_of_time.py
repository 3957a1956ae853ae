"""CP-SAT in windows: what it finds keeps the problem and is shorter, and what it calls proven is so."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from benchmarks.cp_sat.window import Outcome, window_at
from benchmarks.cp_sat.window_model import solved
from benchmarks.cp_sat.window_proofs import in_windows
from benchmarks.psplib_file import read_sm
from schedule.levelling.horizon import finishes
from schedule.levelling.level import Effort, level
from schedule.levelling.problem import NOT_FIXED, Demands, Precedence, Problem
from tests.schedule.levelling.checker import faults
from tests.schedule.levelling.drawing import problems

FILES = Path(__file__).parent / "psplib"

pytest.importorskip("ortools", reason="OR-Tools is not installed")


@given(problems(), st.integers(2, 8))
@settings(max_examples=60, deadline=None)
def test_windows_keep_the_problem_and_are_never_later(problem: Problem, most: int) -> None:
    """Calendars with breaks, all links, releases, fixed starts and capacities that change."""
    found = level(problem, Effort(1))

    searched = in_windows(problem, found, most=most)

    assert list(faults(problem, searched.levelled.start.tolist())) == []
    assert searched.levelled.length <= found.length
    assert (searched.shorter > 0) == (searched.levelled.length < found.length)


WAITED_FOR_BY_FIXED = Problem.of(
    [0, 0, 0, 0, 2, 3, 0, 0],
    Precedence.of(
        8,
        [(0, 1, 0), (0, 2, 0), (1, 2, 0), (0, 3, 0), (1, 3, 0), (2, 3, 0), (0, 5, 1), (4, 6, 0), (5, 6, 0), (6, 7, 0)],
    ),
    Demands.of(8, [(4, 0, 1), (5, 0, 4)]),
    [4],
    fixed=[NOT_FIXED] * 7 + [0],
)
"""The last one has begun, whatever its link says. Its link moved what it waits for, and so the end of the window."""


@given(problems(most=8))
@example(WAITED_FOR_BY_FIXED)
@settings(max_examples=60, deadline=None)
def test_a_window_of_all_activities_finds_what_a_long_search_finds(problem: Problem) -> None:
    """If the one window is proven, no search may find a shorter schedule."""
    found = level(problem, Effort(1))

    searched = in_windows(problem, found, most=problem.count)

    longer = level(problem, Effort(400))
    if not searched.left_open:
        assert searched.levelled.length <= longer.length


@given(problems(most=5), st.integers(0, 6), st.integers(1, 2))
@settings(max_examples=60, deadline=None)
def test_a_proven_window_has_no_place_for_its_activities(problem: Problem, slot: int, most: int) -> None:
    """All starts in the window are tried, with everything else where it stays."""
    found = level(problem, Effort(1))
    window = window_at(problem, found.start, found.start, slot, most)
    assume(window is not None and len(window.free) <= 2 and window.last - window.first <= 12)
    assert window is not None
    outcome, _ = solved(window, work=1.0, seed=1)

    for places in product(range(window.first, window.last + 1), repeat=len(window.free)):
        start = window.start.copy()
        start[window.free] = places
        ends = finishes(problem, start)[window.free]
        if outcome is Outcome.PROVEN and ends.max() <= window.last:
            assert list(faults(problem, start.tolist())) != []


def test_the_same_windows_lead_to_the_same_schedule() -> None:
    """Nothing depends on the clock."""
    problem = read_sm(FILES / "j609_7.sm").problem
    found = level(problem, Effort(1))

    one, two = (in_windows(problem, found, most=20) for _ in range(2))

    assert one.windows > 1
    assert (one.levelled.start == two.levelled.start).all()
    assert replace(one, levelled=found) == replace(two, levelled=found)


def test_shifts_of_two_kinds_share_a_crew_in_one_window() -> None:
    """Days need the crew in slots 0, 2, 4, nights in 1, 3, 5: five slots of work fit into the first five slots."""
    days, nights = np.array([1, 0] * 20, bool), np.array([0, 1] * 20, bool)
    problem = Problem.of(
        [3, 2],
        Precedence.of(2, []),
        Demands.of(2, [(0, 0, 1), (1, 0, 1)]),
        [1],
        calendar=[0, 1],
        calendars=[days, nights],
    )
    found = level(problem, Effort(1))
    late = replace(found, start=np.array([0, 7]), finish=np.array([5, 10]), length=10)

    searched = in_windows(problem, late)

    assert searched.levelled.length == 5
    assert list(faults(problem, searched.levelled.start.tolist())) == []
