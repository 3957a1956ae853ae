"""Drag: what a target would gain if an activity took no time, as the rules say when they are played without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedule.cpm.compiled import compile_network
from schedule.cpm.drag import drags
from schedule.cpm.paths import longest_path
from tests.schedule.minutes import Player
from tests.schedule.networks import DAY, SPAN, WEEKS, Case, Drawn, calendar_of, random_case
from tests.schedule.slip.small import network, record

DAYS = {"dig": 4, "pour": 10, "wire": 8, "test": 2}
PLAN = network(DAYS, [("dig", "pour"), ("dig", "wire"), ("pour", "test"), ("wire", "test")])
A_DAY = np.full(4, DAY)


def test_a_parallel_path_limits_drag() -> None:
    """Without the pouring of ten days the test is two days earlier: then it waits for the wiring."""
    found = drags(PLAN, PLAN.solve(), 3, day=A_DAY)

    assert [(PLAN.activities.names[drag.row], drag.minutes // DAY) for drag in found] == [
        ("dig", 4),
        ("pour", 2),
        ("test", 2),
    ]


def test_the_drag_of_what_runs_is_of_what_remains() -> None:
    now = record(PLAN, 3, {"dig": 0}, {}, {"dig": 3}).solved().solution

    assert [drag.minutes // DAY for drag in drags(PLAN, now, 3, day=A_DAY)] == [3, 2, 2]


def test_a_day_less_is_worth_what_it_brings() -> None:
    """A day less on Monday's work brings three, over the weekend; on both of two parallel paths it brings nothing."""
    week = [calendar_of(WEEKS[0]._replace(off=()))]
    plan = network({"cable": 6}, [], calendars=week, day=480)
    twins = network({"hall 1": 5, "hall 2": 5, "test": 1}, [("hall 1", "test"), ("hall 2", "test")])

    (cable,) = drags(plan, plan.solve(), 0, day=np.array([480]))
    of_twins = drags(twins, twins.solve(), 2, day=np.full(3, DAY))

    assert (cable.of_a_day, cable.worth_of_a_day(20_000)) == (3 * DAY, 60_000)
    assert cable.cost(1000) == pytest.approx(cable.minutes / DAY * 1000)
    assert [(drag.row, drag.minutes, drag.of_a_day) for drag in of_twins] == [(2, DAY, DAY), (0, 0, 0)]


def played_without(case: Case, row: int, target: int, left: int) -> int:
    """Return the finish of a target when one activity has this much left to do."""
    durations, actuals = case.activities.duration.copy(), case.actuals
    durations[row] = left
    activities = replace(case.activities, duration=durations)
    if actuals is not None and actuals.remaining is not None:
        remaining = actuals.remaining.copy()
        remaining[row] = left
        actuals = replace(actuals, remaining=remaining)
    return Player(activities, case.links, case.calendars, SPAN, actuals).play().finish[target]


@pytest.mark.parametrize("seed", range(200, 215))
def test_drag_is_what_the_rules_give_without_the_activity(seed: int) -> None:
    """All link types, lags and leads, four calendars, progress."""
    case = random_case(seed, Drawn(calendars=4))
    made = compile_network(case.activities, case.links, case.calendars)
    solution = made.solve(actuals=case.actuals)
    target = int(np.argmax(solution.finish))
    day = np.full(len(case.activities), 480)

    found = drags(made, solution, target, day=day)

    finish = int(solution.finish[target])
    work = solution.work.duration[made.numbers.number]
    assert {drag.row for drag in found} == {
        row for row in longest_path(made, solution, target=target).activities if work[row]
    }
    for drag in found:
        less = max(int(work[drag.row]) - 480, 0)
        assert drag.minutes == finish - played_without(case, drag.row, target, 0)
        assert drag.of_a_day == finish - played_without(case, drag.row, target, less)


def test_drag_is_that_of_the_textbook_example() -> None:
    """A, B, C, D and E in a row; F, G and H beside them have 15, 5 and 20 days of float."""
    days = {"A": 10, "B": 20, "C": 5, "D": 10, "E": 20, "F": 10, "G": 5, "H": 15}
    links = ["AB", "BC", "CD", "DE", "AF", "FD", "CG", "GE", "AH", "HE"]
    plan = network(days, [(link[0], link[1]) for link in links])

    found = drags(plan, plan.solve(), 4, day=np.full(8, DAY))

    by_name = {plan.activities.names[drag.row]: drag.minutes // DAY for drag in found}
    assert by_name == {"A": 10, "B": 15, "C": 5, "D": 5, "E": 20}
