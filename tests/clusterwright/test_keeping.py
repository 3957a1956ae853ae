"""The record as of then, held against an anchor, put away and brought back, as a person types it."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.subjects.work.decisions import comment
from ledger.writing import Ledger
from tests.clusterwright.test_start_up import loaded
from tests.conftest import Command
from tests.ledger.anchor_codes import code_of
from tests.ledger.rebuilding import truncated

LOOKING = [
    ["status"],
    ["list", "--unit", "pod-001"],
    ["show", "034@pod-001"],
    ["next"],
    ["inbox", "--as", "owner"],
    ["orders"],
    ["why", "034@pod-001"],
    ["log"],
    ["report", "week"],
]


@pytest.fixture
def commented(adopted: Path) -> Path:
    """A site whose plan is event 2, with two comments after it."""
    with Ledger.open(adopted) as ledger:
        for text in ("one", "two"):
            comment(ledger, "owner", "034@pod-001", text)
    return adopted


def test_every_looking_command_looks_back(commented: Path, command: Command) -> None:
    """Text has a head line, JSON says where it stands; a list lies under `rows`."""
    for verb in LOOKING:
        text = command(*verb, "--as-of", "3", "--site", commented)
        document = command(*verb, "--as-of", "3", "--json", "--site", commented)

        assert text.returncode in {0, 4}, text.stderr
        assert "as of event 3, 20" in text.stdout.splitlines()[0], verb
        said = json.loads(document.stdout)
        assert said["as_of_event"] == 3, verb
        assert said["as_of"].startswith("20"), verb
        present = json.loads(command(*verb, "--json", "--site", commented).stdout)
        assert isinstance(present, list) == ("rows" in said), verb
        assert "as_of_event" not in present, verb


def test_what_came_later_is_not_in_it(commented: Path, command: Command) -> None:
    then = json.loads(command("show", "034@pod-001", "--as-of", "3", "--json", "--site", commented).stdout)
    events = json.loads(command("log", "--as-of", "3", "--json", "--site", commented).stdout)["rows"]

    assert [c["text"] for c in then["comments"]] == ["one"]
    assert [e["seq"] for e in events] == [1, 2, 3]
    before = command("status", "--as-of", "1", "--site", commented)
    assert "plan revision 0" in before.stdout


def test_a_time_may_name_the_moment(commented: Path, command: Command) -> None:
    events = json.loads(command("log", "--json", "--site", commented).stdout)
    at = events[2]["recorded_at"]

    said = json.loads(command("status", "--as-of", at, "--json", "--site", commented).stdout)

    assert said["head"]["seq"] == 3
    assert said["as_of"] == at


def test_a_report_for_a_spreadsheet_keeps_its_header(commented: Path, command: Command) -> None:
    result = command("report", "week", "--format", "csv", "--as-of", "3", "--site", commented)

    assert next(csv.reader(io.StringIO(result.stdout)))[0] == "section"
    assert "as of event 3" in result.stderr


@pytest.mark.parametrize("wanted", ["99", "0", "2999-01-01", "2001-01-01T12:00", "soon"])
def test_a_moment_that_is_not_there_is_bad_input(adopted: Path, command: Command, wanted: str) -> None:
    result = command("status", "--as-of", wanted, "--site", adopted)

    assert result.returncode == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_only_looking_back_loads_what_replays(adopted: Path) -> None:
    assert "sqlalchemy" not in loaded("list", "--site", adopted)
    assert not loaded("list", "--as-of", "2", "--site", adopted) & {"prefect", "textual", "ansible_runner"}


def test_an_anchored_head_finds_a_ledger_that_was_cut_off(commented: Path, command: Command, tmp_path: Path) -> None:
    """By the code of an earlier release, by a file, by a trailer; without one the shorter ledger is in order."""
    published = json.loads(command("anchor", "--file", tmp_path / "anchors", "--json", "--site", commented).stdout)
    code = code_of(published["seq"], published["hash"])
    (tmp_path / "trailer").write_text(command("anchor", "--trailer", "--site", commented).stdout, encoding="utf-8")
    named = ["--anchor", code, "--anchor", tmp_path / "anchors", "--anchor", tmp_path / "trailer"]
    whole = command("audit", *named, "--json", "--site", commented)
    assert whole.returncode == 0, whole.stderr
    assert json.loads(whole.stdout)["anchors"] == {"holding": 4, "up_to": 4}

    truncated(commented, 3)

    remembered = command("audit", "--site", commented)
    assert remembered.returncode == 1
    assert ", 1 finding\n" in remembered.stdout
    (commented / ".clusterwright" / "anchors.jsonl").unlink()
    assert command("audit", "--site", commented).returncode == 0
    for one in (code, tmp_path / "anchors", tmp_path / "trailer"):
        result = command("audit", "--anchor", one, "--site", commented)
        assert result.returncode == 1
        assert "event 4" in result.stdout
        assert "the ledger ends with event 3" in result.stdout.replace("\n", " ")


def test_an_anchor_that_is_none_is_bad_input(adopted: Path, command: Command, tmp_path: Path) -> None:
    published = json.loads(command("anchor", "--json", "--site", adopted).stdout)
    code = code_of(published["seq"], published["hash"])
    misheard = ("1" if code[-1] != "1" else "2").join((code[:-1], ""))

    for word, said in ((misheard, "written down wrongly"), ("nowhere", "neither a file")):
        result = command("audit", "--anchor", word, "--site", adopted)
        assert result.returncode == 2
        assert said in result.stderr
    assert command("anchor", "--git", tmp_path, "--site", adopted).returncode == 3


def test_a_site_is_put_away_and_brought_back(commented: Path, command: Command, tmp_path: Path) -> None:
    archive = tmp_path / "backup.tar.gz"
    made = command("backup", archive, "--json", "--site", commented)
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["seq"] == 4

    back = command("restore", archive, tmp_path / "back")

    assert back.returncode == 0, back.stderr
    assert "event 4" in back.stdout
    for site in (commented, tmp_path / "back"):  # a forecast is no part of the record: it is made again
        assert command("forecast", "--site", site).returncode == 0
    before = json.loads(command("list", "--json", "--site", commented).stdout)
    assert json.loads(command("list", "--json", "--site", tmp_path / "back").stdout) == before
    assert command("audit", "--site", tmp_path / "back").returncode == 0
    noted = command("comment", "071@site", "we go on", "--as", "owner", "--site", tmp_path / "back")
    assert noted.returncode == 0, noted.stderr


def test_a_ledger_that_an_earlier_release_restored_can_be_worked_on(adopted: Path, command: Command) -> None:
    """A command that reads it would keep out its own decision, and say that another program has locked it."""
    with closing(sqlite3.connect(adopted / "ledger.db")) as copy:
        copy.execute("PRAGMA journal_mode=DELETE")

    noted = command("comment", "071@site", "we go on", "--as", "owner", "--site", adopted)

    assert noted.returncode == 0, noted.stderr


def test_the_exit_code_says_why_not(adopted: Path, command: Command, tmp_path: Path) -> None:
    """1 not what it says it is, 2 not to be done there, 3 not to be read."""
    archive = tmp_path / "backup.tar.gz"
    assert command("backup", archive, "--site", adopted).returncode == 0
    (tmp_path / "text.tar.gz").write_text("hello", encoding="utf-8")
    digest = next((adopted / "evidence").rglob("*/??*/*"))
    digest.chmod(0o644)
    digest.write_bytes(b"changed")

    assert command("backup", archive, "--site", adopted).returncode == 2
    assert command("restore", archive, adopted).returncode == 2
    assert command("restore", tmp_path / "text.tar.gz", tmp_path / "back").returncode == 3
    assert command("backup", tmp_path / "other.tar.gz", "--site", adopted).returncode == 1
    assert command("backup", tmp_path / "other.tar.gz", "--damaged", "--site", adopted).returncode == 0
    assert command("restore", tmp_path / "other.tar.gz", tmp_path / "back").returncode == 1
    assert not (tmp_path / "back").exists()
