"""`clusterwright check` as people use it: at the rack, from a scanner, from the field's CSV, and by whoever looks."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clusterwright.check_file import read_checks
from ledger.questions.case import require_activity
from ledger.questions.checks import checked_items
from ledger.reading import open_snapshot
from ledger.subjects.checklists.decisions import check
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.work.decisions import start
from ledger.writing import Ledger
from schedule.errors import InputError
from tests.commands import at
from tests.conftest import Command
from tests.ledger import malicious as bad
from tests.ledger.checklists import HOSTS, NAME, begun_site, plan_with_items
from tests.ledger.conftest import Clock, begun


@pytest.fixture
def field(tmp_path: Path) -> Path:
    """Return a site where work at three named servers has started."""
    return begun_site(tmp_path / "site")


@pytest.fixture
def run(field: Path) -> Command:
    """Run a command at that site, and hold its exit code against the one expected."""
    return partial(at, field)


def written(folder: Path, text: str, name: str = "field.csv") -> Path:
    """Write a file of the field."""
    path = folder / name
    path.write_bytes(text.encode())
    return path


# at the rack


def test_another_failure_of_what_is_used_as_it_is_is_another_one(run: Command) -> None:
    """A scratch was accepted; a rack that leans was not, and passed with it."""
    words = ("check", "item", NAME, "pod-001-n01", "--fail", "--as", "tech", "--note")
    run(*words, "a scratch")
    run("ncr", "disposition", "NCR-0001", "use-as-is", "--reason", "cosmetic", "--as", "lead")

    said = run(*words, "it leans").stderr

    assert "NCR-0002 is open: `clusterwright ncr show NCR-0002`" in said
    assert "items: 1 failed: pod-001-n01" in run("why", NAME).stdout


def test_an_item_is_answered_with_figure_and_limit(run: Command) -> None:
    met = run("check", "item", NAME, "POD-001-N01", "bond=50mohm", "--serial", "SN1", "--as", "tech")
    failed = run("check", "item", NAME, "pod-001-n02", "bond=0.3", "--note", "paint", "--as", "tech")

    assert "pod-001-n01 passed" in met.stderr
    assert "bond 50 mohm: met, must be <= 0.1 ohm" in met.stderr
    assert "pod-001-n02 failed (NCR-0001)" in failed.stderr
    assert "bond 0.3 ohm: failed, must be <= 0.1 ohm" in failed.stderr
    assert "NCR-0001 is open" in failed.stderr
    assert json.loads(run("ncr", "list", "--json").stdout)[0]["reason"].startswith("pod-001-n02: bond 0.3 ohm")


def test_json_says_what_was_recorded(run: Command) -> None:
    said = json.loads(run("check", "item", NAME, "pod-001-n01", "bond=0.3", "--as", "tech", "--json").stdout)

    assert (said["recorded"], said["recorded_before"], said["ncr"]) == (1, 0, "NCR-0001")
    (item,) = said["items"]
    assert (item["item"], item["state"], item["readings"][0]["verdict"]) == ("pod-001-n01", "failed", "failed")


@pytest.mark.parametrize(
    ("words", "rc", "said"),
    [
        (("item", NAME, "pod-001-n09"), 2, "did you mean pod-001-n0"),
        (("item", NAME, "pod-001-n01", "bond=1V"), 2, "'V' cannot be compared"),
        (("item", NAME, "pod-001-n01", "bond"), 2, "'bond' is not METRIC=VALUE"),
        (("item", NAME, "pod-001-n01", "bond=0,05"), 2, "write 0.05"),
        (("item", NAME, "pod-001-n01", "--fail"), 2, "nothing says why"),
        (("item", NAME, "pod-001-n01", "--csv", "x.csv"), 2, "there is no option --csv"),
        (("item", NAME, "--fail"), 2, "ITEM is missing"),
        (("import", NAME, "no.csv"), 2, "no.csv cannot be read"),
        (("item", NAME, "pod-001-n01", "--photo", "no.png"), 2, "no.png cannot be read"),
    ],
)
def test_what_cannot_be_recorded_is_said(run: Command, words: tuple[str, ...], rc: int, said: str) -> None:
    assert said in run("check", *words, "--as", "tech", rc=rc).stderr


def test_an_item_of_work_that_has_not_begun_is_refused(run: Command) -> None:
    assert "cannot take 'check' now" in run("check", "item", "010@pod-001", "x", "--as", "tech", rc=1).stderr


# how it stands


def test_the_list_shows_what_failed_first_and_what_is_left(run: Command) -> None:
    run("check", "item", NAME, "pod-001-n01", "bond=0.05", "--as", "tech")
    run("check", "item", NAME, "pod-001-n02", "--fail", "--note", "[bold]dent[/]", "--as", "tech")

    shown = run("check", "list", NAME).stdout
    assert "3 servers: 1 passed, 1 failed, 1 open" in shown
    assert "[bold]dent[/]" in shown
    document = json.loads(run("check", "list", NAME, "--json").stdout)
    assert [(r["item"], r["state"]) for r in document["rows"]] == [
        ("pod-001-n02", "failed"),
        ("pod-001-n01", "passed"),
        ("pod-001-n03", "open"),
    ]
    assert document["rows"][1]["readings"] == [{"metric": "bond", "value": "0.05", "unit": "ohm"}]
    left = json.loads(run("check", "list", NAME, "--open", "--json").stdout)
    assert [r["item"] for r in left["rows"]] == ["pod-001-n02", "pod-001-n03"]
    assert "checklist 3 servers: 1 passed, 1 failed, 1 open" in run("show", NAME).stdout


def test_every_entry_is_kept_and_shown(run: Command) -> None:
    run("check", "item", NAME, "pod-001-n01", "--fail", "--note", "loose", "--as", "tech")
    run("check", "item", NAME, "pod-001-n01", "bond=0.05", "--as", "lead")

    rows = json.loads(run("check", "list", NAME, "--history", "--json").stdout)["rows"]

    assert [(r["state"], r["by"], r["note"]) for r in rows] == [("failed", "tech", "loose"), ("passed", "lead", "")]
    assert "loose" not in run("check", "list", NAME).stdout


def test_an_earlier_moment_has_its_own_list(run: Command) -> None:
    run("check", "item", NAME, "pod-001-n01", "--as", "tech")
    run("check", "item", NAME, "pod-001-n02", "--as", "tech")

    assert json.loads(run("check", "list", NAME, "--as-of", 4, "--json").stdout)["passed"] == 1


# the field's CSV


def test_a_csv_is_recorded_whole_and_a_second_time_changes_nothing(run: Command, field: Path) -> None:
    (field / "n1.png").write_bytes(bad.png(8, 8, bad.grey()))
    file = written(
        field,
        "item;result;bond [mohm];serial;note;photo\r\n"
        "pod-001-n01;pass;50;SN1;=HYPERLINK(1);n1.png\r\n"
        "pod-001-n02;;300;SN2;;\r\n"
        "pod-001-n03;;;;;\r\n",
    )

    first = run("check", "import", NAME, file, "--as", "lead").stderr
    assert "2 items: 1 passed, 1 failed" in first
    assert "pod-001-n02 failed (NCR-0001): bond 300 mohm: failed, must be <= 0.1 ohm" in first
    assert "rows that say nothing yet: 1" in first
    head = run("log", "--json").stdout
    assert (
        "2 items, all of them recorded before; nothing changed"
        in run("check", "import", NAME, file, "--as", "lead").stderr
    )
    assert run("log", "--json").stdout == head

    rows = {r["item"]: r for r in json.loads(run("check", "list", NAME, "--json").stdout)["rows"]}
    assert rows["pod-001-n01"]["note"] == "=HYPERLINK(1)"
    assert len(rows["pod-001-n01"]["photos"]) == 1
    run("audit")


def test_the_template_comes_back_filled_in(run: Command, field: Path) -> None:
    rows = list(csv.reader(io.StringIO(run("check", "template", NAME).stdout)))
    assert rows[0] == ["item", "result", "bond [ohm]", "serial", "note", "photo"]
    assert [row[0] for row in rows[1:]] == list(HOSTS)

    filled = "\n".join(",".join(row) for row in [rows[0], *([row[0], "pass", "0.05", "", "", ""] for row in rows[1:])])
    run("check", "import", NAME, written(field, "\ufeff" + filled), "--as", "tech")

    assert "3 passed, 0 failed, 0 open" in run("check", "list", NAME).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\nx\n", "field.csv:1: the column 'item' is missing"),
        ("item,bnd\npod-001-n01,1\n", "field.csv:1: bnd: 001@site asks for no 'bnd'\n  did you mean bond"),
        ("item,result\npod-001-n01,good\n", "field.csv:2: result: the result is pass or fail, not 'good'"),
        ("item,bond\n\npod-001-n01,x\n", "field.csv:3: bond: bond is a number in ohm, not 'x'"),
        ('item,note\n"pod-001-n01","two\nlines"\npod-001-n77,\n', "field.csv:4: item: pod-001-n77 is none of"),
        ("item\npod-001-n01\nPOD-001-N01\n", "field.csv:3: item: pod-001-n01 is there twice\n  first on line 2"),
        (
            "item,serial\npod-001-n01,S1\npod-001-n02,s1\n",
            "field.csv:3: serial: the serial number s1 is at pod-001-n01",
        ),
        ("item,note\npod-001-n01,\x1b[31m\n", "field.csv:2: note: the note has a mark that cannot be seen"),
        ("item\n\x00\n", "field.csv:2: item:"),
        ("item,item\nx,y\n", "field.csv:1: item: the column 'item' is there twice"),
        ("item\npod-001-n01,extra\n", "field.csv:2: the row has 2 cells, the header 1"),
        ("item,result\npod-001-n01,\n", "says nothing of any item"),
        ('item\n"open\n', "does not read as CSV"),
        ("", "the column 'item' is missing"),
        (
            "item,photo\npod-001-n01,../../etc/passwd\n",
            "field.csv:2: photo: ../../etc/passwd is not in the folder of field.csv",
        ),
        ("item,photo\npod-001-n01,/etc/passwd\n", "field.csv:2: photo: /etc/passwd is not in the folder of field.csv"),
        ("item,photo\npod-001-n01,site.yaml\n", "field.csv:2: photo: site.yaml is TEXT"),
        ("item,photo\npod-001-n01,gone.png\n", "field.csv:2: photo: gone.png cannot be read"),
        ("item,bond\npod-001-n01,x\npod-001-n09,1\n", "2 faults; nothing is recorded"),
    ],
)
def test_a_fault_is_named_with_line_and_column_and_nothing_is_recorded(
    run: Command, field: Path, text: str, said: str
) -> None:
    file = written(field, text)

    assert said in run("check", "import", NAME, file, "--as", "tech", rc=2).stderr

    assert json.loads(run("check", "list", NAME, "--json").stdout)["passed"] == 0


def test_a_photo_that_is_a_link_out_of_the_folder_is_refused(run: Command, field: Path) -> None:
    (field / "sneaky.png").symlink_to("/etc/hostname")
    file = written(field, "item,photo\npod-001-n01,sneaky.png\n")

    assert "is not in the folder of field.csv" in run("check", "import", NAME, file, "--as", "tech", rc=2).stderr


def test_a_file_that_is_no_text_is_refused(run: Command, field: Path) -> None:
    file = field / "field.csv"
    file.write_bytes(b"item\n\xff\xfe\n")

    assert "is not UTF-8 text" in run("check", "import", NAME, file, "--as", "tech", rc=2).stderr


# a scanner


def scanned(field: Path, text: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Scan at the site through a pipe."""
    return subprocess.run(
        [sys.executable, "-m", "clusterwright", "check", "scan", NAME, "--as", "tech", "--site", field, *words],
        input=text,
        capture_output=True,
        check=False,
        timeout=120,
    )


