"""What durations rest on, and the share of a plan's critical days that rests on it."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

import pytest
from msgspec.structs import replace

from clusterwright.plan_view import print_plan
from steps.catalog.schema import Duration, Estimate
from steps.catalog.terms import LinkType, Mapping
from steps.design.preset import preset_names
from steps.planning.activity import Dates
from steps.planning.dates.critical_days import critical_parts, in_words, shares_of
from steps.planning.network.basis import Basis, basis_of, weakest_of
from steps.planning.plan import Plan, PlanLink
from tests.steps.test_plan import planned

pytestmark = pytest.mark.xdist_group("bases")  # the plan of a large preset takes seconds, and is kept by its worker

DAY = timedelta(days=1)
MOST_ASSUMED = 0.25
"""The share of critical days that may rest on assumptions, so that a builder can sign the date."""


@cache
def plan(preset: str, facility: str = "existing") -> Plan:
    return planned(preset, facility=facility)


@pytest.mark.parametrize(
    ("source", "basis"),
    [
        ("NFPA 110 type 10", Basis.CITED),
        ("Wood Mackenzie, Q2 2025: average 128 weeks", Basis.CITED),
        ("calculation: two batches of eight a day", Basis.CALCULATION),
        ("analogy: same work as step 049", Basis.ANALOGY),
        ("judgement: two people, 20 minutes a server", Basis.JUDGEMENT),
        ("judgement after the labour units of estimators: 32 to 80 hours a panel", Basis.JUDGEMENT),
        ("assumption", Basis.ASSUMPTION),
        ("assumption: bench set-up", Basis.ASSUMPTION),
        ("DCGM level 3 takes 15 minutes (NVIDIA); with handling (assumption)", Basis.ASSUMPTION),
    ],
)
def test_the_text_of_a_source_says_what_a_figure_rests_on(source: str, basis: Basis) -> None:
    assert basis_of(source) is basis


def test_a_duration_rests_on_the_weaker_of_its_parts() -> None:
    cited = Estimate(o=1, m=2, p=3, unit="crew-day", source="NFPA 110")
    judged = Estimate(o=3, m=2, p=1, unit="racks per crew-day", source="judgement: four riggers")
    nothing = Estimate(value=0, unit="crew-day", source="assumption")

    assert weakest_of(Duration(fixed=cited, rate=judged)) is Basis.JUDGEMENT
    assert weakest_of(Duration(fixed=cited)) is Basis.CITED
    assert weakest_of(Duration(fixed=nothing, rate=judged)) is Basis.JUDGEMENT, "no time rests on nothing"


def test_every_activity_of_a_plan_knows_what_its_duration_rests_on() -> None:
    activities = plan("superpod-1su").activities

    assert {one.basis for one in activities if one.applicable} <= set(Basis)
    assert {one.basis for one in activities if not one.applicable} == {""}


@pytest.mark.parametrize(("preset", "facility"), [("superpod-1su", "existing"), ("h100-10k", "greenfield")])
def test_every_day_of_a_plan_is_critical_once(preset: str, facility: str) -> None:
    """Days are neither lost nor counted twice where parts overlap or wait."""
    made = plan(preset, facility)
    parts = critical_parts(made)

    assert sum(part.days for part in parts) == pytest.approx((made.finish - made.start) / DAY)
    assert all(part.days >= 0 for part in parts)
    assert parts[-1].id == "195@site"
    assert sum(shares_of(parts).values()) == pytest.approx(1)


def test_the_days_of_a_delivery_rest_on_what_its_lead_time_rests_on() -> None:
    made = plan("superpod-1su")
    servers = next(part for part in critical_parts(made) if part.id.startswith("001@site#gpu-server/"))
    (lead,) = (order.lead for order in made.orders if order.id == "001@site#gpu-server")

    assert servers.basis is Basis.CITED
    assert servers.days == pytest.approx(lead.m / 24)


def test_an_assumption_on_the_critical_path_shows_in_the_shares() -> None:
    made = plan("superpod-1su")
    longest = max(critical_parts(made), key=lambda part: (not part.id.count("#"), part.days))
    assumed = [replace(one, basis="assumption") if one.id == longest.id else one for one in made.activities]

    shares = shares_of(critical_parts(made.model_copy(update={"activities": tuple(assumed)})))

    grown = shares[Basis.ASSUMPTION] - shares_of(critical_parts(made))[Basis.ASSUMPTION]
    assert grown == pytest.approx(longest.days / ((made.finish - made.start) / DAY))


def test_a_plan_from_before_bases_has_no_critical_days(capsys: pytest.CaptureFixture[str]) -> None:
    made = plan("superpod-1su")
    older = made.model_copy(update={"activities": tuple(replace(one, basis="") for one in made.activities)})

    print_plan(older, everything=False)

    assert critical_parts(older) == ()
    assert "Critical days" not in capsys.readouterr().out


def test_a_plan_prints_the_shares_of_its_critical_days(capsys: pytest.CaptureFixture[str]) -> None:
    made = plan("superpod-1su")

    print_plan(made, everything=False)

    words = in_words(shares_of(critical_parts(made)))
    assert f"\nCritical days: {words}.\n" in capsys.readouterr().out
    assert " % cited" in words


@pytest.mark.long
@pytest.mark.parametrize("facility", ["existing", "greenfield"])
@pytest.mark.parametrize("preset", [name for name in preset_names() if name != "localhost"])
def test_at_most_a_quarter_of_the_critical_days_rests_on_assumptions(preset: str, facility: str) -> None:
    """But of the hours that one machine takes, which nobody publishes and nobody commits to."""
    shares = shares_of(critical_parts(plan(preset, facility)))

    assert shares[Basis.ASSUMPTION] <= MOST_ASSUMED


@pytest.mark.parametrize(
    ("type_", "days"),
    [(LinkType.SS, [5, 7]), (LinkType.FF, [10, 2])],
    ids=["the later one waits for the start", "the later one waits for the finish"],
)
def test_days_on_which_two_parts_are_at_work_belong_to_the_one_whose_date_drives(
    type_: LinkType, days: list[float]
) -> None:
    made = plan("superpod-1su")
    first, second = made.activities[:2]
    early = replace(first, basis="cited", dates=_dates(made, 0, 10, None))
    late = replace(second, basis="judgement", dates=_dates(made, 5, 12, first.id))
    link = PlanLink(before=first.id, after=second.id, type=type_, map=Mapping.SAME, reason="overlap")

    parts = critical_parts(
        made.model_copy(
            update={
                "activities": (early, late),
                "links": (link,),
                "orders": (),
                "finish": made.start + 12 * DAY,
            }
        )
    )

    assert [(part.id, part.days) for part in parts] == list(zip([first.id, second.id], days, strict=True))


def _dates(made: Plan, start: int, finish: int, driving: str | None) -> Dates:
    first, last = made.start + start * DAY, made.start + finish * DAY
    return Dates(first, last, first, last, 0.0, 0.0, driving=driving)
