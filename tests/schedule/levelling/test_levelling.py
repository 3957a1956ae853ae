"""Every levelled schedule keeps the problem, by a judge that shares no code with the engine; more crews are never later."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule.errors import InputError
from schedule.levelling.bounds import lower_bound, unlevelled
from schedule.levelling.level import Effort, level
from schedule.levelling.problem import Capacity, Demands, Precedence, Problem
from schedule.levelling.tables import lay_out
from tests.schedule.levelling.checker import faults
from tests.schedule.levelling.drawing import HORIZON, problems

SHORT = Effort(schedules=60)


@given(problems())
@settings(max_examples=200, deadline=None)
def test_a_levelled_schedule_keeps_the_problem(problem: Problem) -> None:
    """Precedence of all types, releases, fixed starts, calendars with breaks and capacities that change."""
    found = level(problem, SHORT)

    assert list(faults(problem, found.start.tolist())) == []
    assert found.bound <= found.length == found.finish.max(initial=0)


@given(problems())
@settings(max_examples=200, deadline=None)
def test_no_schedule_is_shorter_than_the_bound(problem: Problem) -> None:
    """Even where the bound is looked for among finishes that are later than any schedule."""
    found = level(problem, SHORT)
    tables = lay_out(problem, HORIZON)

    bound = lower_bound(problem, tables.mirror, unlevelled(tables.forward), HORIZON, HORIZON)

    assert bound <= found.length


def test_nights_after_the_busiest_crew_count_in_the_bound() -> None:
    """Six days of one crew, and then two days of tests by day: the bound is the schedule, which is thereby proven."""
    days = np.arange(300) % 24 < 8
    works = [8] * 6 + [16]
    problem = Problem.of(
        works,
        Precedence.of(7, [(a, 6, 0) for a in range(6)], finish_to_start=True),
        Demands.of(7, [(a, 0, 1) for a in range(6)]),
        [1],
        calendar=[0] * 7,
        calendars=[days],
    )

    found = level(problem)

    assert found.length == 7 * 24 + 8
    assert found.proven


@given(problems(), st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_more_crews_are_never_later(problem: Problem, more: int) -> None:
    """The schedule of fewer crews is a candidate for more."""
    fewer = level(problem, SHORT)
    richer = replace(problem, capacities=tuple(_more(capacity, more) for capacity in problem.capacities))

    found = level(richer, SHORT, candidates=[fewer.start])

    assert list(faults(richer, found.start.tolist())) == []
    assert found.length <= fewer.length


def _more(capacity: Capacity, more: int) -> Capacity:
    return Capacity(capacity.since, tuple(amount + more for amount in capacity.amount))


@given(problems(rich=False))
@settings(max_examples=100, deadline=None)
def test_each_wait_names_who_held_the_resource(problem: Problem) -> None:
    """In the slot before its start an activity would have had too little, and the holders held the rest."""
    found = level(problem, SHORT)

    for wait in found.waits:
        assert wait.late == found.start[wait.activity] - found.unlevelled[wait.activity]
        if wait.waited:
            assert wait.resource is not None
            slot = found.start[wait.activity] - 1
            assert all(found.start[holder] <= slot < found.finish[holder] for holder in wait.holders)
            needs = {
                (int(a), int(r)): int(n)
                for a, r, n in zip(
                    problem.demands.activity, problem.demands.resource, problem.demands.amount, strict=True
                )
            }
            held = sum(needs[holder, wait.resource] for holder in wait.holders)
            assert held + needs[wait.activity, wait.resource] > problem.capacities[wait.resource].amount[0]


def two_at_one_crew() -> Problem:
    """Return two activities of 3 and 2 slots for one crew."""
    return Problem.of([3, 2], Precedence.of(2, []), Demands.of(2, [(0, 0, 1), (1, 0, 1)]), [1])


def test_who_waits_for_whom_is_said() -> None:
    """The shorter one waits three slots for the crew that the longer one holds, or the other way round."""
    found = level(two_at_one_crew())

    (wait,) = found.waits
    assert found.length == found.bound == 5
    assert found.proven
    assert found.unlevelled.tolist() == [0, 0]
    assert (wait.late, wait.waited, wait.resource) == (found.start[wait.activity],) * 2 + (0,)
    assert wait.holders == (1 - wait.activity,)


def test_a_break_interrupts_work_and_frees_the_crew() -> None:
    """The first activity rests in slot 1; the second, with a calendar of its own, has the crew then."""
    days, nights = np.array([1, 0] * 10, bool), np.array([0, 1] * 10, bool)
    problem = Problem.of(
        [2, 1],
        Precedence.of(2, []),
        Demands.of(2, [(0, 0, 1), (1, 0, 1)]),
        [1],
        calendar=[0, 1],
        calendars=[days, nights],
    )

    found = level(problem)

    assert found.start.tolist() == [0, 1]
    assert found.finish.tolist() == [3, 2]


def test_capacity_that_is_not_there_does_not_interrupt_work() -> None:
    """Two slots of work do not begin in the one slot before the crew is away."""
    problem = Problem.of([2], Precedence.of(1, []), Demands.of(1, [(0, 0, 1)]), [Capacity((0, 1, 3), (1, 0, 1))])

    found = level(problem)

    assert found.start.tolist() == [3]
    assert found.bound == 5 or not found.proven
    assert found.waits[0].resource == 0
    assert found.waits[0].holders == ()


def test_the_same_seed_and_number_lead_to_the_same_schedule() -> None:
    """Nothing depends on the clock."""
    rng = np.random.default_rng(5)
    demands = [(a, int(rng.integers(3)), int(rng.integers(1, 4))) for a in range(40)]
    problem = Problem.of(rng.integers(1, 9, 40), Precedence.of(40, []), Demands.of(40, demands), [4, 5, 6])

    one, two, other = (level(problem, Effort(2000, seed)) for seed in (3, 3, 4))

    assert (one.start == two.start).all()
    assert (one.start != other.start).any() or one.proven


def test_a_calendar_that_ends_too_early_is_an_error() -> None:
    """What is beyond the calendar is not known."""
    problem = Problem.of([5], Precedence.of(1, []), Demands.of(1, []), [], calendar=[0], calendars=[np.ones(4, bool)])

    with pytest.raises(InputError, match="does not fit into 4 slots"):
        level(problem)


def test_a_finish_that_is_due_after_the_calendar_is_an_error() -> None:
    """The second is to finish 9 slots after the first, which finishes in slot 5."""
    links = replace(Precedence.of(2, [(0, 1, 9)], finish_to_start=True), to_finish=np.ones(1, bool))
    problem = Problem.of([5, 2], links, Demands.of(2, []), [], calendar=[0, 0], calendars=[np.ones(10, bool)])

    with pytest.raises(InputError, match="does not fit into 10 slots"):
        level(problem)


def test_more_than_there_ever_is_is_an_error() -> None:
    """The activity, the need and the resource are named."""
    with pytest.raises(InputError, match="activity 1 needs 3 of resource 0, of which there are 2"):
        Problem.of([1, 1], Precedence.of(2, []), Demands.of(2, [(1, 0, 3)]), [2])
