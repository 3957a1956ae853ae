"""Steps of networks, cooling and storage: what comes before what, one purchase for the site, work that people really take."""

from __future__ import annotations

import pytest

from steps.catalog.schema import Criterion, Step
from steps.catalog.terms import Kind
from steps.design.design import Design, design_of_preset
from steps.formula import number_of
from steps.planning.network.expansion import expand
from steps.planning.network.parts import Expansion
from tests.shipped import shipped_catalog
from tests.steps.test_catalog import comes_before


def step(name: str) -> Step:
    return shipped_catalog()[name].step


def of_preset(preset: str) -> tuple[Design, Expansion]:
    design = design_of_preset(preset)
    return design, expand(shipped_catalog(), design, 8.0)


def crew_days(name: str, design: Design) -> float:
    """Return the most likely work of a step at its first unit, in crew-days of one crew."""
    one = step(name)
    assert one.duration.fixed.unit in ("crew-day", "working-day")
    assert one.duration.rate
    assert one.items
    unit = next(unit for unit in design.units if unit.kind is one.scope)
    return one.duration.fixed.points[1] + number_of(one.items.count, unit.values) / one.duration.rate.points[1]


def test_all_cables_of_a_site_are_one_purchase_in_tranches() -> None:
    """There were 196 purchases at xAI, one of three days for each pod."""
    _, found = of_preset("xai-100k")

    bought = [node for node in found.nodes.values() if node.entry.step.id == "045" and node.applies]
    cables = [order for order in found.orders.values() if order.node.entry.step.id == "045"]

    assert [node.unit.id for node in bought] == ["site"]
    assert {len(order.tranches) for order in cables} == {4}  # a hall at a time
    assert all(sum(tranche.quantity for tranche in order.tranches) == order.quantity for order in cables)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("H65", "116"),  # chillers are set, then pumps are tuned, then the loss of a unit is tried
        ("116", "118"),
        ("H65", "118"),
        ("H19", "H65"),
        ("043", "130"),  # the client of the file system speaks RDMA
        ("050", "125"),
        ("045", "125"),
        ("113", "111"),  # leak detection before the fill
    ],
)
def test_one_comes_before_the_other(first: str, second: str) -> None:
    assert comes_before(first, second, facility="shell", cooling="hybrid")


def test_storage_hangs_on_switches_of_its_own() -> None:
    _, found = of_preset("superpod-4su")
    before = {link.before for link in found.links if link.after == "050@site"}

    assert "040@site#storage-spine/1" in before
    assert found.orders["040@site#storage-switch"].quantity == 9  # a pair in each of four pods, and a spare


def loss_of_pressure(name: str) -> Criterion:
    return next(one for one in step(name).accept if one.metric.endswith("pressure_decay"))


@pytest.mark.parametrize("name", ["110", "111"])
def test_a_loss_of_pressure_is_judged_by_what_a_gauge_can_read(name: str) -> None:
    """No gauge reads that the loss is zero."""
    limit = loss_of_pressure(name)

    assert limit.op == "<="
    assert isinstance(limit.value, float)
    assert 0 < limit.value <= 5


def test_leak_alarms_are_proven_where_leak_detection_is() -> None:
    """Before leak detection is there (113), no hold point may wait for its alarm."""
    assert "leak alarms sound" not in step("H14").description
    assert "113" in step("H14").description
    assert "alarm" in next(one.source for one in step("113").accept if one.metric == "leak.wet_test_failures")


@pytest.mark.parametrize(("name", "least"), [("062", 1.5), ("063", 2.5), ("064", 1.0), ("111", 8.0), ("124", 4.0)])
def test_work_on_a_pod_of_32_servers_takes_people_days(name: str, least: float) -> None:
    design = design_of_preset("superpod-1su", {"cooling": "hybrid"})

    assert crew_days(name, design) >= least


@pytest.mark.parametrize("name", ["062", "063", "064"])
def test_people_attend_the_tests_of_a_pod(name: str) -> None:
    """In elapsed hours all pods were tested at once, by however many engineers and at night."""
    one = step(name)

    assert one.kind is Kind.VERIFY
    assert one.duration.fixed.unit == "crew-day"
    assert one.duration.rate
    assert one.duration.rate.unit.endswith("per crew-day")


@pytest.mark.parametrize("name", ["036", "100"])
def test_work_grows_with_what_it_is_about(name: str) -> None:
    small, large = (design_of_preset(preset, {"facility": "shell"}) for preset in ("superpod-1su", "h100-10k"))

    assert crew_days(name, large) > 1.3 * crew_days(name, small)


def test_an_air_handler_takes_a_crew_of_four_a_working_week() -> None:
    rate = step("100").duration.rate

    assert rate
    assert 1 / rate.points[1] >= 4
