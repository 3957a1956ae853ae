"""`export sheet` and `import sheet`: right lines are recorded at once, wrong ones come back with the reason in their row."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import load_workbook

from clusterwright.planning import plan_of
from ledger.questions.case import require_activity
from ledger.questions.checks import latest_entries
from ledger.questions.orders import require_tranche, serials
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.writing import Ledger
from schedule.csv_lines import numbered_rows, write_rows
from tests.commands import called
from tests.conftest import Ended, project_time_at
from tests.needs import needs

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
STARTED = datetime(2026, 11, 25, 9)  # noqa: DTZ001 - files have no offsets
RACKS, GATE, FITTING, AISLES = "H08@pod-001", "141@site", "018@pod-001", "105@pod-001"
SERVERS, CABLES = "001@site#gpu-server/1", "045@site#server-cable/1"
WHY = {"why out of sequence": "the crew was free"}
Cells = Mapping[tuple[str, str], Mapping[str, object]]
"""What is filled in, by the page and the id of a line, then by column."""


def run(site: Path, *words: object, who: str = "owner") -> Ended:
    """Call a command at a site as a person."""
    return called([*words, "--site", site, *(() if words[0] == "export" else ("--as", who))])


@pytest.fixture(scope="module", autouse=True)
def _now() -> Iterator[None]:
    """Let it be the fourth day of the sites."""
    with project_time_at(NOW):
        yield


def exported(site: Path, name: str, *more: object) -> Path:
    """Return a new sheet of a site, in a file beside it."""
    done = run(site, "export", "sheet", site.parent / name, *more)
    assert done.returncode == 0, done.stderr
    assert f"`clusterwright import sheet {shlex.quote(str(site.parent / name))}`" in done.stderr
    return site.parent / name


def rack(number: int) -> str:
    """Return the id of the line about a rack."""
    return f"{RACKS} hall-1/row-02/rack-{number:02}"


def fill_in(path: Path, cells: Cells) -> Path:
    """Fill in cells, in a workbook or a CSV."""
    if path.suffix == ".csv":
        rows = [row for _, row in numbered_rows(path.read_bytes(), str(path))]
        header = next(row for row in rows if row[0] == "id")
        for (_, name), values in cells.items():
            row = next(row for row in rows if row[0] == name)
            for column, value in values.items():
                row[header.index(column)] = str(value)
        with path.open("w", encoding="utf-8", newline="") as file:
            write_rows(file, rows)
        return path
    book = load_workbook(path)
    for (page, name), values in cells.items():
        sheet = book[page]
        columns = {str(cell.value): number for number, cell in enumerate(sheet[1], start=1)}
        at = next(number for number in range(2, sheet.max_row + 1) if sheet.cell(number, 1).value == name)
        for column, value in values.items():
            sheet.cell(at, columns[column]).value = value  # type: ignore[assignment]  # what a person types
    book.save(path)
    return path


def document(site: Path, sheet: Path, *more: str, who: str = "owner") -> dict[str, Any]:
    """Return what --json says of a sheet."""
    done = run(site, "import", "sheet", sheet, "--json", *more, who=who)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refusals(found: Mapping[str, Any]) -> dict[str, str]:
    """Return the refusals by the ids of their lines."""
    return {row["id"]: " | ".join(row["refusals"]) for row in found["rows"] if row["refusals"]}


def events(site: Path) -> int:
    """Return how many events are recorded."""
    with open_snapshot(site) as snapshot:
        return int(snapshot.first("SELECT count(*) FROM event")[0])


class Returned(NamedTuple):
    """A site with a sheet that came back and was recorded, and what the command said."""

    site: Path
    sheet: Path
    found: dict[str, Any]
    events_before: int


def copied(adopted_once: Path, folder: Path) -> Path:
    """Return a site of its own."""
    return Path(shutil.copytree(adopted_once, folder / "site"))


@pytest.fixture(scope="module")
def returned(adopted_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Returned:
    """A sheet with right lines, wrong ones, and one that nobody may record."""
    site = copied(adopted_once, tmp_path_factory.mktemp("returned"))
    assert run(site, "start", FITTING, "--out-of-sequence", "early").returncode == 0
    sheet = exported(site, "all.xlsx")
    cells: dict[tuple[str, str], dict[str, object]] = {
        ("Work", RACKS): {"started": STARTED, "percent": 40, "note": "+1 crew", **WHY},
        ("Work", GATE): {"started": "31.11.2026"},
        ("Work", AISLES): {"started": STARTED},
        ("Work", FITTING): {"percent": 0.4},
        ("Items", rack(1)): {"result": "pass", "rack.bond_resistance [ohm]": 0.05, "serial": "RK-1"},
        ("Items", rack(2)): {"result": "fail", "note": "the door is bent"},
        ("Items", rack(3)): {"result": "fail"},
        ("Items", rack(4)): {"result": "maybe"},
        ("Items", rack(5)): {"result": "pass", "serial": "RK-5", "when": datetime(2026, 11, 26)},  # noqa: DTZ001 - local
        ("Items", rack(6)): {"result": "pass", "serial": "rk-5"},
        ("Items", "046@pod-001 C000001"): {"result": "pass"},
        ("Readings", f"{RACKS} rack.anchors_torqued_ratio"): {"value": 1, "source": "torque wrench 4"},
        ("Readings", f"{FITTING} drives.recorded_ratio"): {"value": "all"},
    }
    fill_in(sheet, cells)
    before = events(site)
    return Returned(site, sheet, document(site, sheet, "--record"), before)


WRONG = {
    GATE: "started: '31.11.2026' is not a date or time",
    AISLES: "if it happened all the same, say why out of sequence",
    FITTING: "percent: '0.4' is no whole number; write 40 for 40 %",
    rack(3): "note: hall-1/row-02/rack-03 failed, and nothing says why",
    rack(4): "result: the result is pass or fail, not 'maybe'",
    rack(6): "serial: the serial number rk-5 is at hall-1/row-02/rack-05 too",
    "046@pod-001 C000001": "046@pod-001 is blocked",
    f"{FITTING} drives.recorded_ratio": "drives.recorded_ratio",
}


def test_right_lines_are_recorded(returned: Returned) -> None:
    """Work, items and readings, at the times that the sheet says, with the work's start before what was seen at it."""
    with open_snapshot(returned.site) as snapshot:
        row = require_activity(snapshot, RACKS)
        checked = latest_entries(snapshot, row)
        read = snapshot.ask(
            "SELECT metric, value, source FROM measurement WHERE activity = :name AND item = ''", name=RACKS
        )

    assert row.started_at is not None
    assert row.started_at.isoformat() == "2026-11-25T09:00:00+00:00"
    assert row.percent == 40
    assert {item.rpartition("-")[2]: (not one.failing, one.serial) for item, one in checked.items()} == {
        "01": (True, "RK-1"),
        "02": (False, ""),
        "05": (True, "RK-5"),
    }
    assert read == [("rack.anchors_torqued_ratio", "1", "torque wrench 4")]


