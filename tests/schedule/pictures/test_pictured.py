"""The data of pictures: bars at the dates of the forecast, curves that rise, crews within their limit."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import NamedTuple, TypedDict

import pytest

from schedule.errors import InputError
from steps.planning.odds.plan_odds import solved_odds
from steps.planning.pictures.crew_histogram import crew_histogram
from steps.planning.pictures.gantt import Gantt, GanttBar, gantt
from steps.planning.pictures.neighbourhood import neighbourhood
from steps.planning.pictures.p_curve import p_curve
from steps.planning.pictures.plan_tornado import plan_tornado
from steps.planning.pictures.s_curve import s_curve
from steps.planning.record.forecast import Actual, Actuals, ForecastSolution, solve_forecast
from steps.planning.scenarios.what_if import Case, with_crews
from tests.steps.test_learned_rates import history
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")


class Few(TypedDict):
    """How many samples are drawn, from which seed."""

    samples: int
    seed: int


FEW = Few(samples=60, seed=3)


class Seen(NamedTuple):
    solved: ForecastSolution
    actuals: Actuals


@cache
def fresh(preset: str = "superpod-1su") -> ForecastSolution:
    """Return a plan of which nothing has happened."""
    made = plan(preset)
    return solve_forecast(made, {}, made.start)


@cache
def begun() -> Seen:
    """Return a plan of whose year nine months have gone by as planned: servers are being soaked."""
    made = plan("superpod-1su")
    until = made.start + timedelta(days=284)
    happened = history(made, until, 1.0)
    return Seen(solve_forecast(made, happened, until), happened)


def bars_of(chart: Gantt) -> dict[str, GanttBar]:
    return {bar.id: bar for row in chart.rows for bar in row.bars}


def test_bars_are_at_the_dates_of_the_plan_while_nothing_has_happened() -> None:
    made, bars = fresh().plan, bars_of(gantt(fresh(), **FEW))
    dated = {one.id: one.dates for one in made.activities if one.dates}

    assert set(dated) <= set(bars)
    for name, dates in dated.items():
        assert (bars[name].start, bars[name].finish) == (dates.early_start, dates.early_finish), name
        assert bars[name].is_critical == dates.is_critical, name


def test_a_wait_for_a_crew_is_before_its_bar_and_names_the_trade() -> None:
    made, bars = fresh().plan, bars_of(gantt(fresh(), **FEW))
    waiting = {one.id: one for one in made.activities if one.dates and one.dates.crew_wait_h}

    assert waiting
    assert {name for name, bar in bars.items() if bar.ready} == set(waiting)
    for name, one in waiting.items():
        ready = bars[name].ready
        assert ready is not None
        assert ready < bars[name].start
        assert bars[name].role == one.role


def test_what_is_done_is_drawn_where_it_was_done_and_is_not_critical() -> None:
    chart = gantt(begun().solved, **FEW)
    done = {name: one for name, one in begun().actuals.items() if one.finished and "#" not in name}
    bars = bars_of(chart)

    assert done
    for name, actual in done.items():
        assert bars[name].is_done
        assert not bars[name].is_critical
        assert actual.finished
        assert timedelta() <= actual.finished - bars[name].finish < timedelta(minutes=1)
    assert not any(bar.is_done for bar in bars.values() if bar.finish > chart.as_of)


def test_a_promised_delivery_is_drawn_from_its_order_to_the_promised_day() -> None:
    made = plan("superpod-1su")
    order = made.orders[0]
    placed, promised = made.start + timedelta(days=2), made.start + timedelta(days=90)
    tranche = order.tranches[0].id
    happened = {order.id: Actual(placed, placed), tranche: Actual(placed, promised)}

    bar = bars_of(gantt(solve_forecast(made, happened, made.start + timedelta(days=5)), **FEW))[tranche]

    assert (bar.start, bar.finish) == (placed, promised)
    assert not bar.is_done


def test_a_large_site_has_a_row_a_step_with_the_bars_of_all_pods() -> None:
    small, large = gantt(fresh(), **FEW), gantt(fresh("h100-10k"), **FEW)

    assert not small.by_step
    assert all(len(row.bars) == 1 for row in small.rows)
    assert large.by_step
    assert len(large.rows) < 250
    assert len(bars_of(large)) > 2700
    assert max(len(row.bars) for row in large.rows) == 40


def test_rows_of_a_phase_are_together_and_milestones_have_odds() -> None:
    chart = gantt(fresh(), **FEW)
    phases = [row.phase for row in chart.rows]

    assert phases == sorted(phases, key=phases.index)
    assert chart.milestones == solved_odds(fresh(), **FEW).milestones


def test_planned_and_forecast_work_rise_from_nothing_to_the_same_total() -> None:
    found = s_curve(*begun())
    made = begun().solved.plan
    first, last = found.points[0], found.points[-1]
    planned = [point.planned for point in found.points]
    real = [(one.forecast if one.done is None else one.done) or 0.0 for one in found.points]

    work = sum(one.crews * one.duration.m for one in made.activities if one.applicable)

    assert found.total == pytest.approx(work, abs=0.1)
    assert (first.planned, first.done) == (0, 0)
    assert (last.planned, last.forecast) == (found.total, found.total)
    assert all(one <= other for one, other in pairwise(planned))
    assert all(one <= other for one, other in pairwise(real))


def test_work_that_is_done_counts_in_full_and_nothing_else_does() -> None:
    """In the history nothing runs: what was planned to be done later has not begun."""
    found = s_curve(*begun())
    (now,) = [point for point in found.points if point.date == found.as_of]
    done = [one for one in begun().solved.plan.activities if one.id in begun().actuals]

    assert now.done == now.forecast == pytest.approx(sum(one.crews * one.duration.m for one in done), abs=0.1)
    assert now.done is not None
    assert 0 < now.done < now.planned < found.total


def test_work_done_out_of_sequence_counts_when_it_was_done() -> None:
    """The forecast lets what comes after it wait for what is before it, but the work itself is done."""
    made = plan("superpod-1su")
    late = max((one for one in made.activities if one.crews and one.dates), key=lambda one: one.duration.m)
    day = made.start + timedelta(days=10)
    happened = {late.id: Actual(made.start, day, out_of_sequence=True)}

    found = s_curve(solve_forecast(made, happened, day), happened)

    (now,) = [point for point in found.points if point.date == found.as_of]
    assert now.done == pytest.approx(late.crews * late.duration.m, abs=0.1)


def test_the_p_curve_rises_and_agrees_with_the_odds_of_go_live() -> None:
    found, odds = p_curve(fresh(), **FEW), solved_odds(fresh(), **FEW).milestones[0]

    assert found.target == "195@site"
    assert (found.p50.date, found.p80.date) == (odds.p50.date, odds.p80.date)
    assert (found.planned, found.planned_share) == (odds.planned, odds.planned_share)
    assert (found.points[0].share, found.points[-1].share) == (0.01, 0.99)
    assert all(one.share < other.share and one.date <= other.date for one, other in pairwise(found.points))
    assert all(point.low <= point.date <= point.high for point in found.points)


def test_the_tornado_names_each_cause_once_and_the_greatest_first() -> None:
    """All that one maker delivers is one cause, and a burn-in that fails is one cause for all pods."""
    counted: list[tuple[int, int]] = []
    found = plan_tornado(fresh("h100-10k"), samples=20, seed=3, most=400, done=lambda *at: counted.append(at))
    names = [bar.name for bar in found.bars]

    assert len(set(names)) == len(names) == len(counted)
    assert "lead times of server-maker" in names
    assert not [name for name in names if "gpu-server" in name], (
        "servers and their spare parts have one luck, and one bar"
    )
    assert "034 again" in names
    assert found.bars[0].days_p80 > 5
    assert [abs(bar.days_p80) for bar in found.bars] == sorted((abs(bar.days_p80) for bar in found.bars), reverse=True)


@pytest.mark.long
def test_weather_and_what_fails_have_a_bar_each_in_plain_words() -> None:
    """Of all quarters, halls and pods together: nobody can do something about the weather in one pod."""
    built = plan("superpod-1su", "greenfield")

    names = {
        bar.name for bar in plan_tornado(solve_forecast(built, {}, built.start), samples=20, seed=3, most=400).bars
    }

    assert {"weather", "dead servers", "dead drives", "dead cables", "servers that fail in a soak"} <= names
    assert not [name for name in names if "@" in name]
    assert "weather" not in {bar.name for bar in plan_tornado(fresh(), samples=20, seed=3, most=400).bars}


@pytest.mark.slow
@pytest.mark.long
def test_the_tornado_waits_for_crews() -> None:
    """The pace of a trade of which there are few moves go-live more than that of one of which there are many."""

    def mean(crews: int) -> float:
        made = plan("deepseek-2k")
        case = with_crews(Case(made, {}, made.start), f"performance-engineer={crews}")
        solved = solve_forecast(case.plan, {}, case.now)
        found = plan_tornado(solved, samples=60, seed=3, most=100)
        return next(bar.days_mean for bar in found.bars if bar.name == "pace of performance-engineer")

    assert mean(1) > mean(6) + 1


@pytest.mark.parametrize("preset", ["superpod-1su", "h100-10k"])
def test_no_week_has_more_crews_than_the_site_and_some_would_without_limit(preset: str) -> None:
    found = crew_histogram(fresh(preset))

    assert found.trades
    for trade in found.trades:
        assert trade.limit == fresh(preset).plan.crews[trade.role]
        assert max(week.crews for week in trade.weeks) <= trade.limit, trade.role
        assert max(week.crews for week in trade.weeks) > 0
        assert all(week.monday.weekday() == 0 for week in trade.weeks)
    assert any(week.unlimited > trade.limit for trade in found.trades for week in trade.weeks)


def test_a_crew_is_at_work_in_the_weeks_of_its_activities() -> None:
    made, found = fresh().plan, crew_histogram(fresh())
    busy = {(trade.role, week.monday) for trade in found.trades for week in trade.weeks if week.crews}

    def monday(instant: datetime) -> tuple[int, int]:
        return instant.isocalendar()[:2]

    weeks = {(role, at.isocalendar()[:2]) for role, at in busy}
    for one in made.activities:
        if one.crews and one.dates:
            assert (one.role, monday(one.dates.early_start)) in weeks, one.id


def test_neighbours_are_two_links_away_at_most_and_the_driving_one_is_marked() -> None:
    solved, name = fresh(), "034@pod-001"
    found = neighbourhood(solved, name, most=1000)
    before = {link.before for link in solved.plan.links if link.after == name}
    after = {link.after for link in solved.plan.links if link.before == name}
    at = {depth: {one.id for one in found.neighbours if one.depth == depth} for depth in range(-2, 3)}
    dates = next(one.dates for one in solved.plan.activities if one.id == name)

    assert at[0] == {name}
    assert before <= at[-1]
    assert after <= at[1]
    for far, near, side in ((-2, -1, "before"), (2, 1, "after")):
        for one in at[far]:
            ends = [(link.before, link.after) for link in found.links]
            assert any((one, other) in ends if side == "before" else (other, one) in ends for other in at[near])
    assert dates
    assert [link.before for link in found.links if link.after == name and link.is_driving] == [dates.driving]
    assert all(link.reason for link in found.links)
    assert found.left_out == {}


def test_of_many_neighbours_the_driving_one_is_shown_and_the_rest_is_counted() -> None:
    few, everyone = (neighbourhood(fresh(), "034@pod-001", most=most) for most in (2, 1000))
    shown = [one for one in few.neighbours if one.depth == -1]
    there = [one for one in everyone.neighbours if one.depth == -1]

    assert len(shown) == 2
    assert few.left_out[-1] == len(there) - 2 > 0
    assert any(link.is_driving for link in few.links if link.after == "034@pod-001")


def test_a_handover_of_a_crew_is_a_link_that_names_the_trade() -> None:
    made = fresh().plan
    waiting = next(one for one in made.activities if one.dates and one.dates.crew)
    assert waiting.dates

    links = neighbourhood(fresh(), waiting.id, most=1000).links

    (driving,) = [link for link in links if link.after == waiting.id and link.is_driving]
    assert (driving.before, driving.crew) == (waiting.dates.driving, waiting.role)


def test_a_step_has_no_neighbourhood_and_its_units_are_named() -> None:
    with pytest.raises(InputError, match="034@pod-001"):
        neighbourhood(fresh(), "034")
