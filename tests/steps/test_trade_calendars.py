"""Plans in which trades keep days and hours of their own: dated, levelled, sampled, forecast and explained on them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from schedule.errors import InputError
from steps.catalog.loader import offices, read_roles
from steps.catalog.terms import Kind
from steps.planning.activity import PlanActivity
from steps.planning.dates.dating import network_of, solved
from steps.planning.odds.plan_odds import odds_of
from steps.planning.plan import Plan
from steps.planning.record.driving import driving_chain
from steps.planning.record.earned_value import earned_value
from steps.planning.record.forecast import Actual, solve_forecast
from steps.planning.record.slip_of_plan import PlanSlip
from steps.planning.scenarios.what_if import Case, delayed, with_shifts
from tests.steps.test_plan import plan, planned
from tests.steps.test_slipped import as_it_happens, is_exact

pytestmark = pytest.mark.xdist_group("plans")

ZONE = ZoneInfo("America/Chicago")
QUARTER = timedelta(minutes=15)
BUILDERS = ("assembly-technician", "cabling-technician", "rack-technician")
CONTRACTOR = {"contractor": {"working_days": [1, 2, 3, 4, 5, 6], "hours": [6, 16]}}
NIGHT = {"night": {"hours": [22, 6]}}


@cache
def with_trades(kind: str) -> Plan:
    """Return the plan of a site whose builders keep another calendar, with public holidays."""
    entries: dict[str, Any] = {
        "contractor": {"calendars": CONTRACTOR, "trades": dict.fromkeys(BUILDERS, "contractor")},
        "night": {"calendars": NIGHT, "trades": dict.fromkeys(BUILDERS, "night")},
        "both": {
            "calendars": CONTRACTOR | NIGHT,
            "trades": dict.fromkeys(BUILDERS, "contractor") | {"network-engineer": "night"},
        },
    }
    return planned("superpod-1su", calendar={"public_holidays": "US-TN"}, **entries[kind])


@cache
def on_one_calendar() -> Plan:
    """Return the plan of the same site with all trades on its calendar."""
    return planned("superpod-1su", calendar={"public_holidays": "US-TN"})


def of_builders(made: Plan) -> list[PlanActivity]:
    return [one for one in made.activities if one.role in BUILDERS and one.calendar != "elapsed" and one.dates]


def with_unlimited_crews(one: PlanActivity) -> datetime:
    """Return the finish with unlimited crews."""
    assert one.dates
    assert one.dates.unlimited_finish
    return one.dates.unlimited_finish


def is_worked(instant: datetime, made: Plan, calendar: str) -> bool:
    """Return whether people work at an instant, by the clock on the wall: the shift of the day, or of the day before."""
    own = made.calendars.get(calendar, made)
    local = instant.astimezone(ZONE)
    opens, closes = own.working_hours
    hour = local.hour + local.minute / 60
    for day, since_midnight in ((local.date(), hour), (local.date() - timedelta(days=1), hour + 24)):
        off = day.isoformat() in own.holidays or day.isoweekday() not in own.working_days
        if not off and opens <= since_midnight < closes:
            return True
    return False


def worked(made: Plan, one: PlanActivity) -> timedelta:
    """Return how long an activity is worked between its dates, a minute at a time."""
    assert one.dates
    minutes = (one.dates.early_finish - one.dates.early_start) // timedelta(minutes=1)
    instants = (one.dates.early_start + timedelta(minutes=number) for number in range(minutes))
    return timedelta(minutes=sum(is_worked(instant, made, one.calendar) for instant in instants))


def holidays_within(made: Plan, one: PlanActivity) -> set[str]:
    """Return the days off between the dates of an activity."""
    assert one.dates
    first, last = (at.astimezone(ZONE).date().isoformat() for at in (one.dates.early_start, one.dates.early_finish))
    return {day for day in made.calendars.get(one.calendar, made).holidays if first <= day <= last}


def test_six_days_of_ten_hours_finish_earlier_and_nothing_is_later_with_unlimited_crews() -> None:
    """A crew-day is as much work as before: the site's hours. Only when it is worked differs."""
    site, contractor = on_one_calendar(), with_trades("contractor")
    before = {one.id: one for one in site.activities}

    assert contractor.finish < site.finish
    for one in contractor.activities:
        if one.dates:
            assert with_unlimited_crews(one) <= with_unlimited_crews(before[one.id])
    for one in of_builders(contractor):
        assert one.duration == before[one.id].duration
        assert with_unlimited_crews(one) < with_unlimited_crews(before[one.id])


