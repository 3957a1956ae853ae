"""Dates beside other schedulers, where they are installed. docs/evidence/schedule-judges.md has all kinds of networks."""

from __future__ import annotations

import pytest

from benchmarks.schedule_judges import Row, compare
from tests.schedule.judges import Judge, judges

AGREED = [
    Row(("FS",), "lags and leads", "predecessor", 1),
    Row(("FS",), "lags", "predecessor", 4),
    Row(("FS", "SS", "FF", "SF"), "lags and leads", "predecessor", 1),
    Row(("FS",), "lags", "continuous", 4),
    Row(("FS",), "lags", "predecessor", 4, "progress"),
]


@pytest.mark.parametrize("judge", [judge for judge in judges() if judge.name != "MPXJ Microsoft"], ids=lambda j: j.name)
@pytest.mark.parametrize("row", AGREED, ids=lambda row: f"{'+'.join(row.types)} {row.calendars} {row.extra}")
def test_dates_are_those_of_the_judge(judge: Judge, row: Row) -> None:
    """All types with lags and leads on one calendar; FS on four calendars, with lags, and in progress."""
    if judge.missing:
        pytest.skip(judge.missing)

    found = compare(judge, row, 12)

    assert (found.early, found.late) == (0, 0), found.smallest


def test_dates_are_those_of_microsoft_project_as_mpxj_imitates_it() -> None:
    """FS and SS, with lags on the successor's calendar, which is the only one that it has."""
    (judge,) = (judge for judge in judges() if judge.name == "MPXJ Microsoft")
    if judge.missing:
        pytest.skip(judge.missing)

    found = compare(judge, Row(("FS",), "lags", "successor", 4), 12)

    assert (found.early, found.late) == (0, 0), found.smallest
