"""Responses: used only where a duration is too long, never longer for it, and never sooner than somebody can know."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedule.cpm.columns import Activities
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import continuous
from schedule.errors import InputError
from schedule.risk.draws import durations_of, uses_of
from schedule.risk.drivers import RiskDriver, RiskEvent
from schedule.risk.model import RiskModel, risk_model
from schedule.risk.responses import RiskResponse
from schedule.risk.running import run
from schedule.risk.spreads import Family, Spread, of_spreads
from tests.schedule.risk.models import no_links, random_spread

DELIVER, INSTALL = 0, 1
LATE = RiskDriver("maker", 0.5, Spread(1.5, 2, 3), np.array([DELIVER]))
"""In half of the samples the delivery takes 1500 to 3000 minutes instead of 1000."""


def pair() -> CompiledNetwork:
    activities = Activities(["deliver", "install"], np.array([1000, 500]), np.zeros(2, np.int32))
    return compile_network(activities, no_links(), [continuous()])


def model(*responses: RiskResponse, events: tuple[RiskEvent, ...] = ()) -> RiskModel:
    spreads = of_spreads([Spread(1000, 1000, 1000, Family.FIXED), Spread(400, 500, 900)])
    return risk_model(pair(), spreads, drivers=[LATE], events=events, responses=responses)


def response(name: str = "expedite", after: int = 1200, **more: Any) -> RiskResponse:
    return RiskResponse(name, np.array([DELIVER]), np.array([after]), **more)


def durations(of: RiskModel) -> np.ndarray:
    return run(of, [DELIVER, INSTALL], seed=3, samples=1024, chains=False).samples


def random_response(random: Random, number: int, rows: int) -> RiskResponse:
    own = np.array(sorted(random.sample(range(rows), random.randint(1, rows))))
    after = np.array([random.randint(0, 2500) for _ in own])
    saves = random.choice([0.0, random.uniform(0, 3000)])
    instead = {"instead": random_spread(random, random.uniform(0, 900))} if random.random() < 0.6 else {}
    moved_by = random.choice([None, "maker"])
    return RiskResponse(f"response {number}", own, after, saves, random.uniform(0, 1), moved_by=moved_by, **instead)


@given(st.integers(0, 10_000))
def test_no_sample_is_later_for_a_response_and_nothing_is_used_where_nothing_is_late(seed: int) -> None:
    random = Random(seed)
    responses = [random_response(random, number, 2) for number in range(random.randint(1, 4))]
    made = model(*responses, events=(RiskEvent("slip", (0.3,), Spread(10, 20, 90), np.array([DELIVER])),))
    group = random.randint(0, 5)

    with_all, without = (durations_of(one, 7, group) for one in (made, made.without(*made.responses)))
    uses = uses_of(made, 7, group)

    assert (with_all <= without).all()
    assert (uses.saved >= 0).all()
    assert not uses.saved[~uses.is_used].any()
    saved = np.zeros_like(without)
    np.add.at(saved, uses.number, uses.saved)
    assert (with_all == without - saved).all()


def test_what_saves_days_saves_no_more_than_there_is_left_when_it_begins() -> None:
    before, after = durations(model())[DELIVER], durations(model(response(saves=600)))[DELIVER]

    late = before > 1200
    assert 0.4 < late.mean() < 0.6
    assert (after[~late] == before[~late]).all()
    assert (after[late] == np.maximum(1200, before[late] - 600)).all()


def test_what_comes_instead_begins_when_the_buyer_has_waited_and_the_sooner_one_counts() -> None:
    instead = Spread(700, 700, 700, Family.FIXED)
    before, after = durations(model())[DELIVER], durations(model(response(instead=instead)))[DELIVER]

    assert (after == np.where(before > 1200, np.minimum(before, 1200 + 700), before)).all()


def test_the_driver_that_moves_what_comes_instead_makes_it_longer() -> None:
    instead = Spread(400, 400, 400, Family.FIXED)
    plain, moved = (durations(model(response(instead=instead, moved_by=by)))[DELIVER].max() for by in (None, "maker"))

    assert plain == 1600
    assert 1200 + 1.5 * 400 <= moved <= 1200 + 3 * 400


def test_a_part_is_there_after_its_share_of_the_delay() -> None:
    before, after = durations(model())[DELIVER], durations(model(response(part=0.75)))[DELIVER]

    late = before > 1200
    assert after[late] == pytest.approx(1200 + 0.75 * (before[late] - 1200), abs=0.51)


def test_the_response_that_begins_first_is_used_first_whatever_their_order() -> None:
    """With the first one nothing is late enough for the second any more."""
    first, second = response("first", 1200, part=0.0), response("second", 1400, part=0.0)

    for responses in ((first, second), (second, first)):
        made = model(*responses)
        uses = uses_of(made, 3, 0)
        used = {
            made.responses[number]: is_used.any() for number, is_used in zip(uses.response, uses.is_used, strict=True)
        }
        assert used == {"first": True, "second": False}


def test_work_that_an_event_adds_gets_no_response() -> None:
    again = RiskEvent("again", (1.0,), Spread(5000, 5000, 5000, Family.FIXED), np.array([DELIVER]))

    assert (durations(model(response(part=0.0), events=(again,)))[DELIVER] >= 6000).all()


def test_a_response_leaves_all_other_draws_as_they_are() -> None:
    assert (durations(model(response(saves=600)))[INSTALL] == durations(model())[INSTALL]).all()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (response(saves=-1.0), "would make a duration longer"),
        (response(part=1.5), "would make a duration longer"),
        (response(after=-1), "does not begin after a time"),
        (RiskResponse("expedite", np.array([7]), np.array([1])), "names activity 7"),
        (response("maker"), "have the name 'maker'"),
    ],
)
def test_a_wrong_response_is_refused_by_name(wrong: RiskResponse, words: str) -> None:
    with pytest.raises(InputError, match=words):
        model(wrong)
