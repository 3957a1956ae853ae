"""CP-SAT proves what the search found, and the search finds what is published."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.calibration import effort_of
from benchmarks.cp_sat.exact import proven
from benchmarks.levelling_least import TOLERANCE, chain_to, first_of, heads_of, loads_of, most_work
from benchmarks.levelling_pods import template, template_problem
from benchmarks.psplib_file import read_sm
from schedule.errors import InputError
from schedule.levelling.compiled import numbers
from schedule.levelling.level import Effort, level
from schedule.levelling.problem import Demands, Precedence, Problem
from schedule.levelling.room import room_for
from schedule.levelling.serial import ordered, serial
from schedule.levelling.tables import lay_out
from tests.schedule.levelling.checker import faults
from tests.schedule.levelling.drawing import problems

FILES = Path(__file__).parent / "psplib"


@given(problems(rich=False))
@settings(max_examples=25, deadline=None)
def test_a_proof_contradicts_neither_bound_nor_schedule(problem: Problem) -> None:
    """CP-SAT finds no schedule below our bound, and keeps the problem."""
    pytest.importorskip("ortools", reason="OR-Tools is not installed")
    found = level(problem, Effort(60))

    best = proven(problem, found)

    assert best.proven
    assert found.bound <= best.length <= found.length
    assert list(faults(problem, best.start.tolist())) == []


def test_a_large_problem_is_not_handed_to_cp_sat() -> None:
    """It would search for minutes and prove nothing."""
    problem = Problem.of([1] * 301, Precedence.of(301, []), Demands.of(301, []), [])

    with pytest.raises(InputError, match="up to 300 activities; this problem has 301"):
        proven(problem, level(problem))


@pytest.mark.parametrize(("name", "best"), [("j601_1.sm", 77), ("j1203_7.sm", 93)])
def test_published_best_schedules_are_found(name: str, best: int) -> None:
    """Two projects of PSPLIB of which the shortest schedule is proven."""
    problem = read_sm(FILES / name).problem

    found = level(problem, Effort(1000))

    assert found.length == best
    assert list(faults(problem, found.start.tolist())) == []


def test_seconds_become_schedules_by_the_clock_of_the_caller() -> None:
    """The first trial of 40 schedules takes 10 of the 100 seconds; trial and search together fill them."""
    ticks = iter([0.0, 0.0, 10.0, 10.0])

    effort = effort_of(read_sm(FILES / "j609_7.sm").problem, 100, lambda: next(ticks), seed=4)

    assert effort == Effort(schedules=40 + 320, seed=4)


def test_a_schedule_found_earlier_is_never_lost() -> None:
    """One schedule is made, by a rule that finds a longer one; the candidate was searched for."""
    problem = read_sm(FILES / "j609_7.sm").problem
    searched = level(problem, Effort(1000))
    assert level(problem, Effort(1)).length > searched.length

    found = level(problem, Effort(1), candidates=[searched.start])

    assert found.length == searched.length
    assert found.method == "candidate"


@given(problems(rich=False), st.permutations(range(14)))
@settings(max_examples=100, deadline=None)
def test_the_short_way_for_steady_work_makes_the_same_schedule(problem: Problem, keys: list[int]) -> None:
    """`steady` and `serial` place the same activities in the same slots, in both directions."""
    for tables in lay_out(problem, 200):
        assert tables.steady
        found = []
        for way in (tables, tables._replace(steady=False)):
            room = room_for(way)
            for a in range(problem.count):
                room.keys[a] = keys[a]
            ordered(way, room.keys, room)
            start, finish = numbers(problem.count, 0), numbers(problem.count, 0)
            length = serial(way, room.order, 5, room, start, finish)
            found.append((length, list(start), list(finish)))
        assert found[0] == found[1]


def test_no_schedule_of_a_template_is_shorter_than_what_is_proven_of_it() -> None:
    """The argument of the evidence page holds for a small template, too, where the search comes close to it."""
    pytest.importorskip("ortools", reason="OR-Tools is not installed")
    made = template(6)
    heads, loads = heads_of(made), loads_of(made)

    problem = template_problem(6)
    found = level(problem, Effort(400))

    for trade, load in enumerate(loads):
        capacity = made.capacities[trade]
        assert found.length >= first_of(made, heads, trade) + load
        left = float(load) - most_work(made, heads, trade, 100) / capacity
        assert found.length >= 100 + left - TOLERANCE
        own = problem.demands.resource == trade
        users, amount = problem.demands.activity[own], problem.demands.amount[own]
        slots = np.clip(100 - found.start[users], 0, problem.duration[users])
        assert (slots * amount).sum() <= most_work(made, heads, trade, 100) + TOLERANCE
        chain = chain_to(made, heads, trade)
        assert sum(made.duration[step] for step in chain) == first_of(made, heads, trade)
