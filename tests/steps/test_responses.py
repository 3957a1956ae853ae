"""What the buyer does about late orders: nothing unless the site says so, never later for it, and nothing paid where nothing is late."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule.cpm.shifts import Minutes
from schedule.errors import InputError
from schedule.risk.model import RiskModel
from schedule.risk.odds import DAY
from schedule.risk.running import run
from steps.catalog.loader import read_roles
from steps.catalog.terms import Response
from steps.design.design import design_of
from steps.design.scenario import under_scenario
from steps.planning.dates.dating import last_row
from steps.planning.odds.plan_odds import odds_of, solved_odds
from steps.planning.odds.plan_samples import crewed_samples
from steps.planning.odds.response_odds import TOGETHER
from steps.planning.odds.response_result import ResponseResult
from steps.planning.odds.sample_causes import Luck, played_sample
from steps.planning.odds.uncertainty import uncertainty
from steps.planning.plan import Plan, PlanOrder, PlanTranche
from steps.planning.plan_document import document_of, plan_of
from steps.planning.record.forecast import Actual, ForecastSolution, solve_forecast
from steps.planning.scenarios.scenario_changes import Costed, priced_changes, titled
from steps.planning.scenarios.working_cost import working_cost
from tests.steps.test_plan import planned, site_of

pytestmark = pytest.mark.xdist_group("plans")

SERVERS, LEAVES, SPINES = "001@site#gpu-server/1", "040@site#leaf-switch/1", "040@site#spine-switch/1"
ALL = {
    "expedite": ("gpu-server", "leaf-switch", "spine-switch"),
    "second-source": ("gpu-server", "leaf-switch"),
    "partial-service": ("leaf-switch", "spine-switch"),
}
SAMPLES = 400


@cache
def without_responses() -> Plan:
    return planned("superpod-1su", facility="existing")


def site(**overrides: float) -> Plan:
    """Return a plan with all responses. The dates are those of the plan without: only the samples differ."""
    plan = without_responses()
    responses = {Response(name): items for name, items in ALL.items()}
    return plan.model_copy(update={"responses": responses, "figures": plan.figures | overrides})


def forecast(plan: Plan, recorded: dict[str, Actual] | None = None, after: timedelta = timedelta()) -> ForecastSolution:
    return solve_forecast(plan, recorded or {}, plan.start + after)


def model_of(found: ForecastSolution) -> RiskModel:
    return uncertainty(found.plan, found.crewed.base, found.crewed.unlimited, found.progress, found.rates)


def finishes(found: ForecastSolution, model: RiskModel, *names: str) -> Minutes:
    """Return finishes of deliveries and of go-live, with unlimited crews."""
    row = {name: number for number, name in enumerate(found.crewed.base.activities.names)}
    targets = [row[name] for name in names] + [last_row(found.crewed.base, found.crewed.solution)]
    return run(model, targets, seed=1, samples=SAMPLES, chains=False).samples


def bought(plan: Plan, name: str) -> tuple[PlanOrder, PlanTranche]:
    return next((order, one) for order in plan.orders for one in order.tranches if one.id == name)


def odds(plan: Plan) -> dict[str, ResponseResult]:
    return {one.name: one for one in odds_of(plan, samples=SAMPLES).responses}


def test_a_site_that_says_nothing_has_the_same_plan_and_the_same_odds() -> None:
    made = planned("superpod-1su", facility="existing", responses={"expedite": ["gpu-server"]})

    assert without_responses().responses == {}
    assert made.model_copy(update={"responses": {}}) == without_responses()
    assert odds_of(without_responses(), samples=SAMPLES).responses == ()


def test_responses_stay_in_the_stored_plan() -> None:
    assert plan_of(document_of(site())).responses == site().responses


@settings(max_examples=8)
@given(st.floats(0, 12), st.floats(0, 40), st.floats(0, 12), st.floats(0, 20), st.floats(0, 12), st.floats(0.1, 1))
def test_no_sample_is_later_and_none_is_moved_where_no_lead_time_is_too_long(
    wait: float, days: float, patience: float, weeks: float, late: float, share: float
) -> None:
    """With unlimited crews and the same draws."""
    plan = site(
        expedite_late_weeks=wait,
        expedite_days=days,
        second_source_late_weeks=patience,
        second_source_weeks_low=weeks / 2,
        second_source_weeks_likely=weeks,
        second_source_weeks_high=weeks * 2,
        partial_service_late_weeks=late,
        partial_service_share=share,
    )
    found = forecast(plan)
    model = model_of(found)

    orders = [bought(plan, name)[0].id for name in (SERVERS, LEAVES)]
    every = (SERVERS, LEAVES, *orders)
    with_all, without = (finishes(found, one, *every) for one in (model, model.without(*model.responses)))

    assert (with_all <= without).all()
    for number, name in enumerate((SERVERS, LEAVES)):
        order, tranche = bought(plan, name)
        assert order.dates
        assert tranche.dates
        patience = (tranche.dates.late_finish - order.dates.early_finish) / timedelta(minutes=1)
        lead, shorter = (one[number] - one[number + 2] for one in (without, with_all))
        in_time = lead <= patience
        assert (shorter[in_time] == lead[in_time]).all()
        assert (shorter >= np.minimum(lead, int(patience))).all()


def test_a_response_costs_its_share_of_the_price_in_the_samples_in_which_it_is_used() -> None:
    plan = site()
    plan = plan.model_copy(update={"responses": {Response.EXPEDITE: ("gpu-server",)}})
    price = bought(plan, SERVERS)[0].usd
    assert price

    one = odds(plan)["expedite"]

    assert 0.2 < one.used_share < 0.9
    assert one.usd_mean == pytest.approx(one.used_share * price * plan.figures["expedite_premium"])
    assert one.weeks_p50 > 0.5


def test_a_response_that_waits_longer_than_anything_is_late_is_never_used_and_costs_nothing() -> None:
    plan = site(expedite_late_weeks=200, second_source_late_weeks=200, partial_service_late_weeks=200)

    for one in odds(plan).values():
        assert (one.used_share, one.usd_mean, one.usd_p80, one.weeks_p50, one.weeks_p80) == (0, 0, 0, 0, 0)


def test_a_second_source_that_has_stock_buys_weeks_and_one_that_has_none_buys_nothing() -> None:
    """The shipped figures are of the second kind: who orders elsewhere after a month's delay mostly waits for the first supplier."""
    plan = without_responses().model_copy(update={"responses": {Response.SECOND_SOURCE: ("gpu-server",)}})
    stock = {f"second_source_weeks_{point}": week for point, week in (("low", 0.5), ("likely", 1), ("high", 2))}

    slow = odds(plan)["second source"]
    fast = odds(plan.model_copy(update={"figures": plan.figures | stock}))["second source"]

    assert abs(slow.weeks_p80) < 0.3
    assert fast.used_share == slow.used_share
    assert fast.weeks_p80 > slow.weeks_p80 + 0.5


