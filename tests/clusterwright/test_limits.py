"""What is too large or too strange for this program is refused with its place, and a fault of ours has a code of its own."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from clusterwright import __main__ as edge
from clusterwright.fault_report import command_of
from flows.runs.inventory.bounds import hosts_in
from tests.clusterwright.test_bad_input import BAD_INPUT, UNREACHABLE, edit
from tests.conftest import Command
from tests.small_disk import small_disk_at

FAULT = 5
OWNER = ("--as", "owner")


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("nodes: 1000000000000", ["site.yaml:", "overrides.nodes", "at most 65,536"]),
        ("nodes: 65536, nodes_per_pod: 2", ["site.yaml:", "32,768 pods", "at most 1,024"]),
        ("nodes: 12500", ["site.yaml: overrides.nodes_per_pod", "391 pods", "at most 320"]),
        ("rails: 64, nodes: 60000, nodes_per_pod: 200", ["site.yaml:", "3,840,000 ports"]),
        ("storage_gb_s_per_node: 900000000", ["site.yaml:", "storage servers"]),
        ("nodes: .inf", ["site.yaml:", "overrides.nodes"]),
    ],
)
def test_a_site_larger_than_a_design_allows_is_refused_with_key_and_limit(
    site: Path, command: Command, override: str, expected: list[str]
) -> None:
    """`nodes: 10**12` grew without end; a plan of the largest site takes a gigabyte."""
    edit(site, "overrides: {}", f"overrides: {{{override}}}")

    result = command("plan", "--site", site)

    assert result.returncode == BAD_INPUT
    for words in expected:
        assert words in result.stderr


@pytest.mark.parametrize("start", ["2026-02-30", "9999-12-31", "0001-01-01"])
def test_an_impossible_start_is_refused_with_its_line(site: Path, command: Command, start: str) -> None:
    """A day that does not exist, and days to which no lead time can be added."""
    edit(site, "start: 2026-11-23", f"start: {start}")

    result = command("plan", "--site", site)

    assert result.returncode == BAD_INPUT
    assert "site.yaml:" in result.stderr


def test_a_formula_that_fails_names_the_file_the_line_and_the_key(site: Path, command: Command) -> None:
    """The catalog has two hundred files, and a site's own among them."""
    own = site / "catalog" / "034.yaml"
    own.parent.mkdir()
    own.write_text(
        'overrides: "034"\nreason: ours\naccept:\n'
        '  - {metric: burn_in.clean_h, op: ">=", value: \'"a" * 1900000000\', unit: h, source: ours}\n',
        encoding="utf-8",
    )

    result = command("plan", "--site", site)

    assert result.returncode == BAD_INPUT
    assert "034.yaml:4: accept[0].value: formula" in result.stderr


@pytest.mark.parametrize("value", ["1e999999999", "1e100000000", "9" * 200])
def test_an_amount_without_bounds_is_refused(adopted: Path, command: Command, value: str) -> None:
    """One reading of `1e100000000` made the ledger 384 MB."""
    before = (adopted / "ledger.db").stat().st_size

    order = command("order", "001@site#gpu-server", "--supplier", "m", "--reference", "1", "--value", value, "--currency",
                    "USD", "--site", adopted, *OWNER)  # fmt: skip
    fact = command("fact", "085@site", f"feed.voltage={value}V", "--site", adopted, *OWNER)

    assert order.returncode in {1, BAD_INPUT}
    assert fact.returncode in {1, BAD_INPUT}
    assert (adopted / "ledger.db").stat().st_size == before


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("node-[001:128]", 128),
        ("h[1:99999999]", 99_999_999),
        ("h[a:d]x[1:4]", 16),
        ("h[1:9:2]", 5),
        ("h[-5:4]", 10),
        ("h[x]", 1),
    ],
)
def test_hosts_of_a_range_are_counted_as_ansible_expands_them(pattern: str, count: int) -> None:
    """A range is refused before it is a list, so that the count must be Ansible's own."""
    assert hosts_in(pattern) == count


def test_a_range_of_a_hundred_million_hosts_is_refused(site: Path, command: Command) -> None:
    """Ansible makes a list of them, without a bound."""
    (site / "hosts.ini").write_text("h[1:99999999]\n", encoding="utf-8")
    edit(site, "# inventory: inventory/hosts.yml", "inventory: hosts.ini")

    result = command("plan", "--site", site)

    assert result.returncode == BAD_INPUT
    assert "h[1:99999999]" in result.stderr
    assert "100,000" in result.stderr


def test_a_chain_of_a_thousand_steps_that_do_not_apply_is_bridged(site: Path, command: Command) -> None:
    """A chain is as long as a site writes it, and calls can be nested a thousand deep."""
    own = site / "catalog"
    own.mkdir()
    for number in range(1000):
        before = f'  - {{after: "X{number - 1:03}", map: same, reason: in turn}}\n' if number else ""
        applies = "" if number == 999 else "applies: nodes > 99999\nnot_applicable_because: too small\n"
        (own / f"X{number:03}_s{number}.yaml").write_text(
            f'id: "X{number:03}"\nslug: s{number}\ntitle: Own\ndescription: One of many.\nphase: power\nsection: Own\n'
            f"kind: field\nscope: site\n{applies}crew: {{role: rigger, size: 1}}\nduration:\n"
            f"  fixed: {{value: 1, unit: crew-day, source: assumption}}\nlinks:{' []' if not before else ''}\n{before}"
            "sign_off:\n  policy: {roles: [facility-lead]}\nsources: {}\n",
            encoding="utf-8",
        )

    result = command("plan", "--site", site)

    assert result.returncode == 0, result.stderr[-500:]


