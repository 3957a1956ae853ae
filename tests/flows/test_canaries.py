"""Nothing that a run leaves has a secret: one engine with real Ansible and Prefect, whose playbooks say secrets in every way."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from pydantic_core import to_jsonable_python

from flows.dashboard.server import PrefectServer
from flows.runs.process.leftovers import remote_temp, remove_abandoned
from flows.runs.process.orphans import end_group
from ledger.questions.records import evidence
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.request_decisions import request_cancel
from ledger.writing import Ledger
from steps.planning.plan import Plan
from tests.flows.canaries import CANARIES, found_in, is_asleep, write_canaries
from tests.flows.conftest import HOME, Start, engine_plan, runs, state, until
from tests.ledger.conftest import Clock, begun
from tests.ledger.journey import bought, passed, racked

pytestmark = pytest.mark.slow


@pytest.fixture
def previewed(tmp_path: Path) -> Path:
    """The small site with software at its turn, where a look precedes the release of step 040."""
    plan = to_jsonable_python(engine_plan())
    for one in plan["activities"]:
        one["preview"] = one["id"] == "040@pod-001"
    folder, clock = tmp_path / "site", Clock()
    with begun(folder, clock) as ledger:
        adopt_plan(ledger, "pm", Plan.model_validate(plan), reason="first plan")
    with Ledger.open(folder, clock=clock) as ledger:
        bought(ledger)
        for pod in (1, 2):
            racked(ledger, pod)
            passed(ledger, clock, pod)
    return folder


class AnsiblesTemporary:
    """Ansible's temporary folder of this account. Other runs of this machine use it too: only what is new is looked at."""

    def __init__(self) -> None:
        """Note what is there already."""
        self.folder = Path(pwd.getpwuid(os.geteuid()).pw_dir) / ".ansible" / "tmp"
        self.before = set(self.folder.glob("*")) - {self.folder / Path(remote_temp()).name}

    def since(self) -> set[Path]:
        """Return what has come since, and the folder that runs of ours use."""
        return set(self.folder.glob("*")) - self.before


PARENT = """
import sys, threading
from pathlib import Path
from flows.runs.run import RunSpec, run_playbook
book, inventory, work, pgid = map(Path, sys.argv[1:])
spec = RunSpec(playbook=book, inventory=inventory, hosts=("pod-002-n1",), extra_vars={"api_token": "none-of-ours"},
               work_dir=work, log=work.parent.parent / "log")
run_playbook(spec, on_pgid=lambda p: pgid.write_text(str(p)), cancel=threading.Event())
"""


def abandoned(folder: Path) -> None:
    """Make the folder of a run whose engine and supervisor were killed long ago."""
    (folder / "env").mkdir(parents=True)
    (folder / "env" / "extravars").write_text(CANARIES["inventory"], encoding="utf-8")
    os.utime(folder, (0, 0))


def kinds(site: Path) -> set[str]:
    """Return the kinds of evidence of the two steps of the first pod."""
    with open_snapshot(site) as snapshot:
        return {kept.kind for name in ("030@pod-001", "040@pod-001") for kept in evidence(snapshot, name)}


def test_no_file_of_a_run_a_look_or_a_stopped_run_has_a_secret_nor_has_prefects_database(
    previewed: Path,
    start: Start,
    server: PrefectServer,
    playbooks: Path,
    inventory: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What an auditor searches: the site, the run's folders, Ansible's own in the home, the databases with their logs."""
    home = tmp_path / "home"
    write_canaries(home, inventory, playbooks)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("BMC_TOKEN", CANARIES["shell"])

    temporary = AnsiblesTemporary()
    abandoned(previewed / ".clusterwright" / "runs" / "gone-run-0009")
    running = start(previewed)
    until(lambda: state(previewed, "030@pod-002") == "running", seconds=15)
    until(lambda: state(previewed, "030@pod-001") == "failed", seconds=60)
    live = previewed / ".clusterwright" / "live"
    until(is_asleep, seconds=15)
    with Ledger.open(previewed) as ledger:
        request_cancel(ledger, "lead", "030@pod-002")
    until(lambda: state(previewed, "030@pod-002") == "on_hold", seconds=15)
    until(lambda: "differences" in kinds(previewed), seconds=30)
    running.stop()
    time.sleep(1)

    assert {r.status for r in runs(previewed)} == {"failed", "interrupted"}
    assert kinds(previewed) == {"run-log", "differences"}
    said = "".join(path.read_text() for path in live.iterdir())
    assert "TASK Log in with [secret], [secret], [secret] and [secret]" in said
    left = [previewed, HOME, home / ".ansible", *temporary.since()]
    assert found_in(left, CANARIES.values()) == []


def test_what_a_killed_run_leaves_is_removed_by_the_next_engine(
    playbooks: Path, inventory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Engine and supervisor are killed at once, so nobody of the run itself can clean up."""
    write_canaries(tmp_path / "home", inventory, playbooks)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    temporary, name = AnsiblesTemporary(), f"killed-{os.getpid()}"
    left, pgid = tmp_path / "state", tmp_path / "pgid"
    work = left / "runs" / name
    words = [playbooks / "networking" / "030.yml", inventory, work, pgid]
    parent = subprocess.Popen([sys.executable, "-c", PARENT, *map(str, words)])
    until(is_asleep, seconds=30)
    psutil.Process(int(pgid.read_text())).kill()
    parent.kill()
    parent.wait()
    assert found_in([left, *temporary.since()], CANARIES.values())

    end_group(int(pgid.read_text()), work)
    remove_abandoned(work.parent, "mine")

    assert list(work.parent.iterdir()) == []
    assert found_in([left, *temporary.since()], CANARIES.values()) == []