@pytest.mark.parametrize("kind", ["contractor", "night"])
def test_a_trade_works_in_its_own_hours_only_and_as_long_as_its_work_takes(kind: str) -> None:
    made = with_trades(kind)
    work = of_builders(made)

    assert work
    for one in work:
        assert one.calendar == kind
        assert one.dates
        assert is_worked(one.dates.early_start, made, kind)
        assert is_worked(one.dates.early_finish - timedelta(minutes=1), made, kind)
        planned_minutes = max(1, round(one.duration.m * 60))
        assert worked(made, one) == timedelta(minutes=planned_minutes)


@pytest.mark.parametrize("kind", ["contractor", "night"])
def test_nobody_works_on_a_frozen_holiday(kind: str) -> None:
    """All that is under way around Thanksgiving, Christmas and the others is worked as long as it takes on the days beside them."""
    made = with_trades(kind)
    around = [one for one in made.activities if one.dates and one.calendar != "elapsed" and holidays_within(made, one)]

    assert {"2026-11-26", "2027-07-05"} <= set(made.holidays)
    assert {"2026-11-26", "2026-12-25"} <= {day for one in around for day in holidays_within(made, one)}
    for one in around:
        planned_minutes = max(1, round(one.duration.m * 60))
        assert worked(made, one) == timedelta(minutes=planned_minutes)


def test_a_holiday_on_which_work_would_be_done_moves_it() -> None:
    """The day is in the plan, so that the plan moves when it is written there, and with nothing else."""
    made = with_trades("contractor")
    one = max(of_builders(made), key=lambda one: one.duration.m)
    assert one.dates
    day = one.dates.early_start.astimezone(ZONE).date().isoformat()
    own = made.calendars["contractor"]
    closed = made.model_copy(
        update={"calendars": {"contractor": own.model_copy(update={"holidays": (*own.holidays, day)})}}
    )

    moved = next(other for other in solved(closed).plan.activities if other.id == one.id)

    assert moved.dates != one.dates
    assert worked(closed, moved) == timedelta(minutes=round(one.duration.m * 60))


def test_all_other_trades_keep_the_sites_calendar() -> None:
    made = with_trades("both")
    on = {name: {one.role for one in made.activities if one.calendar == name} for name in ("contractor", "night")}

    assert on == {"contractor": set(BUILDERS), "night": {"network-engineer"}}
    assert {one.calendar for one in made.activities} == {"working", "elapsed", "contractor", "night"}


def test_no_trade_works_with_more_crews_than_the_site_has() -> None:
    """At the beginning of each shift and of each activity, on the trade's own calendar."""
    made = with_trades("both")
    for role, most in made.crews.items():
        work = [one for one in made.activities if one.role == role and one.crews and one.dates]
        spans = [(one.dates.early_start, one.dates.early_finish, one.crews) for one in work if one.dates]
        for at, _, _ in spans:
            assert sum(crews for start, finish, crews in spans if start <= at < finish) <= most


def test_a_stored_plan_is_dated_alike_whatever_the_package_of_holidays_says_then() -> None:
    """It has the days themselves."""
    made = with_trades("both")

    again = Plan.model_validate_json(made.model_dump_json())

    assert again == made
    assert solved(again).plan.finish == made.finish
    assert "2041-12-25" in again.holidays


