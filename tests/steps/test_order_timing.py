"""When to place an order, as late as its risk allows, and what it costs to have it early."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

import numpy as np
import pytest

from steps.planning.activity import Hours
from steps.planning.dates.lead_times import KEPT, lead_at
from steps.planning.dates.order_timing import RATE, OrderTiming, cost_of_waiting, early_cost, timing_of
from steps.planning.plan import Plan, PlanOrder
from steps.planning.plan_document import document_of, frame_of
from tests.steps.test_plan import planned

pytestmark = pytest.mark.xdist_group("plans")

DAY = timedelta(days=1)
SITES = [
    ("superpod-1su", "existing"),
    ("superpod-1su", "greenfield"),
    ("h100-8-servers", "existing"),
    ("gb200-nvl72", "existing"),
]


@cache
def plan(preset: str = "superpod-1su", facility: str = "existing", rate: float = 10.0) -> Plan:
    return planned(preset, facility=facility, overrides={RATE: rate})


def order_of(made: Plan, name: str) -> PlanOrder:
    return next(order for order in made.orders if order.id == name)


def timings(made: Plan) -> list[tuple[PlanOrder, OrderTiming]]:
    found = [(order, timing) for order in made.orders if (timing := timing_of(order))]
    assert len(found) == len(made.orders) > 0
    return found


@pytest.mark.parametrize(("low", "likely", "high", "weeks"), [(8, 26, 52, 34.8), (12, 40, 65, 48.7)])
def test_80_of_100_lead_times_are_kept_by_a_pert_of_the_three_points(
    low: float, likely: float, high: float, weeks: float
) -> None:
    """Its density is (x - low)^a (high - x)^b, with a and b four times the shares of the width on each side of the likely value."""
    x = np.linspace(low, high, 1_000_001)
    before, after = (4 * (likely - low) / (high - low), 4 * (high - likely) / (high - low))
    within = np.cumsum((x - low) ** before * (high - x) ** after)
    own = float(x[np.searchsorted(within, KEPT * within[-1])])

    found = lead_at(Hours(low * 168, likely * 168, high * 168), KEPT) / 168

    assert own == pytest.approx(weeks, abs=0.1)
    assert found == pytest.approx(own, rel=1e-3)


def test_a_lead_time_that_is_certain_needs_no_margin() -> None:
    assert lead_at(Hours(168, 168, 168), KEPT) == 168


def test_an_order_with_time_to_spare_is_placed_before_its_need_by_date_less_the_p80() -> None:
    """By hand: one delivery, so the order-by date is its need-by date less the P80 of its lead time."""
    order = order_of(plan(), "H15@site#management-server")
    timing = timing_of(order)

    assert timing
    assert order.need_by
    assert order.order_by
    assert order.dates
    assert timing.late_days_p80 == 0
    p80 = timedelta(hours=lead_at(order.lead, KEPT))
    assert abs(order.need_by - p80 - order.order_by) <= timedelta(minutes=1)
    assert abs(timing.order_by - order.order_by) <= timedelta(minutes=1)
    assert timing.latest == order.need_by - timedelta(hours=order.lead.m)
    assert timing.order_from == order.dates.early_finish < order.order_by < timing.latest


def test_what_an_early_order_costs_is_its_price_at_the_rate_for_the_days_it_waits() -> None:
    """By hand: so many servers at 20,000 USD, and 10 % a year from the delivery until the need-by date."""
    order = order_of(plan(), "H15@site#management-server")
    timing = timing_of(order)
    (delivery,) = order.tranches

    assert timing
    assert order.dates
    assert delivery.dates
    assert order.usd
    assert order.usd == float(order.quantity) * 20_000
    days = (delivery.dates.late_finish - delivery.dates.early_finish) / DAY
    assert timing.early_days == pytest.approx(days)
    assert days > 1
    assert cost_of_waiting(order.usd, 10, timing.early_days) == pytest.approx(order.usd * 0.1 * days / 365)
    margin = (lead_at(order.lead, KEPT) - order.lead.m) / 24
    assert timing.spare_days == pytest.approx(margin, abs=0.01)


def test_each_delivery_waits_from_its_own_day_on() -> None:
    """The first of five deliveries may be needed at once and the last not: the days are their mean, by quantity."""
    order = order_of(planned("h100-10k"), "001@site#gpu-server")
    timing = timing_of(order)

    waits = [(t.dates.late_finish - t.dates.early_finish) / DAY for t in order.tranches if t.dates]
    shares = [float(t.quantity / order.quantity) for t in order.tranches]
    assert timing
    assert len(set(waits)) > 1
    assert timing.early_days == pytest.approx(sum(w * s for w, s in zip(waits, shares, strict=True)))


@pytest.mark.parametrize(("preset", "facility"), SITES)
def test_an_order_by_date_before_the_first_day_is_shown_as_it_is_with_the_days_and_what_would_help(
    preset: str, facility: str
) -> None:
    """Its order-by date was raised to its first day, so that a late order read as one in time."""
    made = plan(preset, facility)
    for order, timing in timings(made):
        assert order.order_by
        assert order.need_by
        assert made.start <= timing.order_from <= timing.latest, order.id
        assert timing.order_by <= timing.latest
        assert abs(order.order_by - timing.order_by) <= timedelta(minutes=1)
        late = max(timedelta(), timing.order_from - timing.order_by)
        assert timing.late_days_p80 == pytest.approx(late / DAY)
        assert bool(timing.ways) == bool(late)
        assert timing.spare_days <= timing.early_days + 1e-9
    assert any(timing.late_days_p80 for _, timing in timings(made))
    assert any(timing.order_from < timing.order_by < timing.latest for _, timing in timings(made))


def test_a_utility_has_no_second_source_and_servers_can_come_in_parts() -> None:
    greenfield, existing = (
        {order.item: timing.ways for order, timing in timings(plan("superpod-1su", facility))}
        for facility in ("greenfield", "existing")
    )

    assert greenfield["service-study"] == ("an earlier application",)
    assert {"a second source", "an allocation of the maker"} < {*existing["gpu-server"]}


@pytest.mark.parametrize(("preset", "facility"), SITES)
def test_what_is_late_with_a_p80_lead_time_is_what_has_less_float_than_the_margin(preset: str, facility: str) -> None:
    for order, timing in timings(plan(preset, facility)):
        assert order.dates
        assert order.lead_p80_h
        short_h = max(0.0, order.lead_p80_h - order.lead.m) - order.dates.total_float_h
        assert timing.late_days_p80 == pytest.approx(max(0.0, short_h / 24), abs=0.001)


@pytest.mark.parametrize(("preset", "facility"), SITES)
def test_what_waits_for_nothing_costs_nothing(preset: str, facility: str) -> None:
    found = timings(plan(preset, facility))
    without_float = [one for one in found if all(t.dates and t.dates.total_float_h == 0 for t in one[0].tranches)]
    for order, timing in without_float:
        assert cost_of_waiting(order.usd or 1.0, 10, timing.early_days) == 0
    for order, timing in found:
        if (order, timing) not in without_float:
            assert timing.early_days > 0


def test_a_higher_rate_costs_more_and_none_nothing() -> None:
    costs = [early_cost(plan(rate=rate)) for rate in (0.0, 10.0, 20.0)]

    nothing, some, more = (cost.placed_early for cost in costs if cost)
    assert nothing == 0
    assert some > 0
    assert more == pytest.approx(2 * some)
    assert all(cost and cost.placed_by < cost.placed_early for cost in costs[1:])


def test_an_order_without_a_price_is_counted_and_in_no_sum() -> None:
    """Where a user's own step buys what the design has no price for."""
    made = plan()
    unpriced = order_of(made, "H15@site#management-server").model_copy(update={"usd": None})
    orders = tuple(unpriced if one.id == unpriced.id else one for one in made.orders)
    cost, less = early_cost(made), early_cost(made.model_copy(update={"orders": orders}))

    assert cost
    assert less
    assert (cost.unpriced, less.unpriced, less.orders) == (0, 1, len(made.orders))
    assert less.placed_early < cost.placed_early
    assert cost_of_waiting(None, 10, 30) is None