def test_each_wrong_line_is_named_in_its_row(returned: Returned) -> None:
    """In the document, and in a file of these lines alone, as they were filled in."""
    found = refusals(returned.found)
    assert found.keys() == WRONG.keys()
    for name, reason in WRONG.items():
        assert reason in found[name]

    book = load_workbook(returned.found["refused_file"])
    rows = [row for page in ("Work", "Items", "Readings") for row in book[page].iter_rows(min_row=2)]
    assert {str(row[0].value): row[1].value for row in rows} == found
    assert [row[8].value for row in book["Work"].iter_rows(min_row=2) if row[0].value == GATE] == ["31.11.2026"]
    assert book["Work"].column_dimensions["A"].hidden


def test_what_is_recorded_is_not_recorded_again(returned: Returned) -> None:
    """Somebody sends the same file twice, and somebody else opens it twice."""
    before = events(returned.site)

    again = document(returned.site, returned.sheet, "--record")

    assert events(returned.site) == before
    assert (again["recorded"], again["recorded_before"]) == (0, 5)
    assert refusals(again).keys() == WRONG.keys()


def test_a_percentage_may_have_its_sign(adopted: Path) -> None:
    """That is what people type. A spreadsheet keeps it as a share with a format, which reading makes the same text."""
    sheet = fill_in(exported(adopted, "our sheet.csv"), {("", RACKS): {"started": STARTED, "percent": "40 %", **WHY}})

    document(adopted, sheet, "--record")

    with open_snapshot(adopted) as snapshot:
        assert require_activity(snapshot, RACKS).percent == 40


