"""The engine's rules, with the real Prefect server and real Ansible runs on this machine."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path
from unittest.mock import Mock

import pytest

from flows.dashboard.server import PrefectServer
from flows.engine.state import Work
from flows.runs.bundle.digest import run_digest
from ledger.subjects.runs.decisions import release
from ledger.subjects.runs.request_decisions import request_cancel
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, hold, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from tests.flows.conftest import PLAYBOOK, Running, Start, row, runs, state, task_runs, until
from tests.ledger.conftest import Clock
from tests.ledger.journey import bought, passed, racked

pytestmark = pytest.mark.slow

SIGN = """
import sys
from pathlib import Path
from ledger.subjects.sign_off.decisions import sign
from ledger.writing import Ledger
with Ledger.open(Path(sys.argv[1])) as ledger:
    sign(ledger, "lead2", sys.argv[2])
"""


def slow(playbooks: Path, name: str, seconds: int) -> None:
    (playbooks / "networking" / name).write_text(PLAYBOOK.format(seconds=seconds), encoding="utf-8")


def names(server: PrefectServer, running: Running) -> dict[str, str]:
    """Return the tasks of an engine by name, with the name of their state."""
    return {run["name"]: (run["state"] or {}).get("name", "") for run in task_runs(server, running)}


def work(running: Running) -> list[Work]:
    """Return what the engine would hand out now."""
    with running.engine.snapshot() as snapshot:
        return running.engine.work(snapshot)


def test_a_sign_off_from_another_process_starts_its_successors_beside_a_long_run(
    site: Path, start: Start, playbooks: Path
) -> None:
    slow(playbooks, "030.yml", 20)
    _half_signed(site)
    start(site)
    until(lambda: state(site, "030@pod-001") == "running", seconds=15)

    subprocess.run([sys.executable, "-c", SIGN, str(site), "020@pod-002"], check=True)
    took = until(lambda: state(site, "030@pod-002") == "running", seconds=15)

    assert took < 5
    assert state(site, "030@pod-001") == "running"


def test_what_is_ready_begins_beside_a_full_advance_that_waits_for_a_long_run(
    site: Path, start: Start, playbooks: Path, server: PrefectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An advance has as many tasks as its graph shows. It waits for them; the next takes what comes meanwhile."""
    monkeypatch.setattr("flows.phases.phase_flow.TASKS_A_RUN", 1)
    slow(playbooks, "030.yml", 12)
    _half_signed(site)
    running = start(site)
    until(lambda: state(site, "030@pod-001") == "running", seconds=15)

    with Ledger.open(site) as ledger:
        sign(ledger, "lead2", "020@pod-002")
    took = until(lambda: state(site, "030@pod-002") == "running", seconds=15)

    assert took < 5
    assert state(site, "030@pod-001") == "running"
    until(lambda: "running" not in {state(site, "030@pod-001"), state(site, "030@pod-002")}, seconds=60)
    running.stop()
    until(
        lambda: {how for name, how in names(server, running).items() if name.startswith("030")} == {"Checked, not met"},
        seconds=15,
    )


def _half_signed(site: Path) -> None:
    """Pass the hold point of the first pod; that of the second lacks its last signature."""
    clock = Clock()
    with Ledger.open(site, clock=clock) as ledger:
        bought(ledger)
        for pod in (1, 2):
            racked(ledger, pod)
        passed(ledger, clock, 1)
        start(ledger, "tech", "020@pod-002")
        finish(ledger, "tech", "020@pod-002")
        sign(ledger, "lead", "020@pod-002")


def test_people_are_asked_once_an_attempt_even_by_the_next_engine(
    site: Path, start: Start, server: PrefectServer
) -> None:
    first = start(site)
    asked = {"001 Step 001 · site · asks technician": "Waits for a person"}
    until(lambda: names(server, first) == asked, seconds=15)
    first.stop()

    again = start(site)
    until(lambda: not work(again), seconds=5)

    assert again.engine.task_runs == 0


def test_a_step_without_a_playbook_waits_and_says_so(both_passed: Path, start: Start, server: PrefectServer) -> None:
    running = start(both_passed)
    name = "060 Step 060 · pod-001"
    until(lambda: names(server, running).get(name) == "Not automated yet", seconds=30)

    assert state(both_passed, "060@pod-001") == "ready"


