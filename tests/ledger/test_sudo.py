"""Under sudo nobody gets a file into the record that they could not read themselves."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.evidence.store import content_of, store
from schedule.errors import InputError
from tests.conftest import Command
from tests.other_user import NOBODY_HAS, needs_root

pytestmark = [needs_root, pytest.mark.own_file]

SECRET = b"root:$6$salt$hash:20000:0:99999:7:::\n"
MINE = b"measured: 10.2 kW\n"


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that everybody may enter, while root acts for an account that called sudo."""
    monkeypatch.setenv("SUDO_UID", str(NOBODY_HAS))
    monkeypatch.setenv("SUDO_GID", str(NOBODY_HAS))
    folder = Path(tempfile.mkdtemp(prefix="clusterwright-sudo-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def written(path: Path, content: bytes, mode: int, uid: int = 0, gid: int = 0) -> Path:
    path.write_bytes(content)
    os.chown(path, uid, gid)
    path.chmod(mode)
    return path


def read_or_refused(path: Path) -> bytes:
    try:
        return content_of(path, path.name)
    except InputError:
        return b"refused"


def test_a_file_that_the_caller_cannot_read_is_not_stored(shared: Path, adopted: Path, command: Command) -> None:
    """With a rule of sudo for this command alone, anybody could have read any file of the machine in the record."""
    secret = written(shared / "calculation.txt", SECRET, 0o600)

    refused = command("attach", "001@site", "--file", secret, "--kind", "note", "--as", "owner", "--site", adopted)

    assert refused.returncode == 2
    assert "cannot be read: Permission denied" in refused.stderr
    assert "that you can read without it" in refused.stderr
    kept = [path.read_bytes() for path in (adopted / "evidence").rglob("*") if path.is_file()]
    assert SECRET not in kept


def test_a_secret_does_not_become_the_inventory_of_a_new_site(shared: Path, command: Command) -> None:
    """Where everybody could read it."""
    secret = written(shared / "shadow", SECRET, 0o600)

    refused = command("init", shared / "site", "--inventory", secret)

    assert refused.returncode == 2
    assert "Permission denied" in refused.stderr
    assert not (shared / "site").exists()


def test_a_file_of_the_callers_own_is_read(shared: Path) -> None:
    mine = written(shared / "mine.txt", MINE, 0o600, NOBODY_HAS, NOBODY_HAS)

    assert content_of(mine, mine.name) == MINE


def test_the_callers_groups_count(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = written(shared / "theirs.txt", MINE, 0o640, 0, NOBODY_HAS)
    assert content_of(theirs, theirs.name) == MINE

    monkeypatch.setenv("SUDO_GID", "0")  # root's group is not the caller's, whatever the environment says
    of_root = written(shared / "of-root.txt", SECRET, 0o640)
    with pytest.raises(InputError, match="Permission denied"):
        content_of(of_root, of_root.name)


def test_a_folder_that_the_caller_cannot_enter_hides_its_files(shared: Path) -> None:
    """Although everybody could read the file itself."""
    hidden = shared / "hidden"
    hidden.mkdir()
    inside = written(hidden / "report.txt", SECRET, 0o644)
    hidden.chmod(0o700)

    with pytest.raises(InputError, match="Permission denied"):
        content_of(inside, inside.name)


def test_a_link_to_a_folder_does_not_lead_around_it(shared: Path) -> None:
    hidden = shared / "hidden"
    hidden.mkdir()
    written(hidden / "report.txt", SECRET, 0o644)
    hidden.chmod(0o700)
    (shared / "way").symlink_to(hidden)

    with pytest.raises(InputError, match="Permission denied"):
        content_of(shared / "way" / "report.txt", "report.txt")


def test_a_file_that_is_swapped_for_a_secret_while_it_is_read_is_not_read(shared: Path) -> None:
    """There is no moment between a check and the opening: the kernel opens it as the caller, or not at all."""
    path, stop = shared / "swapped.txt", threading.Event()
    secret = written(shared / "secret.txt", SECRET, 0o600)

    def swap() -> None:
        while not stop.is_set():
            aside = shared / "aside"
            aside.unlink(missing_ok=True)
            os.link(secret, aside)
            aside.replace(path)
            written(shared / "new.txt", MINE, 0o644, NOBODY_HAS).replace(path)

    swapping = threading.Thread(target=swap)
    swapping.start()
    outcomes: Counter[bytes] = Counter()
    try:
        for _ in range(2000):
            outcomes[read_or_refused(path)] += 1
            if min(outcomes[MINE], outcomes[b"refused"]) >= 10:
                break
    finally:
        stop.set()
        swapping.join()

    assert outcomes[MINE] >= 10  # both files were met
    assert outcomes[b"refused"] >= 10
    assert SECRET not in outcomes


@pytest.mark.parametrize("said", ["", "root", "-1", "1000; id"])
def test_a_caller_that_is_no_number_reads_nothing(shared: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """Who is not known may read nothing."""
    monkeypatch.setenv("SUDO_UID", said)
    mine = written(shared / "mine.txt", MINE, 0o644)

    with pytest.raises(InputError, match="SUDO_UID"):
        content_of(mine, mine.name)


def test_what_runs_leave_is_read_by_the_engine_itself(shared: Path, tmp_path: Path) -> None:
    """An engine under sudo stores its own files, which its caller cannot read."""
    log = written(shared / "run.log", SECRET, 0o600)

    assert len(store(tmp_path, log)) == 64


def test_root_without_sudo_reads_what_root_can(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = written(shared / "secret.txt", SECRET, 0o600)
    monkeypatch.setenv("SUDO_UID", "0")
    assert content_of(secret, secret.name) == SECRET

    monkeypatch.delenv("SUDO_UID")
    assert content_of(secret, secret.name) == SECRET
