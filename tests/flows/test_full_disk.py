"""A disk that fills up under a running engine: said where people look, nothing lost, and on it goes when there is room."""

from __future__ import annotations

import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from flows.engine import unwritten
from flows.engine.unwritten import Unwritten
from flows.runs.run import RunSpec, run_playbook
from ledger.rules.activity import State
from ledger.trust.audit import audit
from schedule.errors import LostError, UnreachableError
from tests.conftest import Command
from tests.flows.test_engine import Up, machine, row, runs, until, up
from tests.small_disk import small_disk_at

__all__ = ["machine", "up"]

NAME = "007@pod-001"
FULL = UnreachableError("ledger.db: database or disk is full", hint="check free space and the disk")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own, which is small."""
    with small_disk_at(tmp_path / "disk", "64m") as folder:
        yield folder


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Let a disk be full while the block lasts."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(4096)):
            pass
    yield
    filler.unlink()


@pytest.mark.slow
@pytest.mark.long
def test_an_engine_says_that_the_disk_is_full_and_goes_on_when_there_is_room(
    machine: Path, disk: Path, up: Callable[..., Up], command: Command
) -> None:
    site = shutil.copytree(machine, disk, dirs_exist_ok=True)
    assert command("allow", "--yes", "--site", site).returncode == 0
    engine = up(site).started()
    until(lambda: row(site, NAME).state is State.CHECKED_NOT_MET, seconds=60)

    engine.process.send_signal(signal.SIGSTOP)
    assert command("retry", NAME, "--site", site, "--as", "operator").returncode == 0
    with full(disk):
        engine.process.send_signal(signal.SIGCONT)
        until(lambda: "nothing can be recorded" in engine.said(), seconds=30)
        refused = command("comment", NAME, "looked", "--site", site, "--as", "operator")
        assert (refused.returncode, "disk is full" in refused.stderr) == (3, True)
        assert engine.process.poll() is None

    until(lambda: len(runs(site, NAME)) == 2 and row(site, NAME).state is State.CHECKED_NOT_MET, seconds=60)
    assert engine.said().count("nothing can be recorded") == 1
    assert "goes on" in engine.said()
    assert engine.stop() == 0
    assert audit(site) == []


def test_a_run_whose_folder_has_no_room_says_where(
    tmp_path: Path, disk: Path, playbooks: Path, inventory: Path
) -> None:
    """The step failed with "[Errno 28] No space left on device" alone, and the engine's log had where it is in our program."""
    runs_folder = disk / "runs"
    runs_folder.mkdir()
    book, folder = playbooks / "networking" / "040.yml", runs_folder / "a-run"
    spec = RunSpec(book, inventory, ("pod-001-n1",), {}, folder, tmp_path / "log")

    with full(disk), pytest.raises(UnreachableError, match=f"into {runs_folder}: No space left on device"):
        run_playbook(spec, cancel=threading.Event())

    assert not folder.exists()


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    monkeypatch.setattr(unwritten, "PAUSE_S", 0.01)
    return threading.Event()


def test_a_result_is_kept_until_it_is_on_record(stopping: threading.Event) -> None:
    said, tries = list[str](), iter((FULL, FULL, None))
    trouble = Unwritten(stopping)
    trouble.say = said.append

    def settle() -> str:
        if error := next(tries):
            raise error
        return "recorded"

    assert trouble.until_kept(settle) == "recorded"
    assert [line.partition(":")[0] for line in said] == [
        "nothing can be recorded, so nothing begins, and results are kept",
        "the record can be written again, and the engine goes on",
    ]


@pytest.mark.parametrize(("error", "stops"), [(FULL, True), (LostError("content is missing"), False)])
def test_it_is_not_tried_for_ever(stopping: threading.Event, error: UnreachableError, stops: bool) -> None:
    """An engine that stops leaves its claim for the next one. What is lost does not come back."""
    if stops:
        stopping.set()

    def settle() -> None:
        raise error

    with pytest.raises(type(error)):
        Unwritten(stopping).until_kept(settle)
