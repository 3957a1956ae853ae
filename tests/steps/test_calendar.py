"""Working time, checked against days a person can count."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import working_shifts

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


@given(
    st.sampled_from(["America/Chicago", "Europe/Oslo", "Australia/Lord_Howe", "Asia/Kolkata"]),
    st.integers(0, 95),
    st.integers(1, 96),
    st.sets(st.integers(1, 7), min_size=1),
    st.integers(0, 300 * 96),
    st.integers(1, 400),
)
@settings(max_examples=200, deadline=None)
def test_the_record_and_the_schedule_count_alike(
    zone: str, opens: int, length: int, days: set[int], start: int, quarters: int
) -> None:
    """What a plan's lag is on the record ends when the schedule says: also at night, and when the clocks change."""
    hours = (opens / 4, (opens + length) / 4)
    calendar = WorkCalendar(
        datetime(2027, 1, 31, tzinfo=UTC), zone, tuple(sorted(days)), hours, ("2027-03-15", "2027-10-31")
    )
    shifts = working_shifts(calendar, "working")
    begins = start * 15

    ends = calendar.add(calendar.at(begins / 60), quarters / 4)

    found = int(shifts.finish(shifts.work(begins) + quarters * 15))
    assert ends == calendar.at(found / 60)


def test_a_night_shift_belongs_to_the_day_on_which_it_begins() -> None:
    """On Friday night people work into Saturday; on Thursday, a holiday, they do not come, and on Wednesday they go on into it."""
    night = WorkCalendar(
        datetime(2026, 11, 23, tzinfo=UTC), "UTC", (1, 2, 3, 4, 5), (22.0, 30.0), holidays=("2026-11-26",)
    )
    wednesday = datetime(2026, 11, 25, 22, tzinfo=UTC)

    assert night.add(wednesday, 8) == datetime(2026, 11, 26, 6, tzinfo=UTC)
    assert night.add(wednesday, 9) == datetime(2026, 11, 27, 23, tzinfo=UTC)
    assert night.add(wednesday, 16) == datetime(2026, 11, 28, 6, tzinfo=UTC)


def test_a_zone_with_a_half_hour_offset_keeps_its_hours() -> None:
    kolkata = WorkCalendar(datetime(2026, 11, 22, 18, 30, tzinfo=UTC), "Asia/Kolkata", (1, 2, 3, 4, 5), (9.0, 18.0))

    first = kolkata.add(kolkata.origin, 9)

    assert first - kolkata.origin == timedelta(hours=18)