def test_a_plan_from_before_there_were_calendars_of_trades_is_read_and_dated_as_it_was() -> None:
    made = plan("superpod-1su")
    document = json.loads(made.model_dump_json())
    del document["calendars"]

    old = Plan.model_validate(document)

    assert solved(old).plan.finish == made.finish


def test_a_calendar_that_a_plan_does_not_have_is_an_error() -> None:
    made = with_trades("night").model_copy(update={"calendars": {}})

    with pytest.raises(InputError, match="works on the calendar 'night', which the plan does not have"):
        network_of(made)


def test_floats_and_delays_are_in_days_of_the_activitys_own_calendar() -> None:
    made = with_trades("contractor")
    one = of_builders(made)[0]
    case = Case(made, {}, made.start)

    longer = delayed(case, f"{one.id}=1w").plan
    found = next(other for other in longer.activities if other.id == one.id)

    assert made.hours_a_day("contractor") == 10
    assert made.hours_a_day("working") == 8
    assert made.hours_a_day("elapsed") == 24
    assert found.duration.m == pytest.approx(one.duration.m + 60)


def test_more_shifts_are_of_crews_and_neither_of_offices_nor_of_trades_with_hours_of_their_own() -> None:
    made = with_trades("contractor")

    two = with_shifts(Case(made, {}, made.start), 2, offices(read_roles())).plan

    was = {one.id: one.calendar for one in made.activities}
    moved = [one for one in two.activities if one.calendar == "2 shifts"]
    assert two.working_hours == made.working_hours
    assert two.calendars["2 shifts"].working_hours == (8, 21.25)  # 17 % of 16 hours get no work done
    assert {was[one.id] for one in moved} == {"working"}
    assert {one.kind for one in moved}.isdisjoint({Kind.PROCURE, Kind.GATE})
    assert two.calendars["contractor"] == made.calendars["contractor"]
    assert solved(two).plan.finish < made.finish


def test_shifts_of_a_site_that_works_at_night_follow_one_another_into_the_day() -> None:
    made = planned("superpod-1su", calendar={"hours": [22, 6]})

    two = with_shifts(Case(made, {}, made.start), 2, offices(read_roles())).plan

    assert made.working_hours == (22, 30)
    assert two.calendars["2 shifts"].working_hours == (22, 35.25)
    assert solved(two).plan.finish < made.finish


def test_samples_are_drawn_and_levelled_on_the_trades_calendars() -> None:
    """No milestone is later on the contractor's days, and power, which it cables, is earlier.

    The order of crews is another one, so that the odds of what is hardly earlier are only as exact as their interval.
    """
    site, own = (
        {one.milestone: one for one in odds_of(made, samples=100).milestones}
        for made in (on_one_calendar(), with_trades("contractor"))
    )

    assert own["power"].p50.date < site["power"].p50.date
    assert own["power"].p80.date < site["power"].p80.date
    for name, one in own.items():
        assert one.p50.low <= site[name].p50.date
        assert one.p80.low <= site[name].p80.date


@pytest.mark.parametrize("seed", range(4))
def test_a_forecast_its_earned_value_and_its_slip_hold_on_several_calendars(seed: int) -> None:
    made = with_trades("both")
    past, now = as_it_happens(made, seed)

    solved = solve_forecast(made, past, now)
    value = earned_value(solved, past)
    slip = PlanSlip(solved)

    assert solved.forecast.finish >= now
    assert 0 <= value.earned_h <= value.total_h
    assert is_exact(slip.slipped, solved)
    assert driving_chain(solved, slip.slipped.target)


def test_what_is_done_in_ten_hours_of_a_contractor_has_taken_ten_crew_hours() -> None:
    """A Saturday counts as well."""
    made = with_trades("contractor")
    one = max(of_builders(made), key=lambda one: one.duration.m)
    assert one.dates
    saturday = datetime(2027, 7, 17, 6, tzinfo=ZONE).astimezone(UTC)
    past = {one.id: Actual(saturday, None)}

    found = earned_value(solve_forecast(made, past, saturday + timedelta(hours=12)), past)

    assert found.actual_h == pytest.approx(10 * one.crews)