def test_a_fabric_that_is_a_part_after_go_live_costs_the_days_of_what_it_lacks() -> None:
    """The rest of the switches comes so late that training begins without it."""
    plan = site(partial_service_share=0.1, partial_service_fit_days=200)
    plan = plan.model_copy(update={"responses": {Response.PARTIAL_SERVICE: ("spine-switch",)}})

    found = forecast(plan)
    model = model_of(found)
    rows = [found.crewed.base.activities.names.index(SPINES), last_row(found.crewed.base, found.crewed.solution)]
    own, without = (
        crewed_samples(found.crewed, one, rows, samples=SAMPLES, seed=1)
        for one in (model, model.without(*model.responses))
    )
    until_full = np.maximum(without[0] + 200 * DAY - own[1], 0) / DAY
    is_used = own[0] < without[0]

    one = odds(plan)["partial service"]

    assert one.part_days == pytest.approx(float(np.where(is_used, until_full, 0).mean()), rel=0.001)
    assert one.part_days > 1
    assert one.usd_mean == pytest.approx(one.part_days * 0.9 * plan.slip_day_usd)


def test_all_together_are_used_and_cost_what_each_does() -> None:
    found = odds(site())
    together = found.pop(TOGETHER)

    assert together.usd_mean == pytest.approx(sum(one.usd_mean for one in found.values()))
    assert together.used_share >= max(one.used_share for one in found.values())
    assert together.weeks_p80 >= max(one.weeks_p80 for one in found.values())


