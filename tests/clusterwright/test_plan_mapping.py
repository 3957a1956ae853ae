"""The plan of another program comes in through a mapping: written by names, checked by a person, and judged like every import."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from schedule.exchange.writing import Form, write_exchange
from tests.commands import called
from tests.conftest import Command, adopt_site, last_event
from tests.once import Once
from tests.schedule.judges import judges
from tests.schedule.other_plans import WRITERS, other_plan, written_by_mpxj
from tests.schedule.test_exchange_reading import FOREIGN

no_mpxj = next(judge.missing for judge in judges() if judge.name == "MPXJ Primavera")
needs_mpxj = pytest.mark.skipif(bool(no_mpxj), reason=no_mpxj or "installed")
P6_FILES = [FOREIGN / "percent-complete-8.4.xer", FOREIGN / "percent-complete-8.4.pmxml"]
BAD_INPUT = 2
BY_TITLE = """theirs,ours
Design the compute fabric,036@site
Work out what one server draws,071@site
Server draw at its worst,071@site
Mount PDUs in every rack,086@pod-001
Paint the floor of the data hall,new
Label ends of every power cord,089@pod-001
Steering committee,none
"""
P6_MAPPING = "theirs,ours\nA1010,036@site\nA1050,071@site\nA1060,071@site\nA1000,034@pod-001\nUnits 0%,none\n"


def asked(site: Path, file: Path, mapping: Path, *more: str) -> dict[str, Any]:
    """Return what --json says."""
    done = called(["import", "schedule", file, "--map", mapping, "--site", site, "--as", "owner", "--json", *more])
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def written(folder: Path, form: Form) -> Path:
    """Return the other plan in a file: as MPXJ writes it, and as a workbook."""
    if form in WRITERS:
        return written_by_mpxj(other_plan(), folder, form)
    path = folder / f"theirs.{form}"
    write_exchange(other_plan(), path, form)
    return path


def mapping_of(folder: Path, text: str) -> Path:
    """Return a mapping that a person wrote."""
    path = folder / "map.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_first_mapping_is_written_by_names_with_its_confidence(adopted: Path, tmp_path: Path) -> None:
    """What is not sure is left open with what is nearest; nothing is recorded, and a mapping that is there is kept."""
    file, mapping, before = written(tmp_path, Form.XLSX), tmp_path / "our map.csv", last_event(adopted)

    done = called(["import", "schedule", file, "--map", mapping, "--site", adopted])

    assert done.returncode == 0, done.stderr
    with mapping.open(encoding="utf-8-sig", newline="") as lines:
        rows = {row["theirs"]: row for row in csv.DictReader(lines)}
    assert {name: row["ours"] for name, row in rows.items()} == {
        "D1000": "036@site",
        "D1010": "071@site",
        "D1020": "",
        "B1000": "086@pod-001",
        "B1010": "",
        "B1020": "089@pod-001",
        "B1030": "001@site#gpu-server",
        "M1": "",
    }
    assert 0.6 <= float(rows["D1000"]["confidence"]) < float(rows["D1010"]["confidence"]) < 1
    assert rows["D1020"]["why"] == "near 071@site, which D1010 is rather"
    assert float(rows["B1010"]["confidence"]) < 0.6
    assert "5 are filled in" in done.stderr
    assert "3 are left open" in done.stderr
    assert last_event(adopted) == before
    text = mapping.read_text()
    printed = called([*shlex.split(done.stdout)[1:], "--site", adopted, "--as", "owner"])
    assert "not mapped yet, 3 of theirs" in printed.stderr
    assert mapping.read_text() == text


@needs_mpxj
@pytest.mark.parametrize("form", [*WRITERS, Form.XLSX])
def test_progress_dates_and_new_work_of_another_plan_are_shown_and_recorded_on_request(
    form: Form, adopted: Path, tmp_path: Path
) -> None:
    """Two of theirs are one of ours: it has begun with the first, and its progress is that of the work of both."""
    file, mapping, before = written(tmp_path, form), mapping_of(tmp_path, BY_TITLE), last_event(adopted)

    found = asked(adopted, file, mapping)

    said = [(one["what"], one["id"], one["now"], one["refusal"]) for one in found["changes"]]
    assert said[:4] == [
        ("started", "036@site", "2026-11-23 09:00", None),
        ("progress", "036@site", "40 %", None),
        ("started", "071@site", "2026-11-23 10:00", None),
        ("progress", "071@site", "20 %", None),
    ]
    assert said[4:6] == [
        ("planned", "086@pod-001", "2027-05-03 to 2027-05-14, 80 h", None),
        ("planned", "089@pod-001", "2027-05-20 to 2027-05-21, 16 h", None),
    ]
    new = found["changes"][6]
    assert (new["what"], new["title"]) == ("new activity", "Paint the floor of the data hall")
    assert new["now"] == "24 h after 086@pod-001 before 089@pod-001"
    assert len(found["left_out"]) == 1
    assert [one["title"] for one in found["undecided"]] == ["Order GPU servers"]
    assert last_event(adopted) == before
    done = called(
        ["import", "schedule", file, "--map", mapping, "--site", adopted, "--as", "owner", "--record"],
    )
    assert done.returncode == 0, done.stderr
    assert "7 recorded (2 started, 2 progress, 2 planned, 1 new activity), 0 refused" in done.stderr
    with open_snapshot(adopted) as snapshot:
        row = require_activity(snapshot, "071@site")
    assert (row.state, row.percent) == (State.IN_PROGRESS, 20)
    assert (
        "planned 2027-05-03 to 2027-05-14, 80 h instead of" in called(["show", "086@pod-001", "--site", adopted]).stdout
    )


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("D1000,036@sit", "map.csv:2: ours: our plan has no activity '036@sit'"),
        ("D1000,nothing", "write one of ours, none or new"),
        ("D9999,none", "map.csv:2: theirs: the schedule has no activity 'D9999'"),
        ("D1000,none\nDesign the compute fabric,036@site", "map.csv:3: theirs: 'D1000' is on line 2 already"),
        (",036@site", "map.csv:2: theirs: the activity of theirs is missing"),
        ("Mount it,036@site", "map.csv:2: theirs: 'Mount it' is the title of 2 activities write the id: E1, E2"),
    ],
)
def test_a_wrong_line_of_a_mapping_is_named(lines: str, says: str, adopted: Path, tmp_path: Path) -> None:
    file = tmp_path / "theirs.csv"
    write_exchange(other_plan(), file, Form.CSV)
    file.write_text(file.read_text("utf-8-sig") + "E1,Mount it\nE2,Mount it\n", encoding="utf-8")
    mapping = mapping_of(tmp_path, f"theirs,ours\n{lines}\n")

    done = called(["import", "schedule", file, "--map", mapping, "--site", adopted, "--as", "owner", "--record"])

    assert done.returncode == BAD_INPUT
    assert says in " ".join(done.stderr.split())


def test_nothing_is_recorded_by_a_mapping_that_nobody_has_seen(adopted: Path, tmp_path: Path) -> None:
    file = written(tmp_path, Form.XLSX)

    done = called(["import", "schedule", file, "--map", "none.csv", "--site", adopted, "--record"], cwd=tmp_path)

    assert done.returncode == BAD_INPUT
    assert "none.csv: there is no mapping yet" in done.stderr
    assert not (tmp_path / "none.csv").exists()


def test_new_work_becomes_a_draft_of_a_step_that_a_person_adopts(adopted: Path, tmp_path: Path) -> None:
    """The draft passes the lint and is planned. Once the mapping names its activity, the work is no longer new."""
    file, mapping = written(tmp_path, Form.XLSX), mapping_of(tmp_path, BY_TITLE)
    catalog = adopted / "catalog"
    words = ["import", "schedule", file, "--map", mapping, "--site", adopted, "--as", "owner"]

    done = called([*words, "--new-steps", catalog])

    draft = catalog / "X01_paint_the_floor_of_the_data_hall.yaml"
    assert f"{draft}: a draft of B1010 'Paint the floor of the data hall'" in done.stderr
    assert "X01@site for B1010" in done.stderr
    assert "it comes before 089@pod-001" in draft.read_text()
    lint = called(["catalog", "lint", draft], cwd=adopted)
    assert lint.returncode == 0, lint.stdout
    assert called(["plan", "adopt", "--site", adopted, "--as", "owner", "--yes"]).returncode == 0
    with open_snapshot(adopted) as snapshot:
        plan = require_activity(snapshot, "X01@site").plan
    assert (plan.title, plan.duration.m, plan.phase) == ("Paint the floor of the data hall", 24, "power")
    mapping.write_text(BY_TITLE.replace("hall,new", "hall,X01@site"))
    assert "new activity" not in {one["what"] for one in asked(adopted, file, mapping)["changes"]}


def test_the_plan_of_another_program_says_what_to_do_without_a_mapping(adopted: Path, tmp_path: Path) -> None:
    done = called(["import", "schedule", written(tmp_path, Form.XLSX), "--site", adopted, "--as", "owner"])

    assert done.returncode == BAD_INPUT
    assert "`--map FILE.csv`: it writes a first mapping" in " ".join(done.stderr.split())


@pytest.mark.skipif(not FOREIGN.is_dir(), reason=f"no files of other programs at {FOREIGN}")
@pytest.mark.parametrize("file", P6_FILES, ids=lambda path: path.suffix)
def test_a_file_that_p6_wrote_is_taken_in(file: Path, once: Once, tmp_path: Path, command: Command) -> None:
    """Of P6 8.4, with percentages of the duration, of physical work and of units. Its site began when the plan did."""
    made = once("adopted-2015", lambda folder: adopt_site(folder / "site", "2015-02-23")) / "site"
    site, mapping = tmp_path / "site", mapping_of(tmp_path, P6_MAPPING)
    shutil.copytree(made, site)

    found = asked(site, file, mapping)

    said = [(one["what"], one["id"], one["now"], one["refusal"]) for one in found["changes"]]
    assert said == [
        ("started", "036@site", "2015-02-24 08:00", None),
        ("started", "071@site", "2015-02-24 08:00", None),
        ("progress", "036@site", "25 %", None),
        ("progress", "071@site", "50 %", None),
        ("planned", "034@pod-001", "2015-02-24 to 2015-07-13, 800 h", None),
    ]
    done = command("import", "schedule", file, "--map", mapping, "--site", site, "--as", "owner", "--record")
    assert done.returncode == 0, done.stderr
    with open_snapshot(site) as snapshot:
        rows = [require_activity(snapshot, name) for name in ("036@site", "071@site")]
    assert [(row.state, row.percent) for row in rows] == [(State.IN_PROGRESS, 25), (State.IN_PROGRESS, 50)]