def test_every_scanned_line_is_answered(field: Path) -> None:
    done = scanned(field, b"POD-001-N01 SN1\n\npod-001-n01\r\npod-001-n09\npod-001-n02 SN1\n\xff\x1b[2J\n")

    lines = done.stdout.decode().splitlines()
    assert lines[0] == "ok       pod-001-n01 (1 of 3)"
    assert lines[1] == "already  pod-001-n01 (1 of 3)"
    assert lines[2].startswith("refused  pod-001-n09 is none of the 3 servers of 001@site; did you mean pod-001-n0")
    assert lines[3].startswith("refused  the serial number SN1 is at pod-001-n01 too")
    assert lines[4].startswith("refused  ")
    assert "\x1b" not in done.stdout.decode()
    assert done.returncode == 2
    assert b"3 scans were refused" in done.stderr


def test_a_scan_without_a_slip_ends_well_and_speaks_json(field: Path) -> None:
    done = scanned(field, b"pod-001-n01\npod-001-n02\n", "--json")

    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"answer": "ok", "item": "pod-001-n01", "passed": 1, "items": 3},
        {"answer": "ok", "item": "pod-001-n02", "passed": 2, "items": 3},
    ]


def test_a_scanner_at_work_that_has_not_begun_hears_it_before_the_first_item(field: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clusterwright", "check", "scan", "010@pod-001", "--as", "tech", "--site", field],
        input=b"x\n",
        capture_output=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 1
    assert done.stdout == b""


def test_a_scanner_at_a_terminal_is_answered_line_by_line(field: Path) -> None:
    """Enter after each code, Ctrl-D at the end; the answer comes before the next line is written."""
    ours, theirs = pty.openpty()
    words = ["check", "scan", NAME, "--as", "tech", "--site", str(field)]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        [sys.executable, "-m", "clusterwright", *words],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=buffered,
    ) as process:
        os.close(theirs)
        assert process.stdout is not None
        for item in HOSTS:
            os.write(ours, f"{item}\n".encode())
            assert process.stdout.readline().decode().startswith(f"ok       {item}")
        os.write(ours, b"\x04")
        assert process.wait(timeout=60) == 0
    os.close(ours)


