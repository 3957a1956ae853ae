"""Nothing that a service said was recorded is ever lost: killed writers, and a disk that is full."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ledger.evidence import store as evidence
from ledger.log.chain import Event
from ledger.questions.site import head
from ledger.reading import open_snapshot
from ledger.stores.file import connect
from ledger.subjects.work.decisions import comment
from ledger.subjects.work.evidence_decisions import attach
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import UnreachableError
from tests.ledger.busy_site import create_busy_site
from tests.ledger.conftest import activity
from tests.ledger.crashing import Crashes
from tests.postgres_server import ON_POSTGRES

pytestmark = pytest.mark.slow


def test_what_killed_writers_acknowledged_is_in_the_ledger_once(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """`make bench-ledger` kills 300 times, on PostgreSQL with a server that crashes now and then."""
    server = request.getfixturevalue("postgres") if ON_POSTGRES in os.environ else None
    with closing(Crashes(tmp_path, writers=3, seed=1, server=server)) as crashes:
        outcome = crashes.run(12)

    assert outcome.faults == []
    assert outcome.kills >= 12
    assert outcome.acknowledged > 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a file system of 4 MiB in memory."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None:
        pytest.skip("no `mount` here, so there is no small disk to fill")
    words = [mount, "-t", "tmpfs", "-o", "size=4m", "clusterwright-full-disk", str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"a small disk to fill cannot be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(ledger: Ledger, writes: int) -> tuple[list[Event], list[UnreachableError]]:
    """Write long comments, short ones and evidence, whether there is room or not."""
    recorded, refused = [], []
    for number in range(writes):
        try:
            if number % 3 == 0:
                recorded.append(
                    attach(ledger, "tech", "100@site", os.urandom(10_000).hex().encode(), "note", name=f"{number}.txt")
                )
            else:
                text = f"comment {number} " + "x" * (40_000 if number % 3 == 1 else 0)
                recorded.append(comment(ledger, "tech", "100@site", text))
        except UnreachableError as error:  # anything else is a traceback before a person, and fails the test
            refused.append(error)
    return recorded, refused


def hashes(site_dir: Path) -> dict[int, str]:
    """Return every event's hash by its number."""
    with closing(connect(site_dir)) as connection:
        return dict(connection.execute("SELECT seq, hash FROM event"))


def test_what_does_not_fit_leaves_no_half_of_itself(small_disk: Path) -> None:
    """Evidence that the disk has no room for must not take the room of what would fit."""
    with pytest.raises(UnreachableError, match="No space left"):
        evidence.store(small_disk, os.urandom(8_000_000))

    assert [path.name for path in small_disk.rglob("*") if path.is_file()] == []
    assert evidence.load(small_disk, evidence.store(small_disk, b"a photo that fits")) == b"a photo that fits"


@pytest.mark.own_file
def test_a_full_disk_is_said_in_clear_words_and_loses_nothing(small_disk: Path, tmp_path: Path) -> None:
    """What was recorded stays, what was not is not there in part, and work goes on when there is room again."""
    site = small_disk / "site"
    ballast = small_disk / "ballast"
    create_busy_site(site, tmp_path / "keys", activities=[activity("100@site")], people={"tech": ("technician",)})
    before = len(hashes(site))
    ballast.write_bytes(b"\0" * 1_000_000)
    with Ledger.open(site) as ledger:
        recorded, refused = fill(ledger, 200)

        assert len(recorded) > 10
        assert len(refused) > 10
        assert {error.hint for error in refused} <= {
            "check free space and the disk",
            "check free space and permissions",
        }
        assert audit(site) == []
        assert hashes(site).items() >= {event.seq: event.hash for event in recorded}.items()
        assert len(hashes(site)) == before + len(recorded)

    ballast.unlink()
    with Ledger.open(site) as ledger:
        recorded.append(comment(ledger, "tech", "100@site", "there is room again"))
    assert audit(site) == []
    assert hashes(site).items() >= {event.seq: event.hash for event in recorded}.items()
    assert len(hashes(site)) == before + len(recorded)


@pytest.mark.own_file
def test_a_ledger_that_may_not_be_written_says_so_and_is_read_on(small_disk: Path, tmp_path: Path) -> None:
    """A disk that turned read-only under it, as disks do that fail."""
    site = small_disk / "site"
    create_busy_site(site, tmp_path / "keys", activities=[activity("100@site")], people={"tech": ("technician",)})
    before = hashes(site)
    remounted = ["mount", "-o", "remount,{}", str(small_disk)]
    subprocess.run([word.format("ro") for word in remounted], check=True)
    try:
        with pytest.raises(UnreachableError) as refused, Ledger.open(site) as ledger:
            comment(ledger, "tech", "100@site", "lost?")
        assert "cannot be written: it is read-only" in refused.value.what or "cannot be opened" in refused.value.what
        assert "permissions" in refused.value.hint
        with open_snapshot(site) as snapshot:
            assert head(snapshot).seq == len(before)
    finally:
        subprocess.run([word.format("rw") for word in remounted], check=True)
    assert hashes(site) == before
    with Ledger.open(site) as ledger:
        comment(ledger, "tech", "100@site", "it may again")
    assert audit(site) == []