def test_nothing_is_recorded_without_record(adopted: Path) -> None:
    """A person sees first what would be recorded, and no file appears."""
    cells: dict[tuple[str, str], dict[str, object]] = {
        ("", RACKS): {"started": STARTED, **WHY},
        ("", GATE): {"percent": "x"},
        ("", "H09@pod-001"): {"id": RACKS, "percent": 5},
    }
    sheet = fill_in(exported(adopted, "w.csv"), cells)
    before = events(adopted)

    done = run(adopted, "import", "sheet", sheet)

    assert done.returncode == 0
    assert "1 lines can be recorded (1 of work), 2 refused" in done.stderr
    assert re.search(r"H08@pod-001: line \d+ is about the same", done.stdout)
    assert "Nothing is recorded." in done.stderr
    assert events(adopted) == before
    assert not sheet.with_stem("w-refused").exists()


def test_refused_lines_are_corrected_in_the_file_that_came_back(adopted: Path) -> None:
    """As CSV too: what begins as a formula is text, and means what was typed."""
    sheet = fill_in(exported(adopted, "w.csv"), {("", GATE): {"started": "soon", "note": "=HYPERLINK(1)"}})
    back = Path(document(adopted, sheet, "--record")["refused_file"])
    assert ",'=HYPERLINK(1)" in back.read_text(encoding="utf-8")

    fill_in(back, {("", GATE): {"started": "2026-11-25 09:00"}})
    found = document(adopted, back, "--record")

    assert (found["recorded"], found["refused"]) == (1, 0)
    with open_snapshot(adopted) as snapshot:
        assert require_activity(snapshot, GATE).started_at is not None
        texts = snapshot.column("SELECT json_extract(payload, '$.text') FROM event WHERE kind = 'activity.commented'")
    assert texts == ["=HYPERLINK(1)"]


