"""The time axis and the bars, without a screen: where instants are, which ticks there are, and what is painted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tui.lists.bars import (
    AFTER,
    BASELINE,
    BEFORE,
    CRITICAL,
    DATA_DATE,
    FLOAT,
    FORECAST,
    LATER,
    LEVELS,
    NOW,
    OPEN,
    WORKED,
    Bar,
    Moments,
    level,
    painted,
)
from tui.lists.timescale import ZOOMS, Timescale, fitting
from tui.plain_glyphs import PLAIN

MONDAY = datetime(2027, 1, 4, tzinfo=UTC)
DAY = timedelta(days=1)
WEEK = Timescale("UTC", MONDAY, 1)
"""A cell is half a day."""

PAST = Moments(MONDAY - 100 * DAY)


def text(bar: Bar, width: int = 12, moments: Moments = PAST) -> str:
    """Return a row of the chart as text."""
    return "".join(piece for piece, _ in painted(bar, WEEK, width, moments)).rstrip()


def test_an_instant_is_placed_to_an_eighth_of_a_cell() -> None:
    assert WEEK.place(MONDAY) == 0
    assert WEEK.place(MONDAY + timedelta(hours=3)) == 2
    assert WEEK.place(MONDAY - timedelta(minutes=1)) == -1


@pytest.mark.parametrize(
    ("zoom", "labels"),
    [
        (0, ["Mon 4 Jan", "Tue 5 Jan"]),
        (1, ["4 Jan 27", "11 Jan 27"]),
        (2, ["Feb 2027", "Mar 2027"]),
        (3, ["Q2 2027", "Q3 2027"]),
        (4, ["H2 2027", "H1 2028"]),
        (5, ["2028", "2029"]),
    ],
)
def test_each_zoom_has_its_own_ticks(zoom: int, labels: list[str]) -> None:
    scale = Timescale("UTC", MONDAY, zoom)

    found = [label for _, label in scale.ticks(40)]

    assert found[:2] == labels


def test_days_begin_at_the_site_not_in_utc() -> None:
    scale = Timescale("America/Chicago", MONDAY, 0)

    cell, label = next(scale.ticks(20))

    assert (cell, label) == (3, "Mon 4 Jan")  # midnight in Chicago is six hours after UTC's


def test_a_heading_is_as_wide_as_the_axis_and_no_label_is_longer_than_its_tick() -> None:
    for zoom in range(len(ZOOMS)):
        heading = Timescale("UTC", MONDAY, zoom).heading(57)

        assert len(heading) == 57
        assert all(label in heading for _, label in list(Timescale("UTC", MONDAY, zoom).ticks(57))[:-1])


def test_the_zoom_keeps_what_is_looked_at_in_its_cell() -> None:
    looked_at = MONDAY + 5 * DAY

    wider = WEEK.zoomed(1, looked_at)

    assert wider.place(looked_at) // 8 == WEEK.place(looked_at) // 8
    assert WEEK.zoomed(99, looked_at).zoom == len(ZOOMS) - 1


@pytest.mark.parametrize(
    ("days", "name"), [(3, "day"), (20, "week"), (100, "month"), (330, "quarter"), (700, "half-year"), (9000, "year")]
)
def test_the_closest_scale_is_chosen_in_which_all_can_be_seen(days: int, name: str) -> None:
    assert fitting("UTC", MONDAY, MONDAY + days * DAY, 50).name == name


def test_done_to_come_and_critical_differ_without_colour() -> None:
    halfway = Bar(MONDAY, MONDAY + 4 * DAY, "active", worked=MONDAY + 2 * DAY)
    critical = Bar(MONDAY, MONDAY + 4 * DAY, "bad", is_critical=True)

    assert text(halfway) == "████▒▒▒▒"
    assert text(critical) == "▓▓▓▓▓▓▓▓"


def test_the_ends_of_a_bar_are_eighths_of_a_cell() -> None:
    begin, finish = MONDAY + timedelta(hours=3), MONDAY + timedelta(hours=30)

    (first, second, *_) = painted(Bar(begin, finish, "ready"), WEEK, 6, PAST)

    assert first == ("▎", "ready-reversed")  # the other three quarters of the cell
    assert second == ("▒▌", "ready")


def test_float_baseline_and_forecast_are_behind_the_bar() -> None:
    end = MONDAY + 2 * DAY
    bar = Bar(MONDAY, end, "ready", latest=end + 3 * DAY, baseline=end + DAY, forecast=end + 2 * DAY)

    assert text(bar) == "▒▒▒▒──┤─◇┄┄"


def test_what_cannot_be_seen_says_on_which_side_it_is() -> None:
    assert text(Bar(MONDAY - 9 * DAY, MONDAY - 8 * DAY, "good")) == "◂"
    assert text(Bar(MONDAY + 90 * DAY, MONDAY + 91 * DAY, "good")) == f"{' ' * 11}▸"


def test_what_takes_no_time_can_be_seen() -> None:
    assert text(Bar(MONDAY + DAY, MONDAY + DAY, "ready")) == "  ▏"


def test_today_is_on_every_row() -> None:
    bar = Bar(MONDAY, MONDAY + DAY, "ready")

    assert text(bar, moments=Moments(MONDAY + 3 * DAY, MONDAY + 2 * DAY)) == "▒▒  ╎ ┊"


def test_no_two_parts_of_a_chart_look_alike_in_ascii() -> None:
    signs = [WORKED, OPEN, CRITICAL, FLOAT, LATER, BASELINE, FORECAST, NOW, DATA_DATE, BEFORE, AFTER]

    plain = "".join(signs).translate(PLAIN)

    assert plain.isascii()
    assert len(set(plain)) == len(signs)
    assert LEVELS.translate(PLAIN) == " 1234567#"


def test_a_level_is_seen_from_the_first_part_on() -> None:
    assert [level(part) for part in (0, 0.01, 0.5, 1, 3)] == [" ", "▁", "▄", "█", "█"]
