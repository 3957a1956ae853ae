"""The engine as a process: real Prefect, real Ansible, killed and started again."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from ledger.questions import records, why
from ledger.questions.case import require_activity
from ledger.questions.links import predecessors
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity
from ledger.rules.judgement import CriterionRow
from ledger.trust.audit import audit
from tests.acceptance.handing import FIXTURES
from tests.conftest import Command
from tests.dashboard import give_dashboard
from tests.once import Once
from tests.ports import free_port

pytestmark = pytest.mark.slow


def until(true: Callable[[], object], *, seconds: float) -> float:
    """Wait until something is so. Return how many seconds it took."""
    began = time.monotonic()
    while not true():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"it did not happen in {seconds} s")
        time.sleep(0.1)
    return time.monotonic() - began


def row(site: Path, activity: str) -> Activity:
    with open_snapshot(site) as snapshot:
        return require_activity(snapshot, activity)


def runs(site: Path, activity: str) -> list[records.RunRow]:
    with open_snapshot(site) as snapshot:
        return records.runs(snapshot, activity)


@pytest.fixture
def machine(tmp_path: Path, command: Command, once: Once) -> Path:
    """The localhost preset, adopted, with the same steps on any machine: those too that cannot be met in a container."""
    folder = tmp_path / "machine"
    assert command("init", "--preset", "localhost", folder).returncode == 0
    site_yaml = folder / "site.yaml"
    said = re.sub(r"^decisions:\n( .*\n)+", "", site_yaml.read_text(encoding="utf-8"), flags=re.MULTILINE)
    site_yaml.write_text(said, encoding="utf-8")
    done = command("plan", "adopt", "--site", folder, "--as", "owner", "--yes")
    assert done.returncode == 0, done.stderr
    return give_dashboard(folder, once)


@pytest.fixture
def stress_ng(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program of this name first on the PATH: it prints at once what stress-ng printed on a machine in order."""
    programs = tmp_path / "programs"
    programs.mkdir()
    double = programs / "stress-ng"
    printed = f"case $1 in --cpu) cat {FIXTURES}/stress_cpu.yaml;; --vm) cat {FIXTURES}/stress_memory.yaml;; esac"
    double.write_text(f"#!/bin/sh\n{printed}\n", encoding="utf-8")
    double.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")


WITH_PLAYBOOKS = """
import sys, threading
from pathlib import Path
from flows.engine.up import run_engine
site, port, playbooks = sys.argv[1:]
run_engine(Path(site), port=int(port), hands_off=False, until_idle=False, on_message=lambda t: print(t, flush=True),
           stop=threading.Event(), playbooks=Path(playbooks))
"""


class Up:
    """A `clusterwright up` in a process of its own."""

    def __init__(self, site: Path, *options: str, playbooks: Path | None = None) -> None:
        self.site = site
        self.port = free_port()
        self.log = site.parent / f"up-{self.port}.log"
        words = [sys.executable, "-m", "clusterwright", "up", "--site", str(site), "--port", str(self.port), *options]
        if playbooks is not None:
            words = [sys.executable, "-c", WITH_PLAYBOOKS, str(site), str(self.port), str(playbooks)]
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def started(self) -> Up:
        until(lambda: "running;" in self.said() or "hands off" in self.said(), seconds=90)
        return self

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(90)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)


@pytest.fixture
def up() -> Iterator[Callable[..., Up]]:
    engines: list[Up] = []

    def start(site: Path, *options: str, playbooks: Path | None = None) -> Up:
        engines.append(Up(site, *options, playbooks=playbooks))
        return engines[-1]

    yield start
    for engine in engines:
        if engine.process.poll() is None:
            engine.kill()


def waive_and_go_on(command: Command, site: Path, activity: str) -> None:
    result = command(
        "waive", activity, "--reason", "no such hardware here", "--due", "2030-01-01", "--site", site, "--as", "owner"
    )
    assert result.returncode == 0, result.stderr


def test_the_engine_runs_real_checks_and_a_decision_starts_what_follows_within_five_seconds(
    machine: Path, command: Command, up: Callable[..., Up]
) -> None:
    engine = up(machine).started()
    until(lambda: row(machine, "007@pod-001").state.value in {"checked_not_met", "done"}, seconds=60)
    first = row(machine, "007@pod-001")
    assert first.state.value == "checked_not_met" or "waived" not in first.flags

    if first.state.value == "checked_not_met":
        waive_and_go_on(command, machine, "007@pod-001")
    took = until(lambda: row(machine, "008@pod-001").state.value not in {"blocked", "ready"}, seconds=20)

    assert took < 5
    until(lambda: row(machine, "008@pod-001").state.value != "running", seconds=60)
    result = command("sign", "195@site", "--site", machine, "--as", "owner")
    assert result.returncode == 1
    assert "open" in result.stderr or "blocked" in result.stderr
    assert engine.stop() == 0
    assert "in the dashboard" in engine.said()
    assert not audit(machine)


