"""What holds for every network, whatever it is made of."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule.cpm.compiled import compile_network
from schedule.cpm.paths import longest_path
from tests.schedule.networks import Drawn, random_case

seeds = st.integers(0, 10**9)
FORWARD = Drawn(types=("FS", "SS"), leads=False, calendars=4, constraints=False, progress="none")
ONE_CALENDAR = Drawn(calendars=1, constraints=False, progress="none")


@given(seeds, st.integers(0, 8), st.integers(1, 2000))
@settings(max_examples=150, deadline=None)
def test_longer_work_makes_nothing_earlier(seed: int, which: int, more: int) -> None:
    """With FS and SS links and no leads."""
    case = random_case(seed, FORWARD)
    network = compile_network(case.activities, case.links, case.calendars)
    longer = case.activities.duration.copy()
    longer[which % len(longer)] += more

    before, after = network.solve(), network.solve(durations=longer)

    assert (after.finish >= before.finish).all()


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_the_longest_path_has_no_float_on_one_calendar(seed: int) -> None:
    case = random_case(seed, Drawn(types=("FS",), calendars=1, constraints=False, progress="none"))
    network = compile_network(case.activities, case.links, case.calendars)
    solution = network.solve()

    path = longest_path(network, solution)

    assert (solution.total_float[list(path.activities)] == 0).all()


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_floats_are_in_order_and_never_negative_on_one_calendar(seed: int) -> None:
    """Independent float is at most free float, that at most total float, where nothing constrains a date."""
    case = random_case(seed, ONE_CALENDAR)
    solution = compile_network(case.activities, case.links, case.calendars).solve()

    assert (solution.free_float <= solution.total_float).all()


@given(seeds)
@settings(max_examples=150, deadline=None)
def test_work_that_takes_all_its_float_does_not_delay_the_project(seed: int) -> None:
    """One activity that starts as late as it may: forward and backward pass agree."""
    case = random_case(
        seed, Drawn(types=("FS", "SS"), calendars=1, milestones="none", constraints=False, progress="none")
    )
    solution = compile_network(case.activities, case.links, case.calendars).solve()

    for row in range(len(case.activities)):
        held = np.full(len(case.activities), -(2**40))
        held[row] = solution.late_start[row]
        activities = type(case.activities)(
            case.activities.names, case.activities.duration, case.activities.calendar, no_earlier=held
        )
        again = compile_network(activities, case.links, case.calendars).solve()
        assert again.project_finish == solution.project_finish
