"""Schedules in files, and how good schedules are, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.schedule.files.writing import HEAD, written

ROWS = "id,title,duration,optimistic,pessimistic,predecessors,resources,baseline finish\n"
ROWS += "A,Lift one,2d,1d,4d,,rigger,2027-01-05\nB,Lift two,2d,1d,4d,,rigger,2027-01-05\n"
ROWS += 'C,Cable,1d,1d,2d,"AFS+2h,BFS+2h",,2027-01-06\n'
BAD_INPUT, UNREACHABLE, NOT_SATISFIED = 2, 3, 1


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with activities and a rigger."""
    return written(tmp_path / "project", activities=HEAD + ROWS, resources="resource,amount\nrigger,1\n")


def test_a_project_is_printed_with_what_drives_it(project: Path, command: Command) -> None:
    shown = command("schedule", project, "--level", "--risk", 200).stdout

    assert "activities.csv: 3 activities, 2 links, from 2027-01-04 08:00" in shown
    assert "finish 2027-01-11 10:00, 7.1 days after the first start" in shown
    assert "with unlimited resources 2027-01-07 10:00" in shown
    assert "lower bound" in shown
    assert "rigger from A, 2.0 d later than its links allow" in shown
    assert "B FS +2.0 h on standard" in shown
    assert "of 200 samples, seed 1, each with its resources, in the order of this schedule" in shown


def test_a_project_as_json_has_dates_chain_bound_and_odds(project: Path, command: Command) -> None:
    document = json.loads(command("schedule", project, "--level", "--risk", 200, "--seed", 4, "--json").stdout)

    assert document["finish"] == "2027-01-11T10:00:00+01:00"
    assert document["unit"] == "hour"
    assert [step["id"] for step in document["chain"]] == ["A", "B", "C"]
    assert document["chain"][1]["driven_by"] == {
        "id": "A",
        "type": "FS",
        "lag": 0,
        "calendar": "continuous",
        "resource": "rigger",
        "waits": 16,
    }
    assert {row["id"]: row["total_float"] for row in document["activities"]} == {"A": 0, "B": 0, "C": 0}
    assert document["levelling"]["seed"] == 4
    assert 0 < document["levelling"]["lower_bound"] <= document["makespan"]
    assert document["odds"]["resources"] == "kept"
    assert document["odds"]["p50"]["low"] <= document["odds"]["p50"]["finish"] <= document["odds"]["p80"]["finish"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("id,duration,predecessors\nA,1d,C\nB,1d,A\nC,1d,B\n", "run in a circle: A -> B -> C -> A"),
        ("id,duration\nA,5x\n", "activities.csv:4: duration: '5x' is no length of time"),
        ("id,duration,calendar\nA,5d,nights\n", "there is no calendar 'nights'"),
        ("id,duration,resources\nA,5d,crane\n", "there is no resource 'crane'"),
        ('id,duration\nA,"5d\n', "this does not read as CSV"),
    ],
)
def test_a_wrong_file_is_bad_input_and_prints_no_dates(tmp_path: Path, command: Command, rows: str, said: str) -> None:
    folder = written(tmp_path / "wrong", activities=HEAD + rows)

    for verb in ("schedule", "quality"):
        done = command(verb, folder, "--json")
        assert (done.returncode, done.stdout) == (BAD_INPUT, "")
        assert said in done.stderr


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("A,5d,2027-02-02,", "the actual start is after the data date"),
        ("A,5d,2027-01-08,2027-01-05", "has finished before its actual start"),
    ],
)
def test_progress_that_cannot_be_true_is_bad_input(tmp_path: Path, command: Command, row: str, said: str) -> None:
    head = HEAD + "data date,2027-02-01\nid,duration,actual start,actual finish\n"
    folder = written(tmp_path / "wrong", activities=head + row + "\n")

    done = command("schedule", folder)

    assert (done.returncode, done.stdout) == (BAD_INPUT, "")
    assert said in done.stderr


def test_a_file_that_is_not_there_cannot_be_reached(tmp_path: Path, command: Command) -> None:
    assert command("schedule", tmp_path / "none.csv").returncode == UNREACHABLE


def test_a_project_needs_no_site(project: Path, command: Command) -> None:
    assert command("quality", project, cwd=project).returncode == NOT_SATISFIED


def test_quality_of_a_file_names_what_fails_and_ends_with_1(project: Path, command: Command) -> None:
    done = command("quality", project, "--json")
    document = json.loads(done.stdout)

    checks = {check["id"]: check for check in document["checks"]}
    assert done.returncode == NOT_SATISFIED
    assert "dcma-03" in done.stderr
    assert checks["dcma-03"]["offenders"] == ["A -> C FS+2h", "B -> C FS+2h"]
    assert checks["dcma-10"]["offenders"] == ["C"]
    assert checks["dcma-13"]["verdict"] == "fail"
    assert checks["dcma-11"]["because"] == "nothing is known of progress: there is no data date"
    assert [practice["number"] for practice in document["practices"]] == list(range(1, 11))


def test_quality_of_the_plan_of_a_folder(site: Path, command: Command) -> None:
    done = command("quality", "--site", site)

    assert done.returncode == NOT_SATISFIED
    assert "the plan of site:" in done.stdout
    assert "there is no baseline" in done.stdout.replace("\n", " ")


def test_quality_of_the_plan_in_force_counts_progress_and_the_named_baseline(adopted: Path, command: Command) -> None:
    done = command(
        "plan", "adopt", "--baseline", "contract", "--reason", "signed", "--site", adopted, "--as", "owner", "--yes"
    )
    assert "(contract, revision 2)" in done.stderr  # and not the one that it replaced

    document = json.loads(command("quality", "--site", adopted, "--json").stdout)

    checks = {check["id"]: check for check in document["checks"]}
    assert document["schedule"] == "the plan in force at site"
    assert checks["dcma-09"]["verdict"] == "pass"
    assert checks["dcma-13"]["value"] > 0
    assert checks["gao-10-baseline"]["verdict"] == "pass"