def test_a_killed_engine_leaves_no_playbook_behind_and_the_next_goes_on(
    machine: Path, tmp_path: Path, up: Callable[..., Up]
) -> None:
    engine = up(machine, playbooks=slow_playbooks(tmp_path)).started()
    until(lambda: row(machine, "007@pod-001").state.value == "running", seconds=60)
    until(lambda: processes_of(machine), seconds=30)

    engine.kill()

    until(lambda: not processes_of(machine), seconds=15)
    shutil.rmtree(machine / ".clusterwright" / "prefect")
    again = up(machine).started()
    until(lambda: len(runs(machine, "007@pod-001")) == 2, seconds=60)
    until(lambda: row(machine, "007@pod-001").state.value != "running", seconds=90)

    assert {r.status for r in runs(machine, "007@pod-001")} >= {"interrupted"}
    assert row(machine, "007@pod-001").attempt == 2
    assert again.stop() == 0
    found = audit(machine)
    assert not found


@pytest.mark.long
def test_hands_off_runs_no_change_and_after_an_engine_that_lost_its_dashboard_the_next_runs_it(
    machine: Path, command: Command, up: Callable[..., Up], stress_ng: None
) -> None:
    """The dashboard's database may be deleted at any time: what was decided is in the ledger."""
    stressing(machine, command)
    engine = up(machine, "--hands-off").started()
    result = command("release", "035@pod-001", "--yes", "--site", machine, "--as", "owner")
    assert result.returncode == 0, result.stderr
    time.sleep(4)
    assert row(machine, "035@pod-001").state.value == "ready"
    shutil.rmtree(machine / ".clusterwright" / "prefect")
    assert engine.process.wait(60) == 3
    assert "database was deleted" in engine.said()
    assert "Traceback" not in engine.said()
    assert not audit(machine)

    again = up(machine).started()
    until(lambda: runs(machine, "035@pod-001"), seconds=90)
    until(lambda: row(machine, "035@pod-001").state.value != "running", seconds=90)
    assert again.stop() == 0
    assert "stress.cpu_failures" in {c.metric for c in criteria(machine, "035@pod-001") if c.verdict == "met"}


def slow_playbooks(folder: Path) -> Path:
    """Our playbooks, with one that takes its time."""
    from importlib.resources import files

    copy = folder / "playbooks"
    shutil.copytree(str(files("playbooks")), copy)
    (copy / "procurement" / "007_firmware_inventory.yml").write_text(
        "- name: Take a long time\n  hosts: all\n  gather_facts: false\n  tasks:\n"
        "    - name: Sleep\n      ansible.builtin.command: {argv: [sleep, '600']}\n      changed_when: false\n",
        encoding="utf-8",
    )
    return copy


def processes_of(site: Path) -> list[str]:
    """The living processes of a site's runs: those that name its folder of runs, and sleepers below them."""
    mark = str(site / ".clusterwright" / "runs")
    found = []
    for process in psutil.process_iter():
        try:
            words = " ".join(process.cmdline())
            if process.status() != psutil.STATUS_ZOMBIE and (mark in words or words == "sleep 600"):
                found.append(words)
        except psutil.NoSuchProcess:
            continue
    return found


def criteria(site: Path, activity: str) -> list[CriterionRow]:
    with open_snapshot(site) as snapshot:
        return why.criteria(snapshot, activity)


def stressing(site: Path, command: Command) -> None:
    """Record everything before the stress test as done before Clusterwright."""
    with open_snapshot(site) as snapshot:
        before: set[str] = set()
        open_ = ["035@pod-001"]
        while open_:
            for link in predecessors(snapshot, open_.pop()):
                if link.before not in before:
                    before.add(link.before)
                    open_.append(link.before)
    rows = site / "progress.csv"
    lines = [f"{name},done,2026-01-01,2026-01-01,somebody," for name in sorted(before)]
    rows.write_text("activity,state,started,finished,by,note\n" + "\n".join(lines) + "\n", encoding="utf-8")
    result = command("import-progress", rows, "--yes", "--site", site, "--as", "owner")
    assert result.returncode == 0, result.stderr