def test_an_order_that_is_placed_later_than_planned_costs_less_and_may_come_late() -> None:
    """What the record knows takes the place of the plan: an order that could be placed long ago was not."""
    order = order_of(plan(), "H15@site#management-server")
    as_planned = timing_of(order)
    assert as_planned
    later = timing_of(order, as_planned.latest)

    assert later
    assert later.order_by == as_planned.order_by < later.order_from == as_planned.latest
    assert later.early_days == pytest.approx(0, abs=0.001)
    assert later.late_days_p80 == pytest.approx((lead_at(order.lead, KEPT) - order.lead.m) / 24, abs=0.001)


def test_an_older_plan_has_its_own_order_by_dates_and_no_costs() -> None:
    """It has neither P80 nor price nor rate; its order-by dates are those of the most likely lead time."""
    made = plan()
    unknown = {"lead_p80_h": None, "usd": None}
    orders = [o.model_copy(update={**unknown, "order_by": o.dates and o.dates.late_finish}) for o in made.orders]
    figures = {name: value for name, value in made.figures.items() if name != RATE}
    older = made.model_copy(update={"orders": tuple(orders), "figures": figures})

    read = frame_of(document_of(older))

    assert early_cost(read) is None
    for order in read.orders:
        timing = timing_of(order)
        assert timing
        assert timing.late_days_p80 is None
        assert timing.order_by == order.order_by == timing.latest


def test_what_is_ordered_is_read_without_the_work() -> None:
    made = plan()

    frame = frame_of(document_of(made))

    assert frame.orders == made.orders
    assert frame.figures == made.figures
    assert (frame.activities, frame.links) == ((), ())


def test_what_each_pod_orders_for_itself_has_its_share_of_the_price() -> None:
    racks = [order for order in planned("h100-10k").orders if order.item == "compute-rack"]

    assert len(racks) == 40
    assert [order.usd for order in racks] == [float(order.quantity) * 7_500 for order in racks]