# whatever is in a file

CELLS = st.text(st.characters(codec="utf-8"), max_size=12)
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["A", "B", "C", "=D", "@E"]) | CELLS,
        st.sampled_from(["pass", "fail", "OK", "Pass", ""]),
        st.sampled_from(["0.05", "0.3", "1e-2", ".09"]),
        CELLS,
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda row: row[0].strip().casefold(),
)


@pytest.fixture(scope="module")
def four_items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site where work at four items has started."""
    folder = tmp_path_factory.mktemp("four") / "site"
    folder.mkdir()
    with begun(folder, Clock()) as ledger:
        adopt_plan(ledger, "pm", plan_with_items(items=4), reason="first")
        start(ledger, "tech", NAME)
    return folder


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(rows=ROWS, mark=st.sampled_from(",;\t"))
def test_any_file_is_recorded_as_it_says_or_refused_with_its_lines(
    four_items: Path, rows: list[tuple[str, ...]], mark: str
) -> None:
    """The list afterwards is the file, row by row, or as it was."""
    text = io.StringIO()
    csv.writer(text, delimiter=mark).writerows([("item", "result", "bond [ohm]", "note"), *rows])
    with tempfile.TemporaryDirectory() as folder:
        site = Path(shutil.copytree(four_items, Path(folder) / "site"))
        file = written(Path(folder), text.getvalue())
        with Ledger.open(site, clock=Clock()) as ledger:
            refusal = _refusal(ledger, file)
        with open_snapshot(site) as reader:
            found = {c.item: (bool(c.failing), c.note) for c in checked_items(reader, require_activity(reader, NAME))}
    said = {
        item.strip(): (result == "fail" or bond == "0.3", note.strip())
        for item, result, bond, note in rows
        if result or bond or note.strip()
    }
    assert found == ({} if refusal else said)
    assert not refusal or str(file) in refusal


def _refusal(ledger: Ledger, file: Path) -> str:
    """Record a file; give what was said where it was refused."""
    try:
        check(ledger, "tech", NAME, read_checks(file).entries)
    except InputError as error:
        return str(error)
    return ""


def test_a_database_that_is_not_reached_is_no_fault_of_the_record(adopted: Path, command: Command) -> None:
    """The folder's copy is whole, and that is said; exit code 3, as for all that cannot be reached."""
    (adopted / "ledger.yaml").write_text("database: postgresql://127.0.0.1:1/none\n", encoding="utf-8")

    done = command("audit", "--site", adopted)

    assert done.returncode == 3, done.stderr
    assert "the folder's copy is whole, and was not compared with all that the database has: " in done.stderr
