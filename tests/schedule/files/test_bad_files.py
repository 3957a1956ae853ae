"""What is wrong with a file is said with its line and column and what to do, and nothing of it is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedule.errors import InputError, UnreachableError
from schedule.files.csv_project import read_project
from tests.schedule.files.writing import HEAD, project_of, written

DATED = HEAD + "data date,2027-02-01\n"
PROGRESS = "id,duration,actual start,actual finish,remaining\n"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("id,duration\nA,5\n", r"activities.csv:4: duration: '5' is no length of time\n  write 5d"),
        ("id,duration\nA,5x\n", r"4: duration: '5x' is no length"),
        ("id,duration\nA,\n", r"4: duration: the duration is missing\n  fill in"),
        ("id,duration\n,5d\n", r"4: id: the id is missing"),
        ("id,duration\nA,999999d\n", r"4: duration: '999999d' is longer than a hundred years"),
        ("id,duration\nA,5d\nA,6d\n", r"5: id: activity 'A' is on line 4 already\n  rename"),
        ('id,duration\n"A,B",5d\n', r"4: id: a name has no comma"),
        ("id,duration,predecessors\nA,5d,B\n", r"4: predecessors: there is no activity 'B'"),
        ("id,duration,predecessors\nA,5d,\nB,1d,AFS+2\n", r"5: predecessors: there is no activity 'AFS\+2'"),
        ("id,duration,predecessors\nA,5d,\nB,1d,AFX\n", r"5: predecessors: there is no activity 'AFX'\n  ids are in"),
        ("id,duration,predecessors\nA,5d,A\n", r"4: predecessors: A waits for itself"),
        ("id,duration,calendar\nA,5d,nights\n", r"4: calendar: A: there is no calendar 'nights'\n  calendars: cont"),
        ("id,duration,calendar\nA,5d,standart\n", r"4: calendar: .*'standart'\n  did you mean standard\?"),
        ("id,duration,calendar\nA,5ed,standard\n", r"4: calendar: A: has elapsed time and a calendar"),
        ("id,duration,resources\nA,5d,crane\n", r"4: resources: there is no resource 'crane'\n  list it in resources"),
        ("id,duration,start no earlier\nA,5d,4.1.2027\n", r"4: start no earlier: '4.1.2027' is no date\n  write 2027"),
        ("id,duration,start no earlier\nA,5d,1227-01-04\n", r"4: start no earlier: .* is in no year from 1990"),
        (
            "id,duration,start no earlier,finish no later\nA,5d,2027-02-01,2027-01-05\n",
            r"4: finish no later: A: must finish before it may start",
        ),
        ("id,duration,optimistic\nA,5d,4d\n", r"4: optimistic: A: has one of three points"),
        ("id,duration,optimistic,pessimistic\nA,5d,6d,8d\n", r"4: optimistic: A: .*out of order"),
        ("id,duration,optimistic,pessimistic\nA,5d,4d,8ed\n", r"4: optimistic: A: has points in working and in el"),
        ("id,durration\nA,5d\n", r"3: unknown column 'durration'\n  did you mean duration\?"),
        ("id,title\nA,Dig\n", r"3: the column 'duration' is missing"),
        ("id,duration,id\nA,5d,B\n", r"3: id: the column 'id' is there twice"),
        ("id,duration\nA,5d,C\n", r"4: 'C' is in a column that has no name"),
        ("id,duration\nA,5d\u202e\n", r"4: duration: the cell has a mark that cannot be seen"),
        ("id,duration\n", r"activities.csv: the file has no activities"),
        ('id,duration\nA,"5d\n', r"4: this does not read as CSV"),
        ("id,duration,resources\nA,0,crane\n", r"4: resources: A: a milestone holds no resources"),
        (
            "id,duration,actual start\nA,5d,2027-01-04\n",
            r"4: actual start: A: has progress, and the file has no data d",
        ),
    ],
)
def test_a_fault_is_named_with_its_line_and_column(tmp_path: Path, rows: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        project_of(tmp_path, rows)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("A,5d,2027-02-02,,", r"5: actual start: A: the actual start is after the data date\n  correct it"),
        ("A,5d,2027-01-04,2027-02-02,", r"5: actual finish: A: the actual finish is after the data date"),
        ("A,5d,2027-01-08,2027-01-05,", r"5: actual finish: A: has finished before its actual start"),
        ("A,5d,,2027-01-05,", r"5: actual finish: A: has finished and has no actual start"),
        ("A,5d,2027-01-04,2027-01-05,1d", r"5: remaining: A: has finished and something remains"),
        ("A,5d,,,1d", r"5: remaining: A: has remaining work and has not started"),
        ("A,5d,2027-01-04,,1ed", r"5: remaining: A: remaining is not in the time of the duration|5: calendar"),
    ],
)
def test_progress_that_cannot_be_true_is_refused(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        project_of(tmp_path, PROGRESS + row + "\n", head=DATED)


def test_links_in_a_circle_are_named_as_the_loop_that_they_are(tmp_path: Path) -> None:
    project = project_of(tmp_path, "id,duration,predecessors\nA,1d,C\nB,1d,A\nC,1d,B\nD,1d,C\n")

    with pytest.raises(
        InputError,
        match=r"activities.csv: the links run in a circle: (A -> B -> C -> A|B -> C -> A -> B|C -> A -> B -> C)",
    ):
        project.compiled()


def test_all_faults_are_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        project_of(tmp_path, "id,duration,predecessors\nA,5x,\nB,1d,Z\nC,1d,B\nC,1d,B\n")

    assert str(refused.value).startswith("3 faults; nothing was read:")
    assert all(line in str(refused.value) for line in (":4: duration", ":5: predecessors", ":7: id"))


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("", r"activities.csv:1: the file does not say when the project starts\n  write `start,2027-01-04`"),
        ("start,soon\n", r"activities.csv:1: start: 'soon' is no date"),
        ("start,2027-01-04\nstart,2027-01-05\n", r"activities.csv:2: start: 'start' is there twice"),
        (
            "start,2027-01-04\ntime zone,Europe/Berlim\n",
            r"activities.csv:2: time zone: there is no time zone 'Europe/Be",
        ),
        ("start,2027-01-04\ndata date,\n", r"activities.csv:2: data date: '' is no date"),
    ],
)
def test_lines_above_the_columns_are_checked(tmp_path: Path, head: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        project_of(tmp_path, "id,duration\nA,5d\n", head=head)


@pytest.mark.parametrize(
    ("calendars", "said"),
    [
        ("calendar,days,hours\nsite,Mon-Fry,08:00-12:00\n", r"calendars.csv:2: days: 'fry' is no day"),
        ("calendar,days,hours\nsite,,08:00-12:00\n", r"calendars.csv:2: days: the days are missing"),
        ("calendar,days,hours\nsite,Mon,8-12\n", r"calendars.csv:2: hours: '8' is no time of day\n  write 07:30"),
        ("calendar,days,hours\nsite,Mon,08:00\n", r"calendars.csv:2: hours: '08:00' is no shift"),
        ("calendar,days,hours\nsite,2027-13-01,off\n", r"calendars.csv:2: days: '2027-13-01' is no day"),
        ("calendar,days,hours\nsite,2027-02-01..2027-01-01,off\n", r"calendars.csv:2: days: .* is no range of days"),
        ("calendar,days,hours\n,Mon,off\n", r"calendars.csv:2: calendar: the calendar's name is missing"),
        ("calendar,days,hours\ncontinuous,Mon,off\n", r"calendars.csv:2: calendar: .* always worked"),
        ("calendar,days,hours\nsite,Mon,08:00-12:00 11:00-13:00\n", r"calendars.csv: calendar 'site': shifts overlap"),
        ("calendar,days,hours\nsite,2027-12-24,off\n", r"calendar 'site'"),
    ],
)
def test_calendars_are_checked(tmp_path: Path, calendars: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        project_of(tmp_path, "id,duration,calendar\nA,5d,site\n", calendars=calendars)


@pytest.mark.parametrize(
    ("resources", "cell", "said"),
    [
        ("resource,amount\ncrane,one\n", "crane", r"resources.csv:2: amount: 'one' is no amount"),
        ("resource,amount\ncrane,-1\n", "crane", r"resources.csv:2: amount: '-1' is no amount"),
        ("resource,amount\ncrane,1\ncrane,2\n", "crane", r"resources.csv:3: resource: resource 'crane' is there twice"),
        (
            "resource,amount\ncrane,1\n",
            "crane:2",
            r"activities.csv:4: resources: 2 of crane are needed, and there are 1",
        ),
        ("resource,amount\ncrane,1\n", "crame", r"activities.csv:4: resources: .*'crame'\n  did you mean crane\?"),
        ("resource,amount\ncrane,1\n", "crane:x", r"activities.csv:4: resources: 'crane:x' is no amount"),
    ],
)
def test_resources_are_checked(tmp_path: Path, resources: str, cell: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        project_of(tmp_path, f"id,duration,resources\nA,5d,{cell}\n", resources=resources)


def test_a_resource_of_a_single_file_says_where_resources_are_listed(tmp_path: Path) -> None:
    folder = written(
        tmp_path, activities=HEAD + "id,duration,resources\nA,5d,crane\n", resources="resource,amount\ncrane,1\n"
    )

    with pytest.raises(InputError, match=r"name the folder, with resources\.csv beside activities\.csv"):
        read_project(folder / "activities.csv")


def test_a_file_that_is_not_there_cannot_be_reached(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match=r"none\.csv cannot be read: No such file"):
        read_project(tmp_path / "none.csv")


def test_a_file_of_another_format_says_which_are_known(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no format that can be read\n  name a \.csv file"):
        read_project(tmp_path / "plan.xer")


TYPED = (
    HEAD
    + "data date,2027-01-11\nid,duration,predecessors,resources,actual start\nA,5d,,crane,2027-01-04\nB,2w,AFS+4h,,\n"
)


@given(at=st.integers(0, len(TYPED)), cut=st.integers(0, 6), put=st.text(max_size=6))
def test_whatever_is_typed_is_read_or_refused_with_its_file(
    tmp_path_factory: pytest.TempPathFactory, at: int, cut: int, put: str
) -> None:
    folder = tmp_path_factory.mktemp("typed")
    (folder / "activities.csv").write_text(TYPED[:at] + put + TYPED[at + cut :], encoding="utf-8", errors="replace")
    (folder / "resources.csv").write_text("resource,amount\ncrane,1\n", encoding="utf-8")

    refused = refusal(folder)

    assert refused == "" or "activities.csv" in refused


def refusal(folder: Path) -> str:
    """Return why a project is refused, nothing if it is read."""
    try:
        read_project(folder).compiled()
    except InputError as refused:
        return str(refused)
    return ""
