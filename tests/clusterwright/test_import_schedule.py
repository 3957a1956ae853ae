"""`import schedule`: what another program changed is shown as proposals, judged by the rules, and recorded only on request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from ledger.questions.case import require_activity
from ledger.questions.orders import require_order
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from schedule.exchange.primavera import ID_FIELD
from schedule.exchange.writing import Form, write_exchange
from tests.commands import called
from tests.schedule.exchanges import small
from tests.schedule.judges import judges
from tests.schedule.mpxj_files import progressed_by_mpxj

pytestmark = pytest.mark.usefixtures("second_day")
no_mpxj = next(judge.missing for judge in judges() if judge.name == "MPXJ Primavera")
WRITERS = {
    Form.MSPDI: "mspdi.MSPDIWriter",
    Form.PMXML: "primavera.PrimaveraPMFileWriter",
    Form.XER: "primavera.PrimaveraXERFileWriter",
}
READY, MEASURED, LATER = "036@site", "071@site", "034@pod-001"
ORDER = "001@site#gpu-server"
STARTED = datetime(2026, 11, 23, 9)  # noqa: DTZ001 - files have no offsets


def exported(site: Path, name: str) -> Path:
    """Return the schedule of a site in a file beside it."""
    path = site.parent / name
    done = called(["export", "schedule", path, "--site", site])
    assert done.returncode == 0, done.stderr
    return path


def events(site: Path) -> int:
    """Return how many events are recorded."""
    with open_snapshot(site) as snapshot:
        (number,) = snapshot.first("SELECT count(*) FROM event")
        return int(number)


def document(site: Path, file: Path, *more: str) -> dict[str, Any]:
    """Return what --json says."""
    done = called(["import", "schedule", file, "--site", site, "--as", "owner", "--json", *more])
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def changed(site: Path, cells: Mapping[str, Mapping[str, object]], new: Mapping[str, object] | None = None) -> Path:
    """Return a workbook in which a person filled in cells, by the activity's id and the column."""
    path = exported(site, "plan.xlsx")
    book = load_workbook(path)
    sheet = book["Schedule"]
    column = {str(cell.value): number for number, cell in enumerate(sheet[1], start=1)}
    row = {str(sheet.cell(number, 1).value): number for number in range(2, sheet.max_row + 1)}
    for name, values in (*cells.items(), *([("", new)] if new else [])):
        at = row.get(name, sheet.max_row + (not name))
        for what, value in values.items():
            sheet.cell(at, column[what]).value = value  # type: ignore[assignment]  # what a person types
    book.save(path)
    return path


@pytest.mark.parametrize("form", [form for form in Form if form is not Form.ICS])
def test_a_file_that_nobody_changed_proposes_nothing(form: Form, adopted: Path) -> None:
    """Also when more was recorded since the export: what nobody changed in the file is no proposal to take it back."""
    path = exported(adopted, f"plan.{form}")
    assert document(adopted, path)["changes"] == []

    assert called(["start", READY, "--site", adopted, "--as", "owner"]).returncode == 0

    assert document(adopted, path)["changes"] == []


@pytest.mark.skipif(bool(no_mpxj), reason=no_mpxj or "installed")
@pytest.mark.parametrize("form", list(WRITERS))
def test_progress_from_another_program_is_shown_and_recorded_only_on_request(form: Form, adopted: Path) -> None:
    """MPXJ reads the export, fills in an actual start and 40 %, and writes the file by its own writer."""
    path = exported(adopted, f"plan.{form}")
    theirs = path.with_name(f"theirs.{form}")
    progressed_by_mpxj(path, theirs, WRITERS[form], id_field=ID_FIELD, name=READY, started=STARTED)
    before = events(adopted)

    found = document(adopted, theirs)

    said = [(one["what"], one["id"], one["now"], one["refusal"]) for one in found["changes"]]
    assert said == [("started", READY, "2026-11-23 09:00", None), ("progress", READY, "40 %", None)]
    assert events(adopted) == before
    done = called(["import", "schedule", theirs, "--site", adopted, "--as", "owner", "--record"])
    assert done.returncode == 0, done.stderr
    assert "2 recorded (1 started, 1 progress), 0 refused" in done.stderr
    with open_snapshot(adopted) as snapshot:
        row = require_activity(snapshot, READY)
    assert (row.state, row.percent) == (State.IN_PROGRESS, 40)
    assert row.started_at is not None
    assert row.started_at.isoformat() == "2026-11-23T09:00:00+00:00"
    again = {one["what"] for one in document(adopted, theirs)["changes"]}
    assert not again & {"started", "progress"}