def test_what_is_promised_gets_no_response() -> None:
    """A maker who names a day has answered; `expedite` records what comes of it then."""
    plan = without_responses().model_copy(update={"responses": {Response.EXPEDITE: ("gpu-server",)}})
    day = plan.start + timedelta(weeks=45)
    found = forecast(plan, {SERVERS: Actual(None, day)})

    assert model_of(found).responses == ()
    assert solved_odds(found, samples=50).responses == ()


def test_an_order_that_is_late_already_is_responded_to_from_now_on() -> None:
    """It was placed late, and its need-by date went by four weeks ago. So in each sample a quarter of what remains is waited for."""
    plan = without_responses().model_copy(
        update={
            "responses": {Response.PARTIAL_SERVICE: ("leaf-switch",)},
            "figures": without_responses().figures | {"partial_service_late_weeks": 2, "partial_service_share": 0.25},
        }
    )
    order, tranche = bought(plan, LEAVES)
    assert tranche.dates
    placed = tranche.dates.late_finish - timedelta(weeks=4)
    now = tranche.dates.late_finish + timedelta(weeks=4)
    found = forecast(plan, {order.id: Actual(placed, placed), LEAVES: Actual(placed, None)}, now - plan.start)
    model = model_of(found)

    own, without = (finishes(found, one, LEAVES)[0] for one in (model, model.without(*model.responses)))
    today = (now - plan.start) // timedelta(minutes=1)

    assert own - today == pytest.approx((without - today) * 0.25, abs=1)


def test_a_rehearsed_sample_has_the_delivery_as_the_response_makes_it() -> None:
    plan, plain = site(), without_responses()
    found = forecast(plan)
    model = model_of(found)
    own, without = (finishes(found, one, SERVERS)[0] for one in (model, model.without(*model.responses)))
    number = int(np.argmax(without - own)) + 1

    played, other = (played_sample(one, Luck(number, SAMPLES, 1)) for one in (plan, plain))

    saved = other.causes.leads[SERVERS] - played.causes.leads[SERVERS]
    assert saved * 60 == pytest.approx(float(without[number - 1] - own[number - 1]), abs=16)
    assert saved * 60 > 3 * DAY
    assert min(one.days for one in played.sampled.largest) < 0, "a response is among what moves this sample most"


@pytest.mark.parametrize(
    ("responses", "words"),
    [
        ({"second-source": ["gpu-servr"]}, "no step orders 'gpu-servr'\n  did you mean gpu-server"),
        ({"expedite": ["utility-service"]}, "expedite does nothing about 'utility-service'"),
        ({"partial-service": ["gpu-server"]}, "a part serves only of leaf-switch and spine-switch"),
    ],
)
def test_an_item_about_which_nothing_can_be_done_is_refused(responses: dict[str, list[str]], words: str) -> None:
    with pytest.raises(InputError, match=words):
        planned("superpod-1su", responses=responses)


def test_a_scenario_switches_responses_on_and_its_title_says_so_with_the_price(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    text = "title: ours\nresponses: {expedite: [gpu-server]}\n"
    (tmp_path / "scenarios" / "ours.yaml").write_text(text, encoding="utf-8")
    plain, plan = site_of("superpod-1su"), without_responses()
    under = under_scenario(plain, "ours", tmp_path, read_roles())
    cost = working_cost(plan, plain)

    found = priced_changes(Costed(plain, plan, cost), Costed(under, plan, cost, {"expedite": 60_000.0}))

    assert titled("ours", found) == "ours (expedite for late orders none -> gpu-server)"
    assert [one.usd for one in found] == [60_000.0]
    assert design_of(under).figures == design_of(plain).figures
