"""`import results`: what other programs' tests found becomes readings, by a mapping that a person writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ledger.questions.records import evidence, measurements
from ledger.reading import open_snapshot
from tests.commands import called
from tests.conftest import Ended, project_time_at

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
ENDED = datetime(2026, 11, 26, 10, 30, tzinfo=UTC)
SWITCHES, ORDERED = "049@pod-001", "040@site"
HOST = "pod-001-leaf-01"
COLUMNS = "test,activity,metric,unit,value,item,evidence\n"


@pytest.fixture(autouse=True)
def _now() -> Iterator[None]:
    """Let it be the fourth day of the sites."""
    with project_time_at(NOW):
        yield


@pytest.fixture
def begun(adopted: Path) -> Path:
    """A site where people look at switches, which is early."""
    for activity in (SWITCHES, ORDERED):
        words = ("start", activity, "--out-of-sequence", "hall 1 was early", "--at", "2026-11-26T08:00+00:00")
        done = run(adopted, *words)
        assert not done.returncode, done.stderr
    return adopted


def run(site: Path, *words: object) -> Ended:
    """Call a command at a site as its owner."""
    return called([*words, "--site", site, "--as", "owner"])


def machine(name: str, code: int, output: str, at: datetime = ENDED) -> dict[str, Any]:
    """Return a result as Infra Controller's API has it."""
    return {
        "name": name,
        "description": "",
        "context": "OnDemand",
        "command": "/opt/benchmark",
        "args": "",
        "stdOut": output,
        "stdErr": "",
        "exitCode": code,
        "validationId": "6b0c1b5e-5d0e-4b32-8d0a-8f5c2d6f1a11",
        "startTime": "2026-11-26T10:00:00Z",
        "endTime": at.isoformat(),
    }


def ctrf(*tests: dict[str, Any]) -> dict[str, Any]:
    """Return a report as AICR writes it."""
    stop = int(ENDED.timestamp() * 1000)
    summary = {"tests": len(tests), "passed": 0, "failed": 0, "skipped": 0, "pending": 0, "other": 0}
    results = {
        "tool": {"name": "aicr", "version": "1.3.0"},
        "summary": summary | {"start": stop - 60_000, "stop": stop},
        "tests": [{"duration": 1000, "suite": ["performance"]} | test for test in tests],
    }
    return {"reportFormat": "CTRF", "specVersion": "0.0.1", "generatedBy": "aicr", "results": results}


def written(site: Path, name: str, what: object) -> Path:
    """Return a file beside a site."""
    path = site.parent / name
    path.write_text(what if isinstance(what, str) else json.dumps(what), encoding="utf-8")
    return path


def test_a_machines_validation_becomes_readings_of_its_host_at_their_time(begun: Path) -> None:
    found = [
        machine("Alarms", 1, "fan 3", datetime(2026, 11, 26, 9, tzinfo=UTC)),
        machine("Alarms", 0, "none"),
        machine("Supplies", 0, "supplies with power: 2"),
        machine("Airflow", 0, ""),
        machine("Reachable", 0, "Skipped: the run is no longer active"),
    ]
    file = written(begun, "machine.json", found)
    lines = (
        f"Alarms,{SWITCHES},switch.hardware_alarms,count,failures,,health-report\n"
        f"Supplies,{SWITCHES},switch.supplies_ok,count,: ([0-9]+),,\n"
        f"Airflow,{ORDERED},order.airflow_matches_aisle,,passed,,\n"
        f"Reachable,{SWITCHES},switch.hardware_alarms,count,failures,,\n"
        f"Another,{SWITCHES},switch.hardware_alarms,count,failures,,\n"
    )
    words = ("import", "results", file, "--map", written(begun, "map.csv", COLUMNS + lines), "--item", HOST)

    seen = run(begun, *words)
    with open_snapshot(begun) as snapshot:
        assert not measurements(snapshot, SWITCHES), "nothing is recorded without --record"
    taken = run(begun, *words, "--record")
    again = run(begun, *words, "--record", "--json")

    assert (seen.returncode, taken.returncode) == (0, 1), taken.stdout
    assert "the test came to no verdict: skipped" in taken.stdout
    assert "earlier results of the same tests: 1, not read" in taken.stderr
    with open_snapshot(begun) as snapshot:
        found_now = [*measurements(snapshot, SWITCHES), *measurements(snapshot, ORDERED)]
        kept = [(one.kind, one.name) for one in evidence(snapshot, SWITCHES)]
    said = "Infra Controller, {}, machine.json".format
    assert [(m.metric, m.value, m.unit, m.item, m.at, m.source) for m in found_now] == [
        ("switch.hardware_alarms", 0, "count", HOST, ENDED, said("Alarms")),
        ("switch.supplies_ok", 2, "count", HOST, ENDED, said("Supplies")),
        ("order.airflow_matches_aisle", True, "bool", HOST, ENDED, said("Airflow")),
    ]
    assert kept == [("health-report", "machine.json")]
    assert json.loads(again.stdout)["recorded"] == 0, "it is in the record already"
    with open_snapshot(begun) as snapshot:
        assert len(evidence(snapshot, SWITCHES)) == 1