def test_dates_durations_and_new_activities_become_promises_and_comments(adopted: Path) -> None:
    """What the rules refuse is named with its reason, and the rest is recorded at once."""
    cells: dict[str, dict[str, object]] = {
        MEASURED: {"actual start": STARTED, "actual finish": datetime(2026, 11, 23, 15)},  # noqa: DTZ001 - local
        ORDER: {"actual finish": STARTED},
        f"{ORDER}/1": {"finish": datetime(2027, 9, 1)},  # noqa: DTZ001 - local
        LATER: {"duration h": 500},
    }
    new = {"id": "NEW-1", "title": "Paint the floor", "duration h": 16, "predecessors": LATER}
    path = changed(adopted, cells, new)
    words = ["import", "schedule", path, "--site", adopted, "--as", "owner", "--record"]

    done = called([*words, "--out-of-sequence", "bought before"])

    assert done.returncode == 1
    assert f"refused: {MEASURED}: finished 2026-11-23 15:00" in done.stdout
    assert "not measured" in done.stdout
    assert "5 recorded" in done.stderr
    assert "P50" in done.stderr
    with open_snapshot(adopted) as snapshot:
        order = require_order(snapshot, ORDER)
    assert order.placed_at is not None
    assert order.tranches[0].promised is not None
    assert order.tranches[0].promised.isoformat() == "2027-09-01"
    shown = called(["show", LATER, "--site", adopted]).stdout
    assert "duration 500 h instead of" in shown
    assert "new activity NEW-1 'Paint the floor', 16 h after 034@pod-001" in shown
    next_week = path.rename(path.with_name("next week.xlsx"))
    again = {one["what"] for one in document(adopted, next_week)["changes"]}
    assert again == {"finished"}, "what was proposed last week is no comment of this week"


def test_without_record_a_person_sees_what_would_be_recorded_and_what_not(adopted: Path) -> None:
    """Of a workbook each line is known: the document has it."""
    before = events(adopted)
    path = changed(adopted, {READY: {"actual start": STARTED}, f"{ORDER}/1": {"finish": datetime(2027, 9, 1)}})  # noqa: DTZ001 - local

    done = called(["import", "schedule", path, "--site", adopted, "--as", "owner"])

    assert done.returncode == 0
    assert "Nothing is recorded. `--record` records what is allowed." in done.stderr
    assert f"refused: {ORDER}/1: promised 2027-09-01 00:00" in done.stdout
    assert "how servers, leaves and spines hang" in " ".join(done.stdout.split()), "no title is cut"
    assert events(adopted) == before
    lines = {one["id"]: one["line"] for one in document(adopted, path)["changes"]}
    sheet = load_workbook(path)["Schedule"]
    assert {name: sheet.cell(line, 1).value for name, line in lines.items()} == {name: name for name in lines}


@pytest.mark.parametrize("form", [Form.MSPDI, Form.XER, Form.XLSX])
def test_the_file_of_another_project_is_refused(form: Form, adopted: Path, tmp_path: Path) -> None:
    write_exchange(small(), tmp_path / f"small.{form}", form)

    done = called(["import", "schedule", tmp_path / f"small.{form}", "--site", adopted, "--as", "owner", "--record"])

    assert done.returncode == 2
    assert "the file has no activity of this site" in done.stderr
    assert "ids must stay as they are" in done.stderr


def test_a_date_in_the_future_is_refused_by_the_rules(adopted: Path) -> None:
    path = changed(adopted, {READY: {"actual start": datetime(2199, 1, 1)}})  # noqa: DTZ001 - local

    (one,) = document(adopted, path)["changes"]

    assert "future" in one["refusal"]
