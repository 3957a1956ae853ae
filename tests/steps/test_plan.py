"""Plans of whole sites: what drives them, and that suppliers' lead times do not stack."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import Any

import pytest

from steps.catalog.loader import read_roles
from steps.design.design import design_of
from steps.design.site import Site
from steps.planning.dates.dating import network_of
from steps.planning.plan import Plan
from steps.planning.planner import Hosts, Surroundings, make_plan
from steps.planning.record.forecast import Actual, forecast
from tests.shipped import shipped_catalog

pytestmark = pytest.mark.xdist_group("plans")  # the plan of a large preset takes seconds, and is kept by its worker


@cache
def plan(preset: str, facility: str = "existing", nodes: int = 0) -> Plan:
    return planned(preset, facility=facility, **({"overrides": {"nodes": nodes}} if nodes else {}))


def planned(preset: str, **more: Any) -> Plan:
    """Return the plan of a site with further entries in its file."""
    site = site_of(preset, **more)
    roles = {slug: role.title for slug, role in read_roles().items()}
    return make_plan(site, design_of(site), shipped_catalog(), Surroundings(roles, Hosts(), {}))


def site_of(preset: str, **more: Any) -> Site:
    """Return a site of one person, with further entries in its file. It has no public holidays, so that its weeks are alike."""
    calendar = {"public_holidays": "none"} | more.pop("calendar", {})
    entry: dict[str, Any] = {
        "name": "t",
        "time_zone": "America/Chicago",
        "country": "US",
        "currency": "USD",
        "preset": preset,
        "start": "2026-11-23",
        "people": [{"id": "owner", "roles": ["owner-pm"]}],
        "calendar": calendar,
        **more,
    }
    return Site.model_validate(entry)


def critical(of: Plan) -> set[str]:
    dated = [(a.id, a.dates) for a in of.activities]
    dated += [(o.id, o.dates) for o in of.orders]
    dated += [(t.id, t.dates) for o in of.orders for t in o.tranches]
    return {name for name, dates in dated if dates and dates.is_critical}


def test_gpu_delivery_drives_a_hall_in_service() -> None:
    names = critical(plan("h100-10k"))

    assert any(name.startswith("001@site#gpu-server/") for name in names)
    assert not any("transformer" in name for name in names)


def test_the_power_chain_drives_a_greenfield_site_and_the_gpus_have_float() -> None:
    made = plan("h100-10k", "greenfield")
    names = critical(made)

    assert any("generator" in name or "transformer" in name for name in names)
    gpus = next(o for o in made.orders if o.id == "001@site#gpu-server")
    assert gpus.dates
    assert gpus.dates.total_float_h > 13 * 168


def test_lead_times_run_side_by_side() -> None:
    made = plan("h100-10k", "greenfield")
    weeks = (made.finish - made.start).days / 7
    longest = max(o.lead.m for o in made.orders) / 168

    assert longest < weeks < longest + 60


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["superpod-1su", "h100-10k"])
def test_every_order_has_its_dates_in_order(preset: str) -> None:
    for order in plan(preset, "greenfield").orders:
        assert order.order_by
        assert order.need_by
        assert order.order_by < order.need_by
        for tranche in order.tranches:
            assert tranche.units


def test_tranches_add_up_to_the_order_and_serve_every_pod_once() -> None:
    made = plan("h100-10k")
    order = next(o for o in made.orders if o.id == "001@site#gpu-server")
    served = [unit for t in order.tranches for unit in t.units]

    assert sum(t.quantity for t in order.tranches) == order.quantity == 1250
    assert sorted(served) == sorted(u.id for u in made.units if u.kind == "pod")


def test_every_activity_that_does_not_apply_says_why() -> None:
    for made in (plan("superpod-1su"), plan("localhost")):
        for activity in made.activities:
            assert activity.applicable or activity.not_applicable_because


def test_with_nothing_done_the_forecast_is_the_plan_and_a_late_delivery_moves_it() -> None:
    made = plan("superpod-1su")
    order = next(o for o in made.orders if o.id == "001@site#gpu-server")

    same = forecast(made, {}, made.start)
    assert order.dates
    late = forecast(made, {order.id: Actual(None, order.dates.late_finish.replace(year=2027, month=6))}, made.start)

    assert same.finish == made.finish
    assert late.finish > made.finish


def test_work_that_began_years_before_the_plan_is_in_the_forecast() -> None:
    """A site that is taken over has work of which nobody planned the beginning."""
    made = plan("superpod-1su")
    old = next(one.id for one in made.activities if one.applicable and one.calendar == "working" and one.duration.m)

    found = forecast(made, {old: Actual(made.start - timedelta(days=900), None)}, made.start)

    assert made.start < found.finish <= made.finish


def test_what_was_done_in_sequence_does_not_wait_for_what_comes_before_it_later() -> None:
    """The record says what was out of sequence. A revision may put a step before one that is done."""
    made = plan("superpod-1su")
    first, last = "153@pod-001", "195@site"
    done = {first: Actual(made.start, made.start)}
    late = {first: Actual(made.start, made.start, out_of_sequence=True)}
    before = {link.before for link in made.links if link.after == first}

    network = network_of(made, begun={first: True})

    names = network.activities.names
    assert before
    assert not [row for row in range(len(network.links)) if names[network.links.after[row]] == first]
    assert last in names
    assert forecast(made, done, made.start).finish <= forecast(made, late, made.start).finish
