"""Dates beside other schedulers, where they are installed. docs/evidence/schedule-judges.md has all kinds of networks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from benchmarks.schedule_judges import Row, compare
from schedule.cpm.columns import NONE, Activities, Links
from schedule.cpm.compiled import compile_network
from tests.schedule.judges import Judge, judges
from tests.schedule.networks import CALENDARS, TYPES, Case

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


class Small(NamedTuple):
    """A network of the evidence page on which MPXJ Primavera differs: in one column of one activity."""

    activities: list[tuple[int, int, int]]
    """Calendar, minutes, and no start before; NONE for no constraint."""
    links: list[tuple[int, int, str, int]]
    column: str
    row: int
    ours: int
    theirs: int

    def case(self) -> Case:
        """Return the network; lags are on the predecessor's calendar."""
        calendar, duration, no_earlier = zip(*self.activities, strict=True)
        before, after, types, lags = zip(*self.links, strict=True)
        activities = Activities(
            [f"A{row}" for row in range(len(calendar))],
            np.array(duration, np.int64),
            np.array(calendar, np.int32),
            np.array(no_earlier, np.int64),
        )
        links = Links(
            np.array(before, np.int32),
            np.array(after, np.int32),
            np.array([TYPES.index(one) for one in types], np.uint8),
            np.array(lags, np.int64),
            np.array([calendar[one] for one in before], np.int32),
        )
        return Case(activities, links, CALENDARS, None)


FIVE_DAYS, AROUND_THE_CLOCK, SIX_DAYS, NIGHTS = range(4)
SMALL = {
    "start constraint on the day of the predecessor's finish": Small(
        [(AROUND_THE_CLOCK, 480, NONE), (AROUND_THE_CLOCK, 480, 180)], [(0, 1, "FS", 0)], "start", 1, 480, 180
    ),
    "lag back from midnight": Small(
        [(SIX_DAYS, 240, NONE), (AROUND_THE_CLOCK, 480, NONE), (AROUND_THE_CLOCK, 4320, NONE)],
        [(0, 1, "FS", 480), (2, 1, "FS", 0)],
        "late_finish",
        0,
        3480,
        3840,
    ),
    "late start before SS": Small(
        [(AROUND_THE_CLOCK, 60, NONE), (NIGHTS, 90, NONE), (FIVE_DAYS, 990, NONE)],
        [(0, 1, "FS", 0), (1, 2, "SS", 0)],
        "late_finish",
        0,
        1320,
        300,
    ),
}


@pytest.mark.parametrize("small", SMALL.values(), ids=list(SMALL))
def test_the_networks_of_the_evidence_page_have_the_dates_that_it_says(small: Small) -> None:
    """Ours in any case; MPXJ's where it is installed: if it is repaired, the page is to say so."""
    case = small.case()

    solution = compile_network(case.activities, case.links, case.calendars).solve()

    assert getattr(solution, small.column)[small.row] == small.ours
    (judge,) = (judge for judge in judges() if judge.name == "MPXJ Primavera")
    if judge.missing:
        pytest.skip(judge.missing)
    assert getattr(judge.dates(case, "predecessor"), small.column)[small.row] == small.theirs