def test_a_file_without_end_and_one_of_ten_gigabytes_are_refused_before_they_are_read(
    adopted: Path, command: Command, tmp_path: Path
) -> None:
    pipe, large = tmp_path / "pipe", tmp_path / "large"
    os.mkfifo(pipe)
    large.touch()
    os.truncate(large, 10 * 1024**3)

    waited_for = command("restore", pipe, tmp_path / "back")
    read = command("sign", "--import", large, "--site", adopted)

    assert (waited_for.returncode, read.returncode) == (BAD_INPUT, BAD_INPUT)
    assert "pipe is not a file" in waited_for.stderr
    assert "10,737,418,240 bytes; a statement has at most" in read.stderr
    assert not (tmp_path / "back").exists()


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 3000, "site.yaml/inside"])
def test_an_impossible_path_is_refused_in_words(adopted: Path, command: Command, name: str) -> None:
    """What the operating system refuses is a message, wherever it is met."""
    result = command("import-progress", name, "--site", adopted, *OWNER)

    assert result.returncode in {BAD_INPUT, UNREACHABLE}
    assert "fault of ours" not in result.stderr


def test_progress_with_a_short_row_or_an_impossible_date_names_its_line(adopted: Path, command: Command) -> None:
    """A spreadsheet cuts empty cells off, and a date without a year becomes year 1."""
    for row, expected in (("071@site", "2: state"), ("071@site,done,0001-01-01T00:00:00+14:00", "2: started")):
        (adopted / "p.csv").write_text(f"activity,state,started\n{row}\n", encoding="utf-8")

        result = command("import-progress", "p.csv", "--site", adopted, *OWNER, cwd=adopted)

        assert result.returncode == BAD_INPUT
        assert f"p.csv:{expected}" in result.stderr


def test_what_nobody_foresaw_ends_with_five_and_a_private_report(
    adopted: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person learns what happened and where the report is; what they typed is not in it."""
    (adopted / ".clusterwright").mkdir(exist_ok=True)

    def broken() -> None:
        raise RuntimeError("hunter2 is the password")

    monkeypatch.setattr(edge, "_run", broken)
    result = command("comment", "071@site", "hunter3", "--site", adopted)

    (report,) = (adopted / ".clusterwright").glob("clusterwright-fault-*.txt")
    text = report.read_text(encoding="utf-8")
    assert result.returncode == FAULT
    assert "Traceback" not in result.stderr
    assert "RuntimeError: hunter2" in result.stderr
    assert str(report) in result.stderr
    assert report.stat().st_mode & 0o777 == 0o600
    assert "clusterwright comment\n" in text
    assert "test_limits.py" in text
    assert "builtins.RuntimeError" in text
    assert "hunter" not in text.replace('raise RuntimeError("hunter2', "")


def test_a_report_names_the_command_and_leaves_its_words_out() -> None:
    """A word that is no command may be a secret, also where it stands in a command's place."""
    assert command_of(["check", "item", "H08@pod-001", "secret"]) == "check item"
    assert command_of(["s3cret", "check"]) == ""


def test_a_reader_that_goes_early_is_no_error(process: Command, tmp_path: Path) -> None:
    """`| head` is how people read long lists."""
    line = f"set -o pipefail; {sys.executable} -m clusterwright catalog list | head -1"

    ended = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, cwd=tmp_path)

    assert ended.returncode == 0
    assert ended.stderr == ""


def test_a_disk_that_cannot_be_written_is_named_with_the_way_out(
    adopted: Path, tmp_path: Path, command: Command
) -> None:
    """A ledger whose log was not closed cannot even be read there: it was said to lack permissions, and doctor said nothing."""
    with small_disk_at(tmp_path / "disk", "20m") as disk:
        with closing(sqlite3.connect(adopted / "ledger.db")) as writer:
            writer.execute("CREATE INDEX one_more ON event (actor)")
            for name in ("site.yaml", "ledger.db", "ledger.db-wal"):
                shutil.copy(adopted / name, disk)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        read = command("status", "--site", disk)
        found = json.loads(command("doctor", "--json", "--site", disk).stdout)

    assert read.returncode == 3
    assert "copy the folder and look at the copy" in read.stderr
    (shown,) = [check for check in found if check["name"] == "disk"]
    assert shown["state"] == "fault"
    assert f"cannot write {disk}" in shown["found"]


def test_a_full_disk_behind_stdout_is_said(tmp_path: Path) -> None:
    """Output that is lost must not look like output that is there."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "clusterwright", "catalog", "list"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip

    assert ended.returncode == UNREACHABLE
    assert "no space left" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_word_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """It can be neither shown nor recorded; a file name from an old disk may be one."""
    ended = subprocess.run(
        [sys.executable.encode(), b"-m", b"clusterwright", b"why", b"\xff"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )

    assert ended.returncode == BAD_INPUT
    assert b"word 2" in ended.stderr


def test_ctrl_c_ends_with_130_and_without_words(site: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while the command is still being imported, which is where most of a short command's time goes."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(edge, "_run", interrupted)
    result = command("plan", "--site", site)

    assert (result.returncode, result.stderr) == (130, "")
