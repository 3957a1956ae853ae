"""What a scenario changes: every assumption of it is said, with its price or that it has none."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from steps.catalog.loader import offices, read_roles
from steps.catalog.terms import Kind
from steps.design.design import design_of
from steps.design.scenario import scenario_title, under_scenario
from steps.planning.activity import ELAPSED, PlanActivity
from steps.planning.plan import Plan
from steps.planning.planner import Hosts, Surroundings, make_plan
from steps.planning.scenarios.scenario_changes import Change, Costed, priced_changes, titled
from steps.planning.scenarios.working_cost import working_cost
from tests.shipped import shipped_catalog
from tests.steps.test_plan import site_of

pytestmark = pytest.mark.xdist_group("plans")

ROLES = read_roles()
TITLES = {slug: role.title for slug, role in ROLES.items()}
NOWHERE = Path("/nonexistent")
SCENARIOS = ("compressed", "constrained", "memphis-2024")


@cache
def costed(scenario: str = "", facility: str = "shell") -> Costed:
    site = site_of("superpod-1su", facility=facility)
    if scenario:
        site = under_scenario(site, scenario, NOWHERE, ROLES)
    plan = make_plan(site, design_of(site), shipped_catalog(), Surroundings(TITLES, Hosts(), {}))
    return Costed(site, plan, working_cost(plan, site))


def changed(scenario: str) -> tuple[Change, ...]:
    return priced_changes(costed(), costed(scenario))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_figure_and_choice_that_a_scenario_changes_is_listed_with_both_values(scenario: str) -> None:
    """Read from the plans themselves, not from the scenario's file."""
    plain, under = (one.plan.figures | one.plan.choices for one in (costed(), costed(scenario)))
    differing = {name for name in plain if plain[name] != under[name]}
    listed = {one.what: one for one in changed(scenario)}

    assert differing
    assert differing <= listed.keys()
    for name in differing & {"lead_time_factor", "nodes_per_crew"}:
        assert (listed[name].before, listed[name].after) == (f"{plain[name]:g}", f"{under[name]:g}")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_prices_add_up_to_what_the_plan_costs_more(scenario: str) -> None:
    more = costed(scenario).cost.total - costed().cost.total

    assert sum(one.usd or 0.0 for one in changed(scenario)) == pytest.approx(more, abs=1)


def test_what_has_no_price_has_none() -> None:
    prices = {one.what: one.usd for one in changed("memphis-2024")}

    assert prices["lead_time_factor"] is None
    assert prices["nodes_per_crew"] is None
    assert prices["steps 009, 036"] is None
    assert all(prices[name] for name in ("shifts of trades", "working days of trades", "power_equipment"))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_title_says_all_that_is_changed(scenario: str) -> None:
    found = changed(scenario)
    title = titled(scenario_title(scenario, NOWHERE), found)

    assert all(f"{one.what} {one.before} -> {one.after}" in title for one in found if one.before)


def test_lead_times_under_compressed_are_those_of_the_catalog() -> None:
    """Nobody has said what an earlier delivery costs, so there is none."""
    orders = {one.id: one.lead for one in costed().plan.orders}
    same = [one for one in costed("compressed").plan.orders if one.id in orders and one.item == "gpu-server"]

    assert same
    assert all(one.lead == orders[one.id] for one in same)
    assert "lead_time_factor" not in {one.what for one in changed("compressed")}


def weekdays(plan: Plan, one: PlanActivity) -> tuple[int, ...]:
    days = plan.calendars[one.calendar].working_days if one.calendar in plan.calendars else plan.working_days
    return tuple(days)


def test_no_lawyer_negotiates_on_a_sunday() -> None:
    """Offices, and all that is counted in working days, keep weekdays and eight hours under `compressed`; crews do not."""
    plan = costed("compressed").plan
    working = [one for one in plan.activities if one.applicable and one.dates and one.calendar != ELAPSED]
    at_desks = [one for one in working if one.role in offices(ROLES) or one.kind in {Kind.PROCURE, Kind.GATE}]
    zone = ZoneInfo(plan.time_zone)

    assert len(at_desks) > 20
    for one in at_desks:
        assert weekdays(plan, one) == (1, 2, 3, 4, 5), one.id
        assert plan.hours_a_day(one.calendar) == 8, one.id
        assert one.dates
        assert not _is_weekend(one.dates.early_finish.astimezone(zone)), one.id
    assert any(len(weekdays(plan, one)) == 7 for one in working)


def _is_weekend(moment: datetime) -> bool:
    return moment.isoweekday() > 5


def test_a_scenario_that_works_on_public_holidays_says_so() -> None:
    found = {one.what: one for one in changed("memphis-2024")}

    assert found["working days of trades"].after == "7 days of 8 h a week without public holidays of the site"


def test_approvals_and_lags_keep_the_sites_calendar() -> None:
    assert costed("compressed").plan.working_days == (1, 2, 3, 4, 5)


def test_a_scenario_of_the_site_names_its_own_changes(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    text = "title: ours\ncrews: {rigger: 9}\noverrides: {lead_time_factor: 0.8}\n"
    (tmp_path / "scenarios" / "ours.yaml").write_text(text, encoding="utf-8")
    plain = costed()
    site = under_scenario(plain.site, "ours", tmp_path, ROLES)

    found: dict[str, Any] = {one.what: one for one in priced_changes(plain, Costed(site, plain.plan, plain.cost))}

    assert found["crews of rigger"].after == "9"
    assert found["lead_time_factor"] == ("lead_time_factor", "1", "0.8", None)
