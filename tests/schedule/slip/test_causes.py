"""Each kind of cause in a small project, and what float and closed hours do to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from schedule.cpm.columns import Tie
from schedule.errors import InputError
from schedule.slip.causes import SlipCause, summed
from schedule.slip.chain import Bought
from schedule.slip.concurrent import near_chains
from schedule.slip.explain import explain
from schedule.slip.standing import Standing, between
from tests.schedule.networks import DAY, WEEKS, calendar_of
from tests.schedule.slip.small import in_days, network, record

DAYS = {"order": 0, "delivery": 30, "room": 20, "install": 5, "test": 3}
LINKS = [("order", "delivery"), ("delivery", "install"), ("room", "install"), ("install", "test")]
BOUGHT = {"order": Bought.ORDER, "delivery": Bought.DELIVERY}
PLAN = network(DAYS, LINKS)
"""Racks are there on day 30, the room on day 20; test ends on day 38."""


def causes(now: Standing, target: str = "test") -> dict[tuple[str, SlipCause], float]:
    """Return what changed the finish of a target since the plan, in days."""
    return in_days(explain([Standing(PLAN), now], target, bought=BOUGHT))


def test_what_is_not_ordered_costs_every_day_until_today() -> None:
    now = record(PLAN, 5, {"room": 0}, {})

    assert causes(now) == {("order", SlipCause.ORDER): 5}


def test_an_order_that_was_placed_late_keeps_its_delay() -> None:
    now = record(PLAN, 10, {"room": 0, "order": 4, "delivery": 4}, {"order": 4})

    assert causes(now) == {("order", SlipCause.ORDER): 4}


def test_a_delivery_promised_for_later_is_the_deliverys() -> None:
    """As what remains of it, or as a date that takes the place of the lead time."""
    started, finished = {"order": 0, "delivery": 0, "room": 0}, {"order": 0}
    remaining = record(PLAN, 10, started, finished, {"delivery": 26})
    promised = network(DAYS | {"delivery": 0}, LINKS, no_earlier={"delivery": 36})
    held = record(promised, 10, {"order": 0, "room": 0}, finished)

    assert causes(remaining) == {("delivery", SlipCause.DELIVERY): 6}
    (part,) = explain([Standing(PLAN), held], "test", bought=BOUGHT).by_window
    assert (part.activity, part.cause, part.minutes, part.own) == ("delivery", SlipCause.DELIVERY, 6 * DAY, 6 * DAY)


def test_a_promise_that_is_not_kept_is_the_deliverys_too() -> None:
    promised = network(DAYS | {"delivery": 0}, LINKS, no_earlier={"delivery": 36})
    then = record(promised, 10, {"order": 0, "room": 0}, {"order": 0})
    now = record(PLAN, 50, {"order": 0, "delivery": 0, "room": 0}, {"order": 0, "delivery": 40, "room": 20})

    slip = explain([Standing(PLAN), then, now], "delivery", bought=BOUGHT)

    assert in_days(slip) == {("delivery", SlipCause.DELIVERY): 10}


def test_float_is_nobodys_fault() -> None:
    """The room has ten days of float: nine days late cost nothing, fourteen cost four."""
    started = {"order": 0, "delivery": 0, "room": 0}

    assert causes(record(PLAN, 25, started, {"order": 0}, {"room": 4})) == {}
    late = explain([Standing(PLAN), record(PLAN, 25, started, {"order": 0}, {"room": 9})], "test")

    (part,) = late.parts
    assert (part.activity, part.cause, part.minutes, part.own) == ("room", SlipCause.TAKING, 4 * DAY, 14 * DAY)


def test_what_used_the_float_first_is_seen_in_windows() -> None:
    """The room is known to be 4 days late in the end, and then the racks come 6 days late: 4 + 2."""
    begun = {"order": 0, "delivery": 0, "room": 0}
    first = record(PLAN, 25, begun, {"order": 0}, {"room": 9})
    later = record(PLAN, 28, begun, {"order": 0}, {"room": 6, "delivery": 8})

    slip = explain([Standing(PLAN), first, later], "test", bought=BOUGHT)

    assert in_days(slip) == {("room", SlipCause.TAKING): 4, ("delivery", SlipCause.DELIVERY): 2}
    assert [part.data_date for part in slip.by_window] == [25 * DAY, 28 * DAY]
    assert causes(later) == {("delivery", SlipCause.DELIVERY): 6}


ON_TIME = {"order": 0, "delivery": 0, "room": 0}


def test_a_late_start_and_longer_work_are_told_apart() -> None:
    """Installed from day 32 instead of 30, in 8 days instead of 5."""
    done = {"order": 0, "delivery": 30, "room": 20}
    now = record(PLAN, 41, ON_TIME | {"install": 32}, done | {"install": 40})

    assert causes(now, "install") == {("install", SlipCause.STARTED): 2, ("install", SlipCause.TOOK): 3}
    assert causes(now)["test", SlipCause.NOT_STARTED] == 1


def test_a_gain_is_negative() -> None:
    done = {"order": 0, "delivery": 30, "room": 20, "install": 33}
    slip = explain([Standing(PLAN), record(PLAN, 33, ON_TIME | {"install": 30}, done)], "test")

    (part,) = slip.parts
    assert (part.activity, part.minutes, part.words) == ("install", -2 * DAY, "took less time")


def test_a_gain_and_a_later_delay_are_both_shown() -> None:
    """The racks come two days early, and are installed in ten days instead of five."""
    done = {"order": 0, "delivery": 28, "room": 20, "install": 38}
    now = record(PLAN, 38, ON_TIME | {"install": 28}, done)

    assert causes(now) == {("install", SlipCause.TOOK): 5, ("delivery", SlipCause.DELIVERY): -2}


def test_a_gain_belongs_to_what_held_the_date_before() -> None:
    """The racks come twelve days early. Work begins when the room is ready, on day 20 as planned: ten days are gained."""
    done = {"order": 0, "delivery": 18, "room": 20}

    assert causes(record(PLAN, 21, ON_TIME | {"install": 20}, done)) == {("delivery", SlipCause.DELIVERY): -10}


def test_a_delivery_that_makes_good_a_part_of_a_late_order_is_not_called_early() -> None:
    """It comes five days later than planned, after an order that went out ten days late."""
    done = {"order": 10, "delivery": 35, "room": 20}
    now = record(PLAN, 36, {"order": 10, "delivery": 10, "room": 0, "install": 35}, done)
    slip = explain([Standing(PLAN), now], "test", bought=BOUGHT)

    said = {(part.activity, part.minutes // DAY, part.words) for part in slip.parts}
    assert said == {
        ("order", 10, "was ordered late"),
        ("delivery", -5, "takes less time from its order than planned"),
    }


def test_a_gain_beside_a_delay_is_not_hidden_by_it() -> None:
    """The racks come 4 days early, the room is ready 12 days late: work begins 2 days late, by the room alone."""
    done = {"order": 0, "delivery": 26, "room": 32}
    now = record(PLAN, 32, ON_TIME | {"install": 32}, done)
    early = record(PLAN, 27, ON_TIME | {"install": 26}, {"order": 0, "delivery": 26, "room": 20})

    assert causes(now) == {("room", SlipCause.TOOK): 2}
    assert causes(early) == {("delivery", SlipCause.DELIVERY): -4}


def test_what_others_waited_for_in_fact_is_found_behind_an_actual_start() -> None:
    """The racks came on day 34, and work began then: it is not its own fault."""
    done = {"order": 0, "delivery": 34, "room": 20}

    assert causes(record(PLAN, 36, ON_TIME | {"install": 34}, done)) == {("delivery", SlipCause.DELIVERY): 4}


def test_work_that_an_ff_link_held_is_not_said_to_take_longer() -> None:
    plan = network({"pull": 4, "label": 4}, [("pull", "label", Tie.SS), ("pull", "label", Tie.FF)])
    now = record(plan, 7, {"pull": 0, "label": 0}, {"pull": 7, "label": 7})

    assert in_days(explain([Standing(plan), now], "label")) == {("pull", SlipCause.TOOK): 3}


def test_work_that_began_early_and_was_held_to_the_end_is_not_at_fault() -> None:
    """Labelling waits for kits until day 3, and ends with the pulling. Kits came on day 1, and pulling took 7 days."""
    plan = network({"kit": 3, "pull": 4, "label": 2}, [("kit", "label"), ("pull", "label", Tie.FF)])
    now = record(plan, 7, {"kit": 0, "pull": 0, "label": 1}, {"kit": 1, "pull": 7, "label": 7})

    assert in_days(explain([Standing(plan), now], "label")) == {("pull", SlipCause.TOOK): 2}


def test_a_day_that_pushes_work_over_a_weekend_costs_three() -> None:
    """Each is a day of 8 hours, on Thursday and Friday; the own minutes say that it was a day."""
    week = calendar_of(WEEKS[0]._replace(off=()))
    plan = network(
        {"wait": 3, "cable": 1, "check": 1}, [("wait", "cable"), ("cable", "check")], calendars=[week], day=480
    )
    longer = Standing(plan, durations=np.array([3, 2, 1]) * 480)

    (part,) = explain([Standing(plan), longer], "check").parts

    assert (part.activity, part.minutes, part.own) == ("cable", 3 * DAY, DAY)


def test_a_revision_is_apart_from_progress() -> None:
    """In one window: the racks are 4 days late, and a revision puts a survey of two days before the test."""
    revised = network(DAYS | {"survey": 2}, [*LINKS, ("install", "survey"), ("survey", "test")])
    now = record(revised, 10, ON_TIME, {"order": 0}, {"delivery": 24})

    assert causes(now) == {("delivery", SlipCause.DELIVERY): 4, ("survey", SlipCause.LOGIC): 2}
    back = explain([now, record(PLAN, 10, ON_TIME, {"order": 0}, {"delivery": 24})], "test")
    assert in_days(back) == {("survey", SlipCause.LOGIC): -2}


def test_a_lag_that_a_revision_changes_is_its_successors() -> None:
    revised = network(DAYS, [*LINKS[:-1], ("install", "test", Tie.FS, 2)])

    assert causes(Standing(revised)) == {("test", SlipCause.LOGIC): 2}


def test_other_working_hours_by_a_revision_are_their_own_cause() -> None:
    days = {"cable": 6}
    six, five = (network(days, [], calendars=[calendar_of(WEEKS[week]._replace(off=()))], day=480) for week in (2, 0))

    slip = explain([Standing(six), Standing(five)], "cable")

    assert [(part.cause, part.minutes) for part in slip.parts] == [(SlipCause.CALENDAR, slip.minutes)]
    assert slip.minutes > 0


def test_a_crews_handover_is_no_change_of_logic() -> None:
    """One crew cables both halls: the second waits until the first is done, as the caller says which link that is."""
    free = network({"hall 1": 5, "hall 2": 4}, [])
    levelled = network({"hall 1": 5, "hall 2": 4}, [("hall 1", "hall 2")])

    of_crew = Standing(levelled, crew_links=np.array([True]))

    assert in_days(explain([Standing(free), of_crew], "hall 2")) == {("hall 2", SlipCause.CREW): 5}
    logic = in_days(explain([Standing(free), Standing(levelled)], "hall 2"))
    assert logic == {("hall 2", SlipCause.LOGIC): 5}


def test_a_date_before_which_work_may_not_start_is_named() -> None:
    held = network(DAYS, LINKS, no_earlier={"install": 33})

    assert causes(Standing(held)) == {("install", SlipCause.HELD): 3}


def test_a_start_that_the_record_takes_back_is_named() -> None:
    begun = record(PLAN, 31, ON_TIME | {"install": 30}, {"order": 0, "delivery": 30, "room": 20})
    undone = record(PLAN, 33, ON_TIME, {"order": 0, "delivery": 30, "room": 20})

    assert in_days(explain([begun, undone], "test")) == {("install", SlipCause.CORRECTED): 3}


def test_a_delay_of_many_days_is_one_part_in_the_words_of_today() -> None:
    """Looked at every day: it had not started, then it was taking longer, and now it started late and took longer."""
    done = {"order": 0, "delivery": 30, "room": 20}
    now = record(PLAN, 40, ON_TIME | {"install": 32}, done | {"install": 40})

    slip = explain(between(Standing(PLAN), now, range(DAY, 40 * DAY, DAY)), "test")

    assert in_days(slip) == {("install", SlipCause.TOOK): 3, ("install", SlipCause.STARTED): 2}
    assert len(slip.by_window) == 5
    assert summed(slip.parts, lambda part: part.activity) == {"install": 5 * DAY}


def test_what_would_have_been_late_anyway_is_listed_beside() -> None:
    """The racks drive; the room would have cost four days without them."""
    now = record(PLAN, 25, ON_TIME, {"order": 0}, {"room": 9, "delivery": 11})

    (chain,) = near_chains(Standing(PLAN), now, "test", within=3 * DAY, bought=BOUGHT)

    assert (chain.activities, chain.total_float) == (("room",), 2 * DAY)
    assert in_days(chain.slip) == {("room", SlipCause.TAKING): 14}
    assert near_chains(Standing(PLAN), now, "test", within=DAY, bought=BOUGHT) == []


def test_wrong_questions_are_refused() -> None:
    plan = Standing(PLAN)

    with pytest.raises(InputError, match="two standings"):
        explain([plan], "test")
    with pytest.raises(InputError, match="'195' is not in the network"):
        explain([plan, plan], "195")
    with pytest.raises(InputError, match="4 links have 1 marks of crews"):
        Standing(PLAN, crew_links=np.array([True]))
    with pytest.raises(InputError, match="not in order"):
        between(plan, replace(plan, start=DAY), [2 * DAY])