def test_a_report_of_aicr_gives_figures_from_what_its_tests_print(begun: Path) -> None:
    report = ctrf(
        {"name": "leaf-switches", "status": "passed", "stdout": ["ranks 256", "# Switches : 96 OK"]},
        {"name": "expected-resources", "status": "other", "message": "OOMKilled"},
    )
    file, target = written(begun, "report.json", report), begun.parent / "aicr.csv"

    first = run(begun, "import", "results", file, "--map", target)
    assert "Fill in which criterion each answers" in first.stderr
    listed = target.read_text(encoding="utf-8").splitlines()
    assert [line.partition(",")[0] for line in listed] == ["test", "leaf-switches", "expected-resources"]

    target.write_text(
        COLUMNS + f'leaf-switches,{ORDERED},order.leaf_switches,count,"Switches : (\\d+)",,\n',
        encoding="utf-8",
    )
    done = run(begun, "import", "results", file, "--map", target, "--record")

    assert done.returncode == 0, done.stdout
    with open_snapshot(begun) as snapshot:
        (read,) = measurements(snapshot, ORDERED)
    assert (read.metric, read.value, read.at, read.source) == (
        "order.leaf_switches",
        96,
        ENDED,
        "aicr 1.3.0, leaf-switches, report.json",
    )


def test_a_file_that_is_refused_as_evidence_is_attached_once_its_kind_is_right(begun: Path) -> None:
    file = written(begun, "machine.json", [machine("Alarms", 0, "none")])
    line = f"Alarms,{SWITCHES},switch.hardware_alarms,count,failures,{HOST},"
    maps = [written(begun, f"{kind}.csv", f"{COLUMNS}{line}{kind}\n") for kind in ("serial-scans", "serial-scan")]

    done = [run(begun, "import", "results", file, "--map", target, "--record") for target in maps]

    assert "recorded; the file is not attached: " in done[0].stdout
    assert "did you mean" in done[0].stdout
    assert [one.returncode for one in done] == [1, 0]
    with open_snapshot(begun) as snapshot:
        assert len(measurements(snapshot, SWITCHES)) == 1
        assert [one.kind for one in evidence(snapshot, SWITCHES)] == ["serial-scan"]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("[0-9", "is no regular expression"),
        ("bandwidth", "has 0 groups"),
        ("busbw ([0-9.]+)", "the output of the test does not have it"),
        ("([0-9.]+)", "the output of the test has 2 that differ"),
    ],
)
def test_a_figure_that_is_not_one_is_refused(begun: Path, value: str, why: str) -> None:
    file = written(begun, "report.json", ctrf({"name": "bw", "status": "passed", "stdout": ["388.1 of 400"]}))
    target = written(begun, "map.csv", COLUMNS + f"bw,{ORDERED},order.leaf_switches,count,{value},,\n")

    done = run(begun, "import", "results", file, "--map", target, "--record")

    assert done.returncode == 1
    assert why in done.stdout


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("", ""),
        ("[]", ""),
        ("[]x", ""),
        ("\x00", ""),
        ('{"results": 3}', "results"),
        ('{"results": {"tests": []}}', "results.tool"),
        ('[{"name": "a"}]', "0.exitCode"),
        ('{"results": {"tool": {"name": "a"}, "tests": [{"name": "b", "status": "passed", "stop": 1e30}]}}', "stop"),
    ],
)
def test_what_has_no_results_is_said(adopted: Path, content: str, where: str) -> None:
    done = run(adopted, "import", "results", written(adopted, "report.json", content), "--map", "map.csv")

    assert done.returncode == 2
    assert "this has no results of tests" in done.stderr
    assert where in done.stderr
