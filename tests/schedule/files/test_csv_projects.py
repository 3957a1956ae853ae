"""What people write in a spreadsheet becomes the dates that they would work out by hand."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from schedule.cpm.columns import Tie
from schedule.files.csv_project import read_project
from schedule.files.terms import AROUND_THE_CLOCK, Week, length_of, predecessors_of
from tests.schedule.files.writing import HEAD, dates_of, project_of

OFFICE = Week(480, 2400)


def test_a_single_file_has_eight_hours_on_five_days(tmp_path: Path) -> None:
    project = project_of(tmp_path, "id,duration,predecessors\nA,5d,\nB,12h,A\nC,0,B\n")

    assert dates_of(project) == {
        "A": ("2027-01-04 08:00", "2027-01-08 17:00"),
        "B": ("2027-01-11 08:00", "2027-01-12 12:00"),
        "C": ("2027-01-12 12:00", "2027-01-12 12:00"),
    }


def test_links_are_read_as_microsoft_project_writes_them(tmp_path: Path) -> None:
    """A lag counts on the predecessor's calendar, an elapsed one around the clock."""
    rows = 'id,duration,predecessors\nA,1d,\nB,1d,AFS+2d\nC,1d,A SS + 4h\nD,1d,"B,A+3ed"\nE,1d,CFF;BSF+5d\nF,1d,B-4h\n'
    found = dates_of(project_of(tmp_path, rows))

    assert found["B"] == ("2027-01-07 08:00", "2027-01-07 17:00")
    assert found["C"] == ("2027-01-04 13:00", "2027-01-05 12:00")
    assert found["D"][0] == "2027-01-08 08:00"
    assert found["E"] == ("2027-01-13 08:00", "2027-01-13 17:00")
    assert found["F"][0] == "2027-01-07 13:00"


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("5d", 2400),
        ("2.5 days", 1200),
        ("12h", 720),
        ("3w", 7200),
        ("90min", 90),
        ("2ed", 2880),
        ("1ewk", 10080),
        ("0", 0),
        ("0.001min", 1),
    ],
)
def test_lengths_count_on_the_calendar_and_elapsed_ones_around_the_clock(text: str, minutes: int) -> None:
    assert length_of(text).minutes(OFFICE) == minutes


def test_an_id_that_looks_like_a_link_is_read_as_it_is() -> None:
    """`BFS` is an activity, `A-1` and `A+1d` too, and `A-1FS-1d` is a link to one of them."""
    known = {"A", "B", "BFS", "A-1", "A+1d"}

    found = predecessors_of("BFS, A-1, A-1FS-1d, BSS+1d, BFS+1d, A+1d", known)

    assert [(one.id, one.type, one.sign) for one in found] == [
        ("BFS", Tie.FS, 1),
        ("A-1", Tie.FS, 1),
        ("A-1", Tie.FS, -1),
        ("B", Tie.SS, 1),
        ("BFS", Tie.FS, 1),
        ("A+1d", Tie.FS, 1),
    ]
    assert found[4].lag is not None
    assert found[4].lag.minutes(AROUND_THE_CLOCK) == 1440


def test_calendars_have_shifts_days_off_and_nights(tmp_path: Path) -> None:
    """A day is the longest weekday of the calendar; a row for a date takes the place of the weekday's."""
    calendars = "calendar,days,hours\nsite,Mon-Thu,07:00-12:00 12:30-15:30\nsite,Fri,07:00-12:00\n"
    calendars += "site,2027-01-05..2027-01-06,off\nnight,Sun-Thu,22:00-06:00\n"
    rows = "id,duration,calendar,predecessors\nA,2d,site,\nB,1d,night,A\nC,2w,continuous,\nD,1ew,,\n"

    found = dates_of(project_of(tmp_path, rows, calendars=calendars))

    assert found == {
        "A": ("2027-01-04 07:00", "2027-01-07 15:30"),
        "B": ("2027-01-07 22:00", "2027-01-08 06:00"),
        "C": ("2027-01-04 00:00", "2027-01-18 00:00"),
        "D": ("2027-01-04 00:00", "2027-01-11 00:00"),
    }


def test_progress_moves_what_is_left_after_the_data_date(tmp_path: Path) -> None:
    """A day alone is worked from its first to its last minute."""
    rows = "id,duration,predecessors,actual start,actual finish,remaining\n"
    rows += "A,5d,,2027-01-04,2027-01-06,\nB,5d,A,2027-01-07,,1d\nC,1d,B,,,\n"

    found = dates_of(project_of(tmp_path, rows, head=HEAD + "data date,2027-01-11\n"))

    assert found == {
        "A": ("2027-01-04 08:00", "2027-01-06 17:00"),
        "B": ("2027-01-07 08:00", "2027-01-11 17:00"),
        "C": ("2027-01-12 08:00", "2027-01-12 17:00"),
    }


def test_constraints_hold_starts_and_show_as_negative_float(tmp_path: Path) -> None:
    rows = "id,duration,predecessors,start no earlier,finish no later\nA,1d,,2027-01-11,\nB,2d,A,,2027-01-12\n"
    project = project_of(tmp_path, rows)

    solution = project.compiled().solve()

    assert dates_of(project)["B"] == ("2027-01-12 08:00", "2027-01-13 17:00")
    assert solution.total_float.tolist() == [-480, -480]


def test_clocks_that_change_keep_the_hours_of_shifts(tmp_path: Path) -> None:
    """Summer time began on Sunday 28 March 2027 in Berlin."""
    found = dates_of(project_of(tmp_path, "id,duration\nA,2d\n", head="start,2027-03-26\ntime zone,Europe/Berlin\n"))

    assert found["A"] == ("2027-03-26 08:00", "2027-03-29 17:00")


@pytest.mark.parametrize("mark", [";", "\t"])
def test_files_of_spreadsheets_are_read(tmp_path: Path, mark: str) -> None:
    """With a byte order mark, semicolons or tabs, lines padded to the width of the sheet, and names in capitals."""
    lines = ["start,2027-01-04,,", "ID,Duration,Start_No_Earlier,Notes", 'A,5d,,"so, so"', ",,,", "B,1d,2027-01-06,"]
    text = "\n".join(lines).replace('"so, so"', "so so").replace(",", mark)
    path = tmp_path / "sheet.csv"
    path.write_text(text, encoding="utf-8-sig")

    assert dates_of(read_project(path))["B"][0] == "2027-01-06 08:00"


def test_resources_and_three_points_reach_the_engines(tmp_path: Path) -> None:
    rows = 'id,duration,optimistic,pessimistic,resources\nA,5d,4d,1w,"crane, electrician:2"\nB,2d,,,electrician\n'
    project = project_of(tmp_path, rows, resources="resource,amount\nelectrician,3\ncrane,1\n")

    assert project.resources == ("electrician", "crane")
    assert [(one.row, project.resources[one.resource], one.amount) for one in project.demands] == [
        (0, "crane", 1),
        (0, "electrician", 2),
        (1, "electrician", 1),
    ]
    assert project.estimates is not None
    assert np.stack([project.estimates.low, project.estimates.likely, project.estimates.high]).tolist() == [
        [1920, 960],
        [2400, 960],
        [2400, 960],
    ]


def test_the_example_of_the_page_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "schedule.md").read_text(encoding="utf-8")
    activities, resources, calendars = re.findall(r"```csv\n(.*?)```", page, flags=re.DOTALL)

    project = project_of(tmp_path, activities, head="", resources=resources, calendars=calendars)

    assert len(project.activities) == 6
    assert dates_of(project)["F"][0] > dates_of(project)["B"][1]
