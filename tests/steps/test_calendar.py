"""Working time, checked against days a person can count."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from steps.schedule.calendar import WorkCalendar

CHICAGO = WorkCalendar(
    datetime(2026, 11, 23, 6, tzinfo=UTC), "America/Chicago", (1, 2, 3, 4, 5), (8.0, 16.0), ("2026-11-26",)
)


def test_a_working_day_ends_at_closing_time() -> None:
    assert CHICAGO.add(datetime(2026, 11, 23, 14, tzinfo=UTC), 8) == datetime(2026, 11, 23, 22, tzinfo=UTC)


def test_weekends_and_holidays_are_stepped_over() -> None:
    wednesday_close = datetime(2026, 11, 25, 22, tzinfo=UTC)

    assert CHICAGO.add(wednesday_close, 1) == datetime(2026, 11, 27, 15, tzinfo=UTC)
    assert CHICAGO.add(wednesday_close, 9) == datetime(2026, 11, 30, 15, tzinfo=UTC)


def test_daylight_saving_moves_the_utc_hour_not_the_working_hour() -> None:
    friday_before = datetime(2027, 3, 12, 14, tzinfo=UTC)

    assert CHICAGO.add(friday_before, 9) == datetime(2027, 3, 15, 14, tzinfo=UTC)


def test_zero_hours_later_is_now_even_at_night() -> None:
    night = datetime(2026, 11, 23, 3, tzinfo=UTC)

    assert CHICAGO.add(night, 0) == night


@given(st.floats(0, 40_000), st.floats(0.25, 2_000))
def test_adding_work_and_counting_it_agree(start: float, work: float) -> None:
    finish = float(CHICAGO.finish_at(CHICAGO.work_at(start) + work))

    assert abs(float(CHICAGO.work_at(finish) - CHICAGO.work_at(start)) - work) < 1e-6


def test_a_zone_with_a_half_hour_offset_keeps_its_hours() -> None:
    kolkata = WorkCalendar(datetime(2026, 11, 22, 18, 30, tzinfo=UTC), "Asia/Kolkata", (1, 2, 3, 4, 5), (9.0, 18.0))

    first = kolkata.add(kolkata.origin, 9)

    assert first - kolkata.origin == timedelta(hours=18)
