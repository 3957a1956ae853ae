"""Dates that crews can keep: checked minute by minute on random networks, with all that can be linked, constrained and begun."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schedule.cpm.columns import Activities, Links, Tie
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.shifts import ShiftCalendar, continuous
from schedule.cpm.weekly import WeeklyHours, weekly_calendar
from schedule.cpm.why import why
from schedule.cpm.wiring import DONE, OPEN, RUNNING
from schedule.crews.levelled_network import CrewedSolution, Crews, solve_with_crews
from schedule.crews.slots import Needs
from schedule.levelling.level import Effort
from schedule.levelling.problem import Capacity
from tests.schedule.minutes import Player
from tests.schedule.networks import CALENDARS, DAY, SPAN, WEEKS, Drawn, calendar_of, random_case

EFFORT = Effort(schedules=20)
seeds = st.integers(0, 10**9)
MONDAYS = CALENDARS[0]


def random_crews(random: Random, count: int, most: int = 3) -> Crews:
    """Return two trades of which each activity holds some or none."""
    sizes = [random.randint(1, most) for _ in range(2)]
    held = [
        (row, trade, random.randint(1, size))
        for row in range(count)
        for trade, size in enumerate(sizes)
        if random.random() < 0.6
    ]
    needs = Needs(*np.array(held, np.int64).reshape(-1, 3).T)
    areas = np.array([random.randint(0, 2) for _ in range(count)], np.int64)
    return Crews(("riggers", "electricians"), tuple(Capacity.constant(size) for size in sizes), needs, areas)


def held_by_minute(
    found: CrewedSolution, crews: Crews, *, states: tuple[int, ...], span: tuple[int, int] = SPAN
) -> np.ndarray:
    """Return how many crews of each trade work in each minute of the span; shape (trades, minutes)."""
    solution = found.solution
    state = solution.work.state[found.network.numbers.number]
    held = np.zeros((len(crews.names), span[1] - span[0]), np.int64)
    for row, trade, amount in zip(*crews.needs, strict=True):
        if state[row] not in states:
            continue
        calendar = found.network.calendars[found.network.activities.calendar[row]]
        begin, end = int(solution.remaining_start[row]), int(solution.finish[row])
        worked = np.diff(calendar.work(np.arange(begin, end + 1)))
        held[trade, begin - span[0] : end - span[0]] += amount * worked
    return held


@given(seeds)
@example(37891930)
@example(605400)
@example(37051042)
@example(37124194)
@example(9735)
@settings(max_examples=300, deadline=None)
def test_no_trade_works_with_more_crews_than_it_has_in_any_minute(seed: int) -> None:
    """What runs at the data date may hold more than there is; then nothing else of its trade works beside it.

    In the examples a link from an instant that is known holds up work that runs.
    """
    case = random_case(seed, Drawn(calendars=4, constraints=True, override=False))
    crews = random_crews(Random(seed), len(case.activities))
    network = compile_network(case.activities, case.links, case.calendars)

    found = solve_with_crews(network, crews, EFFORT, actuals=case.actuals)

    held = held_by_minute(found, crews, states=(OPEN, RUNNING))
    begun = held_by_minute(found, crews, states=(RUNNING,))
    there = np.array([[capacity.amount[0]] for capacity in crews.capacities])
    assert (held <= np.maximum(there, begun)).all()


@given(seeds)
@settings(max_examples=300, deadline=None)
def test_dates_keep_the_links_and_are_never_before_those_with_unlimited_crews(seed: int) -> None:
    case = random_case(seed, Drawn(calendars=4))
    crews = random_crews(Random(seed), len(case.activities))
    network = compile_network(case.activities, case.links, case.calendars)

    found = solve_with_crews(network, crews, EFFORT, actuals=case.actuals)

    free = network.solve(actuals=case.actuals)
    assert (found.solution.finish >= free.finish).all()
    assert (found.unlimited.finish == free.finish).all()
    done = found.solution.work.state[found.network.numbers.number] == DONE
    assert (found.solution.finish[done] == free.finish[done]).all()


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_enough_crews_change_no_date(seed: int) -> None:
    case = random_case(seed, Drawn(calendars=4))
    rows = np.arange(len(case.activities))
    needs = Needs(rows, np.zeros(len(rows), np.int64), np.ones(len(rows), np.int64))
    crews = Crews(("riggers",), (Capacity.constant(len(rows)),), needs, np.zeros(len(rows), np.int64))
    network = compile_network(case.activities, case.links, case.calendars)

    found = solve_with_crews(network, crews, EFFORT, actuals=case.actuals)

    assert (found.solution.start == found.unlimited.start).all()
    assert (found.solution.finish == found.unlimited.finish).all()
    assert not found.waits.any()


class TradeWeek(NamedTuple):
    """The calendar of a trade: weekdays (ISO), hours of the day in quarters, and days off. Minute 0 is a Monday."""

    days: tuple[int, ...]
    opens: int
    closes: int
    """Above 96 on the next day."""
    off: tuple[int, ...]

    def shifts(self, name: str) -> ShiftCalendar:
        """Return the calendar as a plan makes it."""
        hours = [(_at(self.opens), _at(self.closes))]
        off = [MONDAY.date() + timedelta(days=day) for day in self.off]
        first, last = ((MONDAY + timedelta(minutes=minute)).date() for minute in WIDE)
        return weekly_calendar(
            name, WeeklyHours(dict.fromkeys(self.days, hours), off), zone="UTC", origin=MONDAY, known=(first, last)
        )

    def works(self, minutes: np.ndarray) -> np.ndarray:
        """Return which minutes are worked, by the shift that began on their day or on the day before."""
        worked = np.zeros(len(minutes), bool)
        for before in (0, 1):
            began, quarter = minutes // DAY - before, minutes % DAY // 15 + before * 96
            is_on = np.isin(began % 7 + 1, self.days) & ~np.isin(began, self.off)
            worked |= is_on & (self.opens <= quarter) & (quarter < self.closes)
        return worked


def _at(quarter: int) -> time:
    return time(quarter // 4 % 24, quarter % 4 * 15)


MONDAY = datetime(2027, 1, 4, tzinfo=UTC)
WIDE = (SPAN[0], 4 * SPAN[1])
trade_weeks = st.builds(
    lambda days, opens, length, off: TradeWeek(tuple(sorted(days)), opens, opens + length, tuple(sorted(off))),
    st.sets(st.integers(1, 7), min_size=3),
    st.integers(0, 95),
    st.integers(16, 96),
    st.sets(st.integers(-10, 40), max_size=6),
)


@given(seeds, st.lists(trade_weeks, min_size=2, max_size=3))
@settings(max_examples=120, deadline=None)
def test_each_trade_works_in_its_own_hours_only_and_never_with_more_crews_than_it_has(
    seed: int, weeks: list[TradeWeek]
) -> None:
    """Each activity is of one trade, and works on the calendar of that trade: minute by minute, nights and days off included."""
    random = Random(seed)
    case = random_case(seed, Drawn(calendars=len(weeks), leads=False, constraints=False, progress="none", grid=15))
    trade = case.activities.calendar.astype(np.int64)  # one calendar a trade
    calendars = [week.shifts(str(number)) for number, week in enumerate(weeks)]
    sizes = [random.randint(1, 2) for _ in weeks]
    amounts = np.array([random.randint(1, sizes[one]) for one in trade], np.int64)
    rows = np.arange(len(trade))
    capacities = tuple(map(Capacity.constant, sizes))
    crews = Crews(tuple("abc"[: len(weeks)]), capacities, Needs(rows, trade, amounts), np.zeros(len(rows), np.int64))

    found = solve_with_crews(compile_network(case.activities, case.links, calendars), crews, EFFORT)

    early = Player(case.activities, case.links, calendars, WIDE).play()
    assert found.unlimited.finish.tolist() == early.finish
    assert found.slotted
    assert found.levelled
    in_slots = found.slotted.minutes(found.levelled.start[found.slotted.place])
    held = np.zeros((len(weeks), WIDE[1] - WIDE[0]), np.int64)
    for row, (start, finish) in enumerate(zip(found.solution.start, found.solution.finish, strict=True)):
        week, duration = weeks[trade[row]], int(case.activities.duration[row])
        worked = week.works(np.arange(start, finish))
        assert worked.sum() == duration
        assert not duration or (worked[0] and worked[-1] and week.works(in_slots[row : row + 1]).all())
        held[trade[row], int(start) - WIDE[0] : int(finish) - WIDE[0]] += amounts[row] * worked
    assert (held <= np.array(sizes)[:, None]).all()


def pods(count: int, hours: int = 8) -> CompiledNetwork:
    """Return activities of a working day each that wait for nothing but their crew."""
    activities = Activities(
        [f"rack@pod-{number}" for number in range(count)], np.full(count, hours * 60), np.zeros(count, np.int32)
    )
    none = np.zeros(0, np.int32)
    links = Links(none, none, np.zeros(0, np.uint8), np.zeros(0, np.int64), none)
    return compile_network(activities, links, [MONDAYS, continuous()])


def riggers(network: CompiledNetwork, crews: int) -> Crews:
    """Return some crews of one trade, one of which each activity holds."""
    rows = np.arange(len(network.activities))
    needs = Needs(rows, np.zeros(len(rows), np.int64), np.ones(len(rows), np.int64))
    return Crews(("riggers",), (Capacity.constant(crews),), needs, rows)


def test_one_crew_does_one_day_after_the_other_and_two_crews_take_half_as_long() -> None:
    """Wednesday is the third day, and the fourth day is a holiday of this calendar."""
    network = pods(4)

    one = solve_with_crews(network, riggers(network, 1), EFFORT)
    two = solve_with_crews(network, riggers(network, 2), EFFORT)

    assert sorted((one.solution.finish // DAY).tolist()) == [0, 1, 2, 4]
    assert sorted((two.solution.finish // DAY).tolist()) == [0, 0, 1, 1]


def test_who_waits_knows_for_whom_and_how_many_working_minutes() -> None:
    network = pods(3)

    found = solve_with_crews(network, riggers(network, 1), EFFORT)

    order = np.argsort(found.solution.start)
    first, second, third = order.tolist()
    links = found.network.links
    for before, after in ((first, second), (second, third)):
        link = int(found.solution.driving_link[after])
        assert found.crew(link) == "riggers"
        assert int(links.before[link]) == before
    assert found.waits[order].tolist() == [0, 480, 960]
    assert found.crew(-1) is None


def one_crew_of(durations: dict[str, int], weeks: list[TradeWeek], links: Links, holders: list[int]) -> CrewedSolution:
    """Return activities solved of which the first works around the clock, each other on a week, and some share one crew."""
    calendars = [continuous(), *(week.shifts(str(number)) for number, week in enumerate(weeks))]
    count = len(durations)
    activities = Activities(
        [*durations], np.array([*durations.values()]), np.arange(count, dtype=np.int32) % (len(weeks) + 1)
    )
    needs = Needs(np.array(holders), np.zeros(len(holders), np.int64), np.ones(len(holders), np.int64))
    crews = Crews(("electricians",), (Capacity.constant(1),), needs, np.zeros(count, np.int64))
    return solve_with_crews(compile_network(activities, links, calendars), crews, EFFORT)


def finish_to_start(*pairs: tuple[int, int]) -> Links:
    """Return links without lags."""
    before, after = (np.array(column, np.int32) for column in zip(*pairs, strict=True))
    kinds = np.full(len(pairs), Tie.FS, np.uint8)
    return Links(before, after, kinds, np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int32))


WORKDAYS = (1, 2, 3, 4, 5)


def test_what_waits_for_its_turn_while_another_rests_is_driven_by_the_last_of_its_links() -> None:
    """The survey ends on Friday, two minutes before the day does. The test has its turn on Saturday, when who has the panels rests."""
    weeks = [TradeWeek((*WORKDAYS, 6), 24, 64, ()), TradeWeek(WORKDAYS, 32, 64, ())]
    durations = {"survey": 4 * DAY + 958, "test": 240, "panels": 6 * 8 * 60}

    found = one_crew_of(durations, weeks, finish_to_start((0, 1)), [1, 2])

    assert found.solution.start.tolist() == [0, 5 * DAY + 6 * 60, 8 * 60]
    assert found.solution.driving_link.tolist() == [-1, 0, -1]
    survey, test = why(found.network, found.solution, 1, crew_links=np.zeros(1, bool))
    assert (survey.crew_wait, test.crew_wait) == (0, DAY + 360 - 958)


def test_a_crew_that_one_has_by_day_and_one_by_night_ties_neither_to_its_turn() -> None:
    """So what both waited for moves them to the minute: the survey ends two minutes before the night does, and the test begins."""
    weeks = [TradeWeek(WORKDAYS, 88, 120, ()), TradeWeek(WORKDAYS, 32, 64, ())]
    durations = {"survey": DAY + 358, "test": 240, "panels": 3 * 8 * 60, "plan": 0, "label": 240}

    found = one_crew_of(durations, weeks, finish_to_start((0, 1), (3, 4), (4, 2)), [1, 2, 4])

    assert found.network.activities.no_earlier is None
    starts = dict(zip(durations, found.solution.start.tolist(), strict=True))
    assert (starts["label"], starts["test"], starts["panels"]) == (22 * 60, DAY + 358, DAY + 8 * 60)
    links = found.network.links
    handed = set(zip(links.before[3:].tolist(), links.after[3:].tolist(), strict=True))
    assert handed == {(4, 1), (4, 2)}  # the test comes after the label, which had the crew before the panels


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_crews_that_work_by_day_in_the_evening_and_at_night_are_never_more_than_there_are(seed: int) -> None:
    hours = ((32, 64), (64, 88), (88, 120))
    calendars = [TradeWeek(WORKDAYS, *opens_and_closes, ()).shifts(str(opens_and_closes)) for opens_and_closes in hours]
    case = random_case(seed, Drawn(calendars=3, leads=False, constraints=False, progress="none"))
    crews = random_crews(Random(seed), len(case.activities))

    found = solve_with_crews(compile_network(case.activities, case.links, calendars), crews, EFFORT)

    held = held_by_minute(found, crews, states=(OPEN,), span=WIDE)
    assert (held <= np.array([[capacity.amount[0]] for capacity in crews.capacities])).all()


def test_the_order_of_an_earlier_plan_is_kept_where_no_other_is_shorter() -> None:
    network = pods(5)
    planned = np.array([4, 3, 2, 1, 0]) * DAY

    found = solve_with_crews(network, riggers(network, 1), Effort(schedules=1), planned=planned)

    assert np.argsort(found.solution.start).tolist() == [4, 3, 2, 1, 0]


def test_a_crew_stays_in_its_area_where_it_can() -> None:
    """Two areas, two crews, one activity after the other in each: each crew stays where it is."""
    names = [f"{work}@{area}" for work in ("lay", "pull", "test") for area in ("north", "south")]
    activities = Activities(names, np.full(6, 480), np.zeros(6, np.int32))
    links = Links(
        np.array([0, 1, 2, 3], np.int32),
        np.array([2, 3, 4, 5], np.int32),
        np.zeros(4, np.uint8),
        np.zeros(4, np.int64),
        np.zeros(4, np.int32),
    )
    network = compile_network(activities, links, [calendar_of(WEEKS[0])])
    crews = riggers(network, 2)._replace(group=np.array([0, 1, 0, 1, 0, 1]))

    found = solve_with_crews(network, crews, EFFORT)

    handed = list(zip(found.network.links.before[4:].tolist(), found.network.links.after[4:].tolist(), strict=True))
    assert handed == [(0, 2), (1, 3), (2, 4), (3, 5)]
