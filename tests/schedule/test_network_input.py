"""What is wrong with a network is said before anything is computed, by name."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time

import numpy as np
import pytest

from schedule.cpm.columns import NONE, Activities, Actuals, Links, rows_of
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.paths import float_paths, longest_path
from schedule.cpm.shifts import ShiftCalendar, continuous
from schedule.cpm.weekly import WeeklyHours, weekly_calendar
from schedule.errors import InputError

HOUR = 60
ALWAYS_OPEN = [continuous()]


def chain(*durations: int) -> Activities:
    """Return activities a, b, c... on a continuous calendar."""
    names = [chr(ord("a") + number) for number in range(len(durations))]
    return Activities(names, np.array(durations), np.zeros(len(durations), np.int32))


def links(*pairs: tuple[int, int]) -> Links:
    """Return FS links without lag."""
    zeros = np.zeros(len(pairs), np.int64)
    ends = np.array(pairs, np.int32).reshape(-1, 2)
    return Links(ends[:, 0], ends[:, 1], zeros.astype(np.uint8), zeros, zeros.astype(np.int32))


def network(*pairs: tuple[int, int]) -> CompiledNetwork:
    """Return four activities: a long way a, b, d and a short one c, d."""
    return compile_network(chain(60, 120, 30, 10), links(*pairs), ALWAYS_OPEN)


def test_a_loop_is_named_in_the_order_of_its_links() -> None:
    with pytest.raises(InputError, match=r"b -> c -> d -> b|c -> d -> b -> c|d -> b -> c -> d"):
        network((0, 1), (1, 2), (2, 3), (3, 1))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"duration": np.array([1, -5, 1])}, "'b' has a negative duration"),
        ({"calendar": np.array([0, 0, 7])}, "'c' has an unknown calendar"),
        ({"names": ["a", "b", "a"]}, "two activities have the name 'a'"),
        ({"duration": np.array([1, 2])}, "3 activities have 2 durations"),
        ({"duration": np.array([1.5, 2, 3])}, "whole numbers"),
    ],
)
def test_wrong_activities_are_refused_by_name(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        compile_network(replace(chain(1, 2, 3), **wrong), links(), ALWAYS_OPEN)  # type: ignore[arg-type]  # one column of several types


def test_a_link_to_nowhere_is_refused() -> None:
    with pytest.raises(InputError, match="link 1 has a successor that is not in the network"):
        compile_network(chain(1, 2), links((0, 1), (0, 9)), ALWAYS_OPEN)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InputError, match="'z', which is not in the network"):
        rows_of(["a", "b"], ["a", "z"])


@pytest.mark.parametrize(
    ("started", "finished", "said"),
    [
        (200, NONE, "'a' has started after the data date"),
        (10, 200, "'a' has finished after the data date"),
        (50, 20, "'a' has finished before its actual start"),
        (NONE, 20, "'a' has finished and has no actual start"),
    ],
)
def test_progress_that_cannot_be_true_is_refused(started: int, finished: int, said: str) -> None:
    actuals = Actuals(100, np.array([started, NONE]), np.array([finished, NONE]))

    with pytest.raises(InputError, match=said):
        compile_network(chain(60, 60), links((0, 1)), ALWAYS_OPEN).solve(actuals=actuals)


def test_a_date_after_the_last_shift_is_an_error_and_no_silent_end() -> None:
    short = ShiftCalendar("one day", np.array([480]), np.array([960]))

    with pytest.raises(InputError, match="dates of activity 'b' are outside calendar 'one day'"):
        compile_network(chain(400, 400), links((0, 1)), [short]).solve(start=480)


def test_the_longest_path_is_a_chain_of_links() -> None:
    made = network((0, 1), (1, 3), (2, 3))

    path = longest_path(made, made.solve())

    assert path.activities == (0, 1, 3)
    assert path.links == (0, 1)
    assert path.total_float == 0


def test_float_paths_come_by_float_and_have_each_activity_once() -> None:
    made = network((0, 1), (1, 3), (2, 3))

    first, second = float_paths(made, made.solve(), 3, most=5)

    assert first.activities == (0, 1, 3)
    assert (second.activities, second.links, second.total_float) == ((2,), (2,), 150)


def test_need_by_dates_are_those_that_one_target_asks_for() -> None:
    made = network((0, 1), (0, 2))

    need = made.need_by(made.solve(), 2)

    assert need.tolist() == [60, NONE, 90, NONE]


def test_out_of_sequence_links_are_listed() -> None:
    actuals = Actuals(100, np.array([NONE, 90]), np.array([NONE, NONE]))

    solution = compile_network(chain(60, 60), links((0, 1)), ALWAYS_OPEN).solve(actuals=actuals)

    assert solution.out_of_sequence.tolist() == [0]
    assert solution.remaining_start.tolist() == [100, 160]


def test_a_night_shift_is_an_hour_shorter_when_the_clocks_go_forward() -> None:
    """In Chicago on 14 March 2027, at 2 o'clock."""
    hours = WeeklyHours({7: [(time(8), time(12))], 6: [(time(22), time(6))]})
    origin = datetime(2027, 3, 13, 6, tzinfo=UTC)

    calendar = weekly_calendar(
        "nights", hours, zone="America/Chicago", origin=origin, known=(date(2027, 3, 13), date(2027, 3, 14))
    )

    assert (calendar.end - calendar.start).tolist() == [7 * HOUR, 4 * HOUR]
    assert calendar.start.tolist() == [22 * HOUR, 31 * HOUR]


def test_a_shift_that_the_clocks_skip_is_not_worked() -> None:
    """In Chicago on 14 March 2027 there is no hour from 2 to 3."""
    hours = WeeklyHours({7: [(time(2), time(3)), (time(8), time(12))]})
    origin = datetime(2027, 3, 14, 6, tzinfo=UTC)

    calendar = weekly_calendar(
        "sundays", hours, zone="America/Chicago", origin=origin, known=(date(2027, 3, 14), date(2027, 3, 14))
    )

    assert calendar.start.tolist() == [7 * HOUR]


def test_holidays_and_exceptions_replace_a_weekday() -> None:
    monday, tuesday = date(2027, 1, 4), date(2027, 1, 5)
    hours = WeeklyHours(
        {day: [(time(8), time(16))] for day in range(1, 6)},
        holidays={monday},
        exceptions={tuesday: [(time(8), time(10)), (time(10), time(11))]},
    )
    origin = datetime(2027, 1, 4, tzinfo=UTC)

    calendar = weekly_calendar("site", hours, zone="UTC", origin=origin, known=(monday, date(2027, 1, 6)))

    assert (calendar.start // HOUR).tolist() == [32, 56]
    assert (calendar.end // HOUR).tolist() == [35, 64]
