"""A daemon that hides from its run: its own session, no parent, an empty environment, another folder. It ends with the run."""

from __future__ import annotations

import errno
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from flows.engine.recovery import recover
from flows.engine.state import Engine
from flows.performers.real import RealPerformer
from flows.runs.process import control_groups
from flows.runs.process.control_groups import end, group_of, own_group, processes, why_none
from flows.runs.process.place import runs_folder
from flows.runs.run import RunSpec, run_playbook
from ledger.evidence.plans import read_plan
from ledger.machine_processes import boot_id
from ledger.project_time import project_now
from ledger.reading import open_snapshot
from ledger.subjects.runs.decisions import claim
from ledger.writing import Ledger
from tests.flows.conftest import runs, state
from tests.flows.test_ansible_endings import PARENT, inventory, play, sleeping, wait_until

DAEMON = """\
import os
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
os.chdir('/')
empty = os.open(os.devnull, os.O_RDWR)
for stream in range(3):
    os.dup2(empty, stream)
os.execve('/bin/sleep', ['sleep', '{seconds}'], dict())
"""

needs_groups = pytest.mark.skipif(bool(why_none()), reason=f"runs have no control groups here: {why_none()}")


@pytest.fixture
def seconds() -> Iterator[str]:
    """How long the daemon sleeps: no other test's processes sleep as long. What is left of it is ended."""
    length = f"4712.{time.monotonic_ns() % 10**6}"
    yield length
    for pid in sleeping(length):
        psutil.Process(pid).kill()


def hiding(tmp_path: Path, seconds: str) -> Path:
    """Return a playbook that leaves such a daemon behind, and then takes long."""
    program = tmp_path / "daemon.py"
    program.write_text(DAEMON.format(seconds=seconds), encoding="utf-8")
    book = play(tmp_path, f"ansible.builtin.command: {sys.executable} {program}")
    with book.open("a", encoding="utf-8") as text:
        text.write("    - name: Take long\n      ansible.builtin.command: sleep 300\n")
    return book


@pytest.fixture
def killed(both_passed: Path, tmp_path: Path, seconds: str) -> Path:
    """A site of which a run was left behind: its engine and its supervisor were killed, and the daemon goes on."""
    with Ledger.open(both_passed) as ledger:
        held = claim(
            ledger, "gone:1", "030@pod-001", lease_s=-1, host=platform.node(), boot_id=boot_id(), pid=2**22 - 1, pgid=0
        )
    assert held
    work, pgid = runs_folder(both_passed) / f"gone-{held.run}", tmp_path / "pgid"
    work.parent.mkdir(parents=True)
    words = [hiding(tmp_path, seconds), inventory(tmp_path), work, pgid]
    parent = subprocess.Popen([sys.executable, "-c", PARENT, *map(str, words)])
    assert wait_until(lambda: bool(sleeping(seconds)), 30)
    parent.send_signal(signal.SIGSTOP)  # else it may end the group before it is killed itself
    psutil.Process(int(pgid.read_text())).kill()
    parent.kill()
    parent.wait()
    assert sleeping(seconds), "nothing but its group knows whose it is"
    return both_passed


def recovered(site: Path, tmp_path: Path) -> list[str]:
    """Let the next engine find what was left behind. Return what it says."""
    with open_snapshot(site) as snapshot, Ledger.open(site) as ledger:
        performer = RealPerformer(tmp_path, None, hands_off=True)
        engine = Engine(site, ledger, read_plan(snapshot), 1, project_now, performer, 0, rehearsal=False)
        return recover(engine, snapshot)


@needs_groups
def test_what_a_killed_engine_left_behind_is_ended_before_its_run_is_given_up(
    killed: Path, tmp_path: Path, seconds: str
) -> None:
    """Two runs would otherwise touch one host: the daemon's, and the next attempt's."""
    work = runs_folder(killed) / f"gone-{runs(killed, '030@pod-001')[0].id}"
    assert group_of(work)

    said = recovered(killed, tmp_path)

    assert sleeping(seconds) == []
    assert "its processes were ended; it runs again" in said[0]
    assert state(killed, "030@pod-001") == "ready"
    assert group_of(work) is None
    assert not work.exists(), "the inventory's secrets were in it"


@needs_groups
def test_a_daemon_ends_with_the_run_that_started_it_when_its_supervisor_was_killed(
    tmp_path: Path, seconds: str
) -> None:
    """The engine lives, and ends what its supervisor could not."""
    group: list[int] = []
    work = tmp_path / "runs" / "r1"
    spec = RunSpec(hiding(tmp_path, seconds), inventory(tmp_path), ("localhost",), {}, work, tmp_path / "log")

    def kill_it() -> None:
        assert wait_until(lambda: bool(sleeping(seconds)), 30)
        psutil.Process(group[0]).kill()

    killer = threading.Thread(target=kill_it)
    killer.start()
    result = run_playbook(spec, on_pgid=group.append, cancel=threading.Event())
    killer.join()

    assert result.status == "error"
    assert sleeping(seconds) == []
    assert group_of(work) is None


@needs_groups
def test_ending_a_group_ends_those_below_it_and_nobody_else(tmp_path: Path) -> None:
    """Containers make groups below a run's own; two sites may have a run of one name."""
    with own_group(tmp_path / "a" / "r1") as one, own_group(tmp_path / "b" / "r1") as other:
        assert one
        assert other
        (one / "below").mkdir()
        inside, beside = (subprocess.Popen(["sleep", "60"]) for _ in range(2))
        control_groups.join(one / "below", inside.pid)
        control_groups.join(other, beside.pid)
        assert processes(one) == {inside.pid}

        assert end(one)

        assert inside.wait(5) == -9
        assert beside.poll() is None
        beside.kill()
        beside.wait()


@pytest.mark.parametrize("mounts", ["", "cgroup2 /nowhere cgroup2 ro 0 0\n"])
def test_without_control_groups_a_run_goes_on_and_the_reason_is_said(
    tmp_path: Path, mounts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mounts"
    table.write_text(mounts, encoding="utf-8")
    monkeypatch.setattr(control_groups, "MOUNTS", table)

    with own_group(tmp_path / "r1") as group:
        assert group is None
        control_groups.join(group, 1)
    assert "no control groups of version 2" in why_none()
    assert group_of(tmp_path / "r1") is None


def test_a_group_whose_last_process_is_still_ending_is_removed_a_moment_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel lists no process any more, and keeps the group until the last one has ended."""
    group, busy = tmp_path / "group", iter([True, True])
    group.mkdir()
    rmdir = Path.rmdir

    def refused_twice(path: Path) -> None:
        if next(busy, False):
            raise OSError(errno.EBUSY, "Device or resource busy")
        rmdir(path)

    monkeypatch.setattr(Path, "rmdir", refused_twice)

    assert end(group)
    assert not group.exists()
