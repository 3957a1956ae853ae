"""Shifts: what gets done in them, and how a site file says them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pydantic import ValidationError

from steps.design.figures import figure_specs
from steps.design.shifts import Shifts, hours_of_work

FIGURES = {name: one.value for name, one in figure_specs().items() if one.value is not None}


@pytest.mark.parametrize(("shifts", "hours"), [(1, 8.0), (2, 13.25), (3, 19.5)])
def test_a_further_shift_gets_less_done_than_the_first(shifts: int, hours: float) -> None:
    """17 and 19 % of the hours at work get no work done."""
    assert hours_of_work(Shifts.model_validate({"shifts": shifts}), 5, FIGURES) == hours


@pytest.mark.parametrize(("hours", "days", "done"), [(10, 5, 9.25), (12, 5, 10.0), (10, 7, 7.75), (8, 5, 8.0)])
def test_long_weeks_get_less_done_an_hour(hours: float, days: int, done: float) -> None:
    """Of a 50-hour week 92 % count, of 60 hours 84 %, of 70 hours 78 %."""
    assert hours_of_work(Shifts(hours=hours), days, FIGURES) == done


@pytest.mark.parametrize("days", [5, 6, 7])
def test_more_shifts_never_get_less_done(days: int) -> None:
    done = [hours_of_work(Shifts.model_validate({"shifts": count}), days, FIGURES) for count in (1, 2, 3)]

    assert all(few < many for few, many in pairwise(done))


def test_three_shifts_of_twelve_hours_do_not_fit_into_a_day() -> None:
    with pytest.raises(ValidationError, match="3 shifts of 12 hours do not fit into a day"):
        Shifts(shifts=3, hours=12)