@pytest.fixture(scope="module")
def begun(adopted_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose racks are being set by one of two contractors."""
    site = copied(adopted_once, tmp_path_factory.mktemp("begun"))
    text = (site / "site.yaml").read_text(encoding="utf-8")
    for person, organisation in (("operator", "Steel Ltd"), ("reviewer", "Other Ltd")):
        before, found, after = text.partition(f"- id: {person}")
        text = before + found + after.replace('organisation: ""', f"organisation: {organisation}", 1)
    (site / "site.yaml").write_text(text, encoding="utf-8")
    with Ledger.open(site) as ledger:
        adopt_plan(ledger, "owner", plan_of(site), reason="contractors")
    assert run(site, "assign", RACKS, "--organisation", "Steel Ltd").returncode == 0
    assert run(site, "start", RACKS, "--out-of-sequence", "early").returncode == 0
    return site


def test_an_old_line_is_refused_and_says_what_was_recorded_since(begun: Path, tmp_path: Path) -> None:
    """Progress that is less, an item that was found otherwise, and a start that was taken back."""
    site = copied(begun, tmp_path)
    cells: dict[tuple[str, str], dict[str, object]] = {
        ("Work", RACKS): {"percent": 40},
        ("Work", GATE): {"started": STARTED},
        ("Items", rack(1)): {"result": "pass"},
        ("Items", rack(2)): {"result": "pass"},
    }
    sheet = fill_in(exported(site, "old.xlsx"), cells)
    for words in (
        ("progress", RACKS, "--percent", 70),
        ("check", "item", RACKS, "hall-1/row-02/rack-01", "--fail", "--note", "bent"),
        ("start", GATE),
    ):
        assert run(site, *words).returncode == 0
    assert run(site, "correct", events(site), "--reason", "not begun").returncode == 0

    found = document(site, sheet, "--record")

    reasons = refusals(found)
    assert reasons.keys() == {RACKS, GATE, rack(1)}
    assert re.match(
        r"percent: since the sheet was made owner on 2026-11-26 12:0\d recorded 70; write it into a new", reasons[RACKS]
    )
    assert re.match(
        r"owner recorded on 2026-11-26 12:0\d that it was taken back, after the sheet was made", reasons[GATE]
    )
    assert re.match(r"since then owner recorded on .* that hall-1/row-02/rack-01 failed; look at", reasons[rack(1)])
    assert found["recorded"] == 1


def test_a_line_is_the_importers_decision(begun: Path, tmp_path: Path) -> None:
    """Who may not check the racks of another contractor may not by a sheet either."""
    site = copied(begun, tmp_path)
    sheet = fill_in(exported(site, "racks.xlsx", RACKS), {("Items", rack(1)): {"result": "pass"}})
    assert document(site, sheet, who="operator")["allowed"] == 1
    assert run(site, "assign", RACKS, "--organisation", "Other Ltd").returncode == 0
    before = events(site)

    found = document(site, sheet, "--record", who="operator")

    assert events(site) == before
    assert "operator (Steel Ltd) may not report on it" in refusals(found)[rack(1)]


def test_a_contractors_sheet_has_their_work_and_takes_no_other(begun: Path, tmp_path: Path) -> None:
    """A line that was typed into it, or whose work went to another contractor since, is refused."""
    site = copied(begun, tmp_path)
    assert run(site, "assign", AISLES, "--organisation", "Steel Ltd").returncode == 0
    sheet = exported(site, "steel.xlsx", "--organisation", "Steel Ltd")
    assert {row[0].value for row in load_workbook(sheet)["Work"].iter_rows(min_row=2)} == {RACKS, AISLES}
    fill_in(sheet, {("Work", AISLES): {"id": GATE, "started": STARTED}, ("Work", RACKS): {"percent": 10}})
    assert run(site, "assign", RACKS, "--organisation", "Other Ltd").returncode == 0

    found = refusals(document(site, sheet))

    assert found.keys() == {GATE, RACKS}
    assert all("is not of Steel Ltd" in reason for reason in found.values())
    nobody = run(site, "export", "sheet", tmp_path / "x.xlsx", "--organisation", "Stel Ltd")
    assert (nobody.returncode, "nothing of Stel Ltd is open" in nobody.stderr) == (2, True)


def test_deliveries_are_received_by_quantity_and_by_serial_number(adopted: Path) -> None:
    """The pieces of a delivery are one receipt. A number twice, and one that a spreadsheet rounded, stay out of it."""
    orders = [name.partition("/")[0] for name in (SERVERS, CABLES)]
    placed = run(adopted, "order", *orders, "--out-of-sequence", "early", "--supplier", "Acme", "--reference", "PO-1")
    assert placed.returncode == 0, placed.stderr
    cells: dict[tuple[str, str], dict[str, object]] = {
        ("Deliveries", f"{SERVERS} {piece}"): {"serial": f"SN-{piece:02}"} for piece in range(1, 6)
    }
    cells["Deliveries", f"{SERVERS} 6"] = {"serial": "sn-01"}
    cells["Deliveries", f"{SERVERS} 7"] = {"serial": "1.23456789012346e+19"}
    cells["Deliveries", CABLES] = {"quantity": 100, "note": "one drum is wet"}
    sheet = fill_in(exported(adopted, "dock.xlsx", "--of", "deliveries"), cells)
    before = events(adopted)

    found = document(adopted, sheet, "--record")
    again = document(adopted, sheet, "--record")

    assert refusals(found).keys() == {f"{SERVERS} 6", f"{SERVERS} 7"}
    assert "rounded" in refusals(found)[f"{SERVERS} 7"]
    with open_snapshot(adopted) as snapshot:
        assert _came(snapshot) == (5, 100)
        assert serials(snapshot, SERVERS) == tuple(f"SN-{piece:02}" for piece in range(1, 6))
    assert events(adopted) == before + 2
    assert again["recorded"] == 0


def _came(snapshot: Snapshot) -> tuple[int, int]:
    came = [require_tranche(snapshot, name).received_quantity for name in (SERVERS, CABLES)]
    return int(came[0]), int(came[1])


def test_a_sheet_that_knows_later_events_than_the_record_is_refused_whole(adopted: Path) -> None:
    """It was made of another copy of the record."""
    sheet = exported(adopted, "racks.csv", RACKS, "--of", "items")
    text = sheet.read_text(encoding="utf-8-sig")
    sheet.write_text(re.sub("last event,.*", "last event,99999", text), encoding="utf-8")

    done = run(adopted, "import", "sheet", sheet)

    assert done.returncode == 2
    assert "the record ends with" in done.stderr


def test_what_is_no_sheet_of_this_site_is_refused_whole(begun: Path, tmp_path: Path) -> None:
    """With what is wrong and what to do, and no traceback."""
    sheet = exported(begun, "racks.csv", RACKS, "--of", "items")
    text = sheet.read_text(encoding="utf-8-sig")
    body = text[text.index("id,") :]
    book = load_workbook(exported(begun, "racks.xlsx", RACKS, "--of", "items"))
    book["Items"].delete_rows(1, book["Items"].max_row)
    book.save(tmp_path / "emptied.xlsx")
    emptied = run(begun, "import", "sheet", tmp_path / "emptied.xlsx")
    assert (emptied.returncode, "the column 'id' is missing" in emptied.stderr) == (2, True), emptied.stderr
    files = {
        "columnless.csv": (text[: text.index("id,")], "the column 'id' is missing"),
        "other.csv": (re.sub(r", [0-9a-f-]{36}", ", 1234", text), "another site"),
        "headless.csv": (body, "the lines above the columns are missing"),
        "nowhere.csv": (re.sub("last event,.*", "last event,", text), "does not say where it is from"),
        "twice.csv": (text.replace(",note,", ",serial,"), "the column 'serial' is there twice"),
        "without.csv": (text.replace(",result,", ",verdict,"), "the column 'result' is missing"),
        "bytes.xlsx": ("no workbook", "this is no workbook"),
        "sheet.ods": ("", "is no form of a sheet"),
    }
    for name, (content, said) in files.items():
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        done = run(begun, "import", "sheet", path)
        assert (done.returncode, said in done.stderr) == (2, True), (name, done.stderr)


def test_a_workbook_that_unpacks_to_gigabytes_is_not_unpacked(begun: Path, tmp_path: Path) -> None:
    """As those of `import schedule`."""
    bomb = tmp_path / "bomb.xlsx"
    with (
        ZipFile(bomb, "w", ZIP_DEFLATED) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(64):
            part.write(bytes(2**20))

    done = run(begun, "import", "sheet", bomb)

    assert (done.returncode, "unpacks to more than" in done.stderr) == (2, True)


def kinds_of(path: Path) -> set[tuple[str, str]]:
    """Return the pages with the types of their validations."""
    return {(page.title, one.type) for page in load_workbook(path) for one in page.data_validations.dataValidation}


VALIDATIONS = {
    *(("Work", kind) for kind in ("date", "whole", "textLength")),
    *(("Items", kind) for kind in ("list", "date", "textLength")),
    *(("Readings", kind) for kind in ("date", "textLength")),
}


def test_a_workbook_has_lists_and_limits_of_what_may_be_typed(begun: Path) -> None:
    """And text in it is text, whatever it begins with."""
    sheet = exported(begun, "all.xlsx")

    assert kinds_of(sheet) == VALIDATIONS
    types = {cell.data_type for page in load_workbook(sheet) for row in page.iter_rows() for cell in row}
    assert "f" not in types


@pytest.mark.slow
@needs("soffice")
def test_libreoffice_keeps_the_validations(begun: Path, tmp_path: Path) -> None:
    """It opens the sheet, saves it as its own, and what it saved is read."""
    sheet = exported(begun, "all.xlsx", RACKS)
    fill_in(sheet, {("Items", rack(1)): {"result": "pass"}, ("Work", RACKS): {"percent": 5}})
    before = kinds_of(sheet)
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    words = ["soffice", profile, "--headless", "--convert-to", "xlsx", "--outdir", str(tmp_path / "saved"), str(sheet)]
    subprocess.run(words, check=True, capture_output=True, timeout=200)

    saved = tmp_path / "saved" / sheet.name

    assert kinds_of(saved) == before
    assert document(begun, saved)["allowed"] == 2
