"""What a site keeps can be read by the account that runs it, and by no other, whatever the umask is."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import takewhile
from pathlib import Path

import pytest

from flows.runs.process.spare import supervisor
from ledger.evidence.store import load, store
from ledger.private import KEPT, private_files
from ledger.stores.file import connect
from ledger.subjects.work.decisions import comment
from ledger.writing import Ledger
from tests.conftest import Command
from tests.other_user import NOBODY_HAS, as_account, needs_root


def way_to(folder: Path) -> list[Path]:
    """Return a folder and those around it that pytest made."""
    temporary = Path(tempfile.gettempdir())
    return [folder, *takewhile(lambda parent: parent != temporary, folder.parents)]


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    """As on most machines: what is made can be read by everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def kept(site: Path) -> list[Path]:
    tops = [site / name for name in KEPT if (site / name).exists()]
    return [path for top in tops for path in (top, *top.rglob("*"))]


def open_to_others(site: Path) -> dict[str, str]:
    modes = {str(path.relative_to(site)): path.lstat().st_mode for path in kept(site)}
    return {name: stat.filemode(mode) for name, mode in modes.items() if mode & 0o077}


def open_up(site: Path) -> None:
    """Let everybody read the record, as an earlier release did."""
    for path in kept(site):
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_new_record_is_closed_to_others(site: Path, command: Command) -> None:
    """The ledger with its log beside it, the evidence, and the state."""
    adopted = command("plan", "adopt", "--as", "owner", "--yes", "--site", site)
    command("anchor", "--site", site)
    store(site, b"10.2 kW")

    with Ledger.open(site) as ledger:
        comment(ledger, "owner", "001@site", "asked for three quotes")
        assert {"ledger.db", "ledger.db-wal", "ledger.db-shm", "evidence"} <= {path.name for path in kept(site)}
        found = open_to_others(site)

    assert adopted.returncode == 0, adopted.stderr
    assert not found
    assert stat.S_IMODE((site / ".clusterwright").stat().st_mode) == 0o700


@needs_root
def test_another_account_cannot_read_the_record(adopted: Path) -> None:
    store(adopted, b"10.2 kW")
    for folder in way_to(adopted):
        folder.chmod(0o755)

    def tried() -> list[str]:
        read = []
        for path in ("ledger.db", "evidence", ".clusterwright"):
            try:
                os.close(os.open(adopted / path, os.O_RDONLY))
                read.append(path)
            except (PermissionError, FileNotFoundError):
                continue
        return read

    assert as_account(NOBODY_HAS, tried) == []


def test_a_record_of_an_earlier_release_is_closed_and_that_is_said_once(adopted: Path, command: Command) -> None:
    store(adopted, b"10.2 kW")
    open_up(adopted)

    first = command("status", "--site", adopted)
    second = command("status", "--site", adopted)

    assert first.returncode == 0
    assert "other accounts had permissions on" in first.stderr
    assert "other accounts" not in second.stderr
    assert open_to_others(adopted) == {}


def test_a_log_that_was_left_open_to_others_is_closed_too(adopted: Path, command: Command) -> None:
    """A reader that was killed leaves it, with everything that was recorded last."""
    with closing(connect(adopted)) as left:
        left.execute("SELECT count(*) FROM event").fetchone()
        open_up(adopted)

        command("status", "--site", adopted)

        assert (adopted / "ledger.db-wal").exists()
        assert open_to_others(adopted) == {}


@needs_root
def test_what_another_account_owns_is_left_to_it(adopted: Path, command: Command) -> None:
    """Root does not change the files of others in passing. `doctor` says who has to."""
    open_up(adopted)
    for path in kept(adopted):
        os.chown(path, NOBODY_HAS, NOBODY_HAS)

    command("status", "--site", adopted)
    doctor = {check["name"]: check for check in json.loads(command("doctor", "--json", "--site", adopted).stdout)}

    assert "ledger.db" in open_to_others(adopted)
    assert "another account owns them" in doctor["private record"]["found"]

    subprocess.run(doctor["private record"]["remedy"].partition(": ")[2], shell=True, check=True)
    assert open_to_others(adopted) == {}


@needs_root
def test_what_root_records_belongs_to_the_owner_of_the_site(site: Path, command: Command) -> None:
    """An engine under sudo must not shut out the people who sign."""
    for folder in way_to(site):
        folder.chmod(0o755)
    os.chown(site, NOBODY_HAS, NOBODY_HAS)
    command("plan", "adopt", "--as", "owner", "--yes", "--site", site)
    digest = store(site, b"10.2 kW")

    def read() -> tuple[bytes, int]:
        with closing(connect(site)) as record:
            (events,) = record.execute("SELECT count(*) FROM event").fetchone()
        return load(site, digest), events

    assert as_account(NOBODY_HAS, read) == (b"10.2 kW", 2)
    assert open_to_others(site) == {}


def test_a_link_in_the_record_leads_to_no_change_elsewhere(adopted: Path, command: Command, tmp_path: Path) -> None:
    elsewhere = tmp_path / "mine.txt"
    elsewhere.write_text("for all", encoding="utf-8")
    open_up(adopted)
    (adopted / "evidence" / "link").symlink_to(elsewhere)

    command("status", "--site", adopted)

    assert elsewhere.stat().st_mode & 0o044 == 0o044


def test_a_backup_and_what_is_restored_from_it_are_closed_to_others(
    adopted: Path, command: Command, tmp_path: Path
) -> None:
    archive, folder = tmp_path / "site.tar.gz", tmp_path / "again"

    made = command("backup", archive, "--site", adopted)
    restored = command("restore", archive, folder)

    assert (made.returncode, restored.returncode) == (0, 0), made.stderr + restored.stderr
    assert archive.stat().st_mode & 0o077 == 0
    assert open_to_others(folder) == {}


def test_what_ansible_installs_on_this_machine_has_the_usual_modes() -> None:
    """The engine's own files are private. A package that it installs is not, or nobody could use it."""
    with private_files():
        process = supervisor()
    assert process.stdin is not None
    umask = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8").split("Umask:\t")[1][:4]
    process.stdin.close()
    process.wait()

    assert umask == "0022"
