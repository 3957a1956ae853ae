"""The chain that drives a date: in order, with links, lags, closed hours, and waits for crews."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule.cpm.columns import Tie
from schedule.cpm.compiled import compile_network
from schedule.cpm.paths import longest_path
from schedule.cpm.why import HeldBy, why
from tests.schedule.networks import DAY, WEEKS, Drawn, calendar_of, random_case
from tests.schedule.slip.small import network, record

HOUR = 60


def test_the_chain_begins_at_the_data_date_and_names_each_link() -> None:
    plan = network(
        {"buy": 10, "fit": 4, "cure": 0, "test": 3},
        [("buy", "fit"), ("fit", "cure", Tie.FS, 2), ("cure", "test", Tie.SS)],
    )
    now = record(plan, 6, {"buy": 0}, {}, {"buy": 7})

    reasons = why(plan, now.solved().solution, 3)

    assert [(plan.activities.names[one.row], one.held_by, one.type) for one in reasons] == [
        ("buy", HeldBy.DATA_DATE, None),
        ("fit", HeldBy.LINK, Tie.FS),
        ("cure", HeldBy.LINK, Tie.FS),
        ("test", HeldBy.LINK, Tie.SS),
    ]
    assert [one.wait // DAY for one in reasons] == [0, 0, 2, 0]
    assert (reasons[0].start, reasons[0].resumes, reasons[2].lag) == (0, 6 * DAY, 2 * DAY)


def test_closed_hours_between_two_activities_are_told_apart_from_the_lag() -> None:
    """Work ends on Friday at 17:00. After a lag of an hour of work on Monday, the next begins at 9:00."""
    week = [calendar_of(WEEKS[0]._replace(off=()))]
    plan = network({"cable": 5, "check": 1}, [("cable", "check")], calendars=week, day=480)
    lagged = network({"cable": 40, "check": 8}, [("cable", "check", Tie.FS, 1)], calendars=week, day=HOUR)

    (_, at_once), (_, later) = why(plan, plan.solve(), 1), why(lagged, lagged.solve(), 1)

    friday_to_monday = 63 * HOUR
    assert (at_once.lag, at_once.closed) == (0, friday_to_monday)
    assert (later.lag, later.closed) == (friday_to_monday + HOUR, 0)
    assert (later.ready, later.resumes) == (4 * DAY + 17 * HOUR, 7 * DAY + 9 * HOUR)


def test_a_date_or_the_start_of_the_project_holds_what_no_link_holds() -> None:
    plan = network({"room": 2, "racks": 1}, [("room", "racks")], no_earlier={"racks": 9})

    (held,) = why(plan, plan.solve(), 1)
    (first,) = why(plan, plan.solve(), 0)

    assert (held.held_by, held.ready, held.wait) == (HeldBy.DATE, 9 * DAY, 0)
    assert first.held_by == HeldBy.PROJECT_START


def test_a_wait_for_a_crew_is_what_everything_else_would_have_allowed() -> None:
    """The power is there on day 2; the crew comes from the other hall on day 6."""
    plan = network({"hall 1": 6, "power": 2, "hall 2": 3}, [("hall 1", "hall 2"), ("power", "hall 2")])

    (_, waiting) = why(plan, plan.solve(), 2, crew_links=np.array([True, False]))
    (_, logic) = why(plan, plan.solve(), 2)

    assert (waiting.crew_wait, logic.crew_wait) == (4 * DAY, 0)


@given(st.integers(0, 10**9))
@settings(max_examples=200, deadline=None)
def test_ready_and_lag_and_closed_hours_are_the_date_that_is_set(seed: int) -> None:
    """On networks of every kind, and each activity is ready when the one before it starts or finishes."""
    case = random_case(seed, Drawn(calendars=4))
    made = compile_network(case.activities, case.links, case.calendars)
    solution = made.solve(actuals=case.actuals)

    for target in range(len(case.activities)):
        reasons = why(made, solution, target)

        path = longest_path(made, solution, target=target)
        assert tuple(one.row for one in reasons) == path.activities
        assert tuple(one.link for one in reasons[1:]) == path.links
        assert reasons[0].held_by is not HeldBy.LINK
        for before, one in pairwise(reasons):
            assert one.ready == (before.start if one.type in {Tie.SS, Tie.SF} else before.finish)
        for one in reasons:
            ends = one.finish if one.type in {Tie.FF, Tie.SF} else one.resumes
            assert one.ready + one.wait == ends
            if one.type not in {Tie.FF, Tie.SF}:
                assert one.closed >= 0