def test_what_was_not_measured_is_never_passed(both_passed: Path, start: Start, server: PrefectServer) -> None:
    running = start(both_passed)
    until(lambda: state(both_passed, "030@pod-001") == "checked_not_met", seconds=30)
    until(lambda: names(server, running).get("030 Step 030 · pod-001") == "Checked, not met", seconds=15)


def test_a_change_waits_for_a_release_of_just_this(
    both_passed: Path, start: Start, playbooks: Path, inventory: Path
) -> None:
    start(both_passed)
    until(lambda: runs(both_passed, "030@pod-001"), seconds=15)
    assert state(both_passed, "040@pod-001") == "ready"

    with Ledger.open(both_passed) as ledger:
        release(ledger, "lead", "040@pod-001", hosts=["pod-001-n1"], count=1, playbook_digest="another")
    until(lambda: state(both_passed, "030@pod-001") == "checked_not_met", seconds=30)
    assert state(both_passed, "040@pod-001") == "ready"
    digest = run_digest(playbooks / "networking" / "040.yml", inventory)
    with Ledger.open(both_passed) as ledger:
        release(ledger, "lead", "040@pod-001", hosts=["pod-001-n1"], count=1, playbook_digest=digest)
    until(lambda: runs(both_passed, "040@pod-001"), seconds=5)


def test_hands_off_runs_what_reads_and_leaves_even_released_changes(
    both_passed: Path, start: Start, playbooks: Path, inventory: Path, server: PrefectServer
) -> None:
    digest = run_digest(playbooks / "networking" / "040.yml", inventory)
    with Ledger.open(both_passed) as ledger:
        release(ledger, "lead", "040@pod-001", hosts=["pod-001-n1"], count=1, playbook_digest=digest)

    running = start(both_passed, hands_off=True)
    until(lambda: state(both_passed, "030@pod-001") == "checked_not_met", seconds=30)
    until(lambda: names(server, running).get("040 Step 040 · pod-001") == "Hands off", seconds=15)

    assert not runs(both_passed, "040@pod-001")


def test_no_two_runs_touch_one_host(both_passed: Path, start: Start, playbooks: Path, inventory: Path) -> None:
    digest = run_digest(playbooks / "networking" / "040.yml", inventory)
    with Ledger.open(both_passed) as ledger:
        release(ledger, "lead", "040@pod-001", hosts=["pod-001-n1"], count=1, playbook_digest=digest)

    start(both_passed)
    until(lambda: len([r for r in runs(both_passed) if r.settled_at]) == 3, seconds=40)

    on_one_host = [r for r in runs(both_passed) if r.activity.endswith("pod-001")]
    assert len(on_one_host) == 2
    assert all(a.settled_at <= b.started_at or b.settled_at <= a.started_at for a, b in combinations(on_one_host, 2))  # type: ignore[operator]


def test_a_run_stopped_by_request_waits_for_a_person(both_passed: Path, start: Start, playbooks: Path) -> None:
    slow(playbooks, "030.yml", 60)
    with Ledger.open(both_passed) as ledger:
        hold(ledger, "pm", "030@pod-002", "one run is enough here")
    running = start(both_passed)
    until(lambda: state(both_passed, "030@pod-001") == "running", seconds=15)

    with Ledger.open(both_passed) as ledger:
        request_cancel(ledger, "lead", "030@pod-001")
    until(lambda: state(both_passed, "030@pod-001") == "on_hold", seconds=15)

    assert [r.status for r in runs(both_passed, "030@pod-001")] == ["interrupted"]
    assert any("stopping it" in sentence for sentence in running.said)


def test_stopping_the_engine_interrupts_its_runs_and_leaves_no_claim(
    both_passed: Path, start: Start, playbooks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(playbooks, "030.yml", 60)
    running = start(both_passed)
    until(lambda: state(both_passed, "030@pod-001") == "running", seconds=15)

    waits = Mock(wraps=running.engine.wakeup.wait)
    monkeypatch.setattr(running.engine.wakeup, "wait", waits)
    began = time.monotonic()
    running.stop()
    took_s = time.monotonic() - began

    assert state(both_passed, "030@pod-001") == "ready"
    assert row(both_passed, "030@pod-001").attempt == 2
    assert waits.call_count < 20 * (1 + took_s), "it waits for the end of its runs, and does not ask all the time"
    assert not audit(both_passed)
