"""How sure deliveries are: one luck a maker, a market for all of them, and promises that are not always kept."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule.cpm.shifts import Minutes
from schedule.risk.running import run
from steps.planning.odds.plan_odds import solved_odds
from steps.planning.odds.uncertainty import uncertainty
from steps.planning.plan import Plan
from steps.planning.record.forecast import Actual, ForecastSolution, solve_forecast
from tests.steps.test_plan import planned

pytestmark = pytest.mark.xdist_group("plans")

SERVERS, SPARES, LEAVES = "001@site#gpu-server/1", "H23@site#spare-parts/1", "040@site#leaf-switch/1"
WEEK = timedelta(weeks=1)


def site(**overrides: float) -> Plan:
    return planned("superpod-1su", facility="existing", overrides=overrides)


def solved(plan: Plan, promised: dict[str, datetime]) -> ForecastSolution:
    """Return the forecast of the plan's first morning with deliveries that are promised."""
    return solve_forecast(plan, {name: Actual(None, day) for name, day in promised.items()}, plan.start)


def drawn(plan: Plan, names: list[str], promised: dict[str, datetime] | None = None, samples: int = 400) -> Minutes:
    """Return sampled finishes with unlimited crews, of shape (names, samples)."""
    found = solved(plan, promised or {}).crewed
    model = uncertainty(plan, found.base, found.unlimited)
    rows = [found.base.activities.names.index(name) for name in names]
    return run(model, rows, seed=1, samples=samples, threads=1, chains=False).samples


def waits(plan: Plan, *names: str, samples: int = 400) -> list[Minutes]:
    """Return the sampled minutes from each order to its delivery."""
    orders = [name.rpartition("/")[0] for name in names]
    found = drawn(plan, [*orders, *names], samples=samples)
    return [came - began for began, came in zip(found[: len(names)], found[len(names) :], strict=True)]


def due(plan: Plan, name: str) -> datetime:
    tranches = {tranche.id: tranche for order in plan.orders for tranche in order.tranches}
    dates = tranches[name].dates
    assert dates is not None
    return dates.early_finish


def test_two_orders_of_one_maker_have_the_same_luck_and_those_of_two_makers_their_own() -> None:
    servers, spares, leaves = waits(site(market_low=1, market_high=1), SERVERS, SPARES, LEAVES)

    assert np.corrcoef(servers, spares)[0, 1] > 0.95
    assert abs(np.corrcoef(servers, leaves)[0, 1]) < 4 / np.sqrt(400)


def test_the_market_moves_all_makers_a_little() -> None:
    servers, leaves = waits(site(market_low=0.5, market_high=2.0), SERVERS, LEAVES)

    assert 0.1 < np.corrcoef(servers, leaves)[0, 1] < 0.9


def test_nobody_waits_longer_than_the_longest_lead_time_that_the_market_makes() -> None:
    """The buyer cancels, and buys elsewhere."""
    plan = site()
    (order,) = (one for one in plan.orders if one.tranches[0].id == SERVERS)
    (waited,) = waits(plan, SERVERS, samples=2_000)

    assert waited.max() <= 60 * order.lead.p * plan.figures["market_high"] + 1


def test_a_promise_is_kept_in_four_of_five_samples_and_slips_for_all_orders_of_its_maker_together() -> None:
    plan = site()
    promised = {name: due(plan, name) for name in (SERVERS, SPARES)}

    servers, spares = drawn(plan, [SERVERS, SPARES], promised, samples=2_000)
    days = (servers - servers.min()) / (24 * 60)

    assert (days == 0).mean() == pytest.approx(1 - plan.figures["promise_slip_chance"], abs=0.04)
    assert np.array_equal(days > 0, spares > spares.min())
    assert days.max() <= plan.figures["promise_slip_days_high"]


@settings(max_examples=12)
@given(first=st.integers(1, 40), later=st.integers(1, 20), which=st.sampled_from([SERVERS, SPARES, LEAVES]))
def test_a_later_promise_makes_nothing_earlier(first: int, later: int, which: str) -> None:
    plan = site()
    end = "195@site"

    (sooner,) = drawn(plan, [end], {which: plan.start + first * WEEK}, samples=128)
    (after,) = drawn(plan, [end], {which: plan.start + (first + later) * WEEK}, samples=128)

    assert (after >= sooner).all()


def test_eight_weeks_of_slip_of_what_was_promised_move_the_odds_of_go_live_too() -> None:
    plan = site()
    on_time = solved(plan, {SERVERS: due(plan, SERVERS)})
    late = solved(plan, {SERVERS: due(plan, SERVERS) + 8 * WEEK})

    (before, *_), (after, *_) = (solved_odds(one, samples=200).milestones for one in (on_time, late))

    assert after.expected - before.expected > 7 * WEEK
    assert after.p50.date - before.p50.date > 4 * WEEK
