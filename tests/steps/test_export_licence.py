"""Export licences: the country decides, nothing is received before one is granted, and a refusal is said rather than counted."""

from __future__ import annotations

import pytest

from clusterwright.plan_orders import licence_lines
from schedule.errors import InputError
from steps.design.export_licences import licence_of
from steps.planning.plan import Plan, PlanOrder
from tests.steps.test_plan import planned

pytestmark = pytest.mark.xdist_group("plans")


def licences(plan: Plan) -> list[PlanOrder]:
    return [order for order in plan.orders if order.item == "export-licence"]


@pytest.mark.parametrize("country", ["CN", "SA", "VN", "AE", "MO", "ZW"])
def test_a_country_of_the_groups_or_named_beside_them_needs_one(country: str) -> None:
    assert licence_of(country) == "needed"


@pytest.mark.parametrize("country", ["US", "NO", "DE", "IN", "IL", "CY", "SG", "MY"])
def test_an_unlisted_country_needs_none_and_neither_does_one_of_a5_or_a6(country: str) -> None:
    assert licence_of(country) == "none"


@pytest.mark.parametrize(
    ("preset", "overrides", "receipt"),
    [
        ("superpod-1su", {}, "H06@pod-001"),
        ("gb200-nvl72-su", {}, "H56@pod-001"),
        ("superpod-1su", {"build": "white-box"}, "004@pod-001"),
    ],
)
def test_nothing_is_received_before_its_export_is_licensed(
    preset: str, overrides: dict[str, str], receipt: str
) -> None:
    plan = planned(preset, facility="existing", country="SA", overrides=overrides)
    (order,) = licences(plan)
    (granted,) = order.tranches

    assert (granted.id, receipt) in {(link.before, link.after) for link in plan.links}
    received = next(one for one in plan.activities if one.id == receipt)
    assert granted.dates
    assert received.dates
    assert granted.dates.early_finish <= received.dates.early_start
    assert (order.lead.o, order.lead.m, order.lead.p) == (6 * 168, 21 * 168, 52 * 168)


def test_headquarters_are_said_by_the_site_and_so_is_a_licence_in_hand() -> None:
    """A company of a listed country needs one anywhere; who has one already waits for none."""
    assert licences(planned("superpod-1su", country="SG", overrides={"export_licence": "needed"}))
    assert not licences(planned("superpod-1su", country="SA", overrides={"export_licence": "none"}))


def test_a_site_without_accelerators_needs_none() -> None:
    assert not licences(planned("localhost", country="SA"))


def test_a_plan_with_a_licence_says_that_it_may_be_refused() -> None:
    (line,) = licence_lines(planned("superpod-1su", country="SA"))

    assert "may be refused" in line
    assert "001@site#export-licence" in line
    assert not list(licence_lines(planned("superpod-1su")))


def test_no_second_source_grants_a_licence() -> None:
    with pytest.raises(InputError, match="second source does nothing about 'export-licence'"):
        planned("superpod-1su", country="SA", responses={"second-source": ["export-licence"]})
