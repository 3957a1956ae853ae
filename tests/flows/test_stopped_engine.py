"""An engine that is stopped for longer than its lease: another takes the run over, and the one that wakes has no part in it."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from flows.engine.recovery import recover
from flows.engine.state import Engine
from flows.performers.real import RealPerformer
from flows.runs.process import orphans
from ledger.evidence.plans import read_plan
from ledger.machine_time import machine_time
from ledger.project_time import project_now
from ledger.questions.records import claims
from ledger.reading import open_snapshot
from ledger.stores.file import LEDGER_FILE
from ledger.trust.audit import audit
from ledger.writing import Ledger
from tests.flows.conftest import row, runs, until
from tests.flows.witness import Witness

pytestmark = pytest.mark.slow

NAME = "030@pod-001"
LEASE_S = 2
STOPPED = f"""
import logging, sys
from pathlib import Path
from flows.engine.state import Engine
from flows.performers import lease, real
from flows.performers.real import RealPerformer
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
lease.LEASE_S, lease.RENEW_S = {LEASE_S}, 0.3
real.get_run_logger = logging.getLogger  # Prefect's wants a flow around it
site, playbooks, inventory = map(Path, sys.argv[1:])
with open_snapshot(site) as snapshot, Ledger.open(site) as ledger:
    performer = RealPerformer(playbooks, inventory, hands_off=False)
    engine = Engine(site, ledger, read_plan(snapshot), 1, project_now, performer, 0, rehearsal=False)
    job = performer.prepare(engine, snapshot, require_activity(snapshot, "{NAME}"))
    try:
        print(job())
    except NotSatisfiedError as error:
        print(error)
"""


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    """The hosts' own record of what worked on them."""
    found = Witness(tmp_path)
    found.write_playbook("networking/030.yml", beats=300, changes=False)
    return found


@pytest.fixture
def stopped(both_passed: Path, witness: Witness, inventory: Path) -> Iterator[subprocess.Popen[str]]:
    """An engine in the middle of a run, which does not get the processor any more. Its playbook goes on."""
    words = [sys.executable, "-c", STOPPED, both_passed, witness.playbooks, inventory]
    process = subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, text=True)
    try:
        until(witness.stretches, seconds=30)
        until(lambda: stops_between_writes(process, both_passed), seconds=10)
        yield process
    finally:
        process.kill()
        process.wait()


def stops_between_writes(process: subprocess.Popen[str], site: Path) -> bool:
    """Stop a process. If it has the ledger locked, let it go on instead: nobody could take its run over."""
    process.send_signal(signal.SIGSTOP)
    with closing(sqlite3.connect(site / LEDGER_FILE, timeout=1, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            process.send_signal(signal.SIGCONT)
            return False
        connection.execute("ROLLBACK")
    return True


def test_the_one_that_wakes_records_nothing_and_its_playbook_has_ended(
    stopped: subprocess.Popen[str],
    both_passed: Path,
    witness: Witness,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A virtual machine that is paused, or a laptop that sleeps, wakes in the middle of a task."""
    monkeypatch.setattr(orphans, "PATIENCE_S", 0.5)  # what has ended stays a zombie as long as its parent is stopped
    with open_snapshot(both_passed) as snapshot, Ledger.open(both_passed) as ledger:
        (held,) = claims(snapshot)
        performer = RealPerformer(tmp_path, None, hands_off=True)
        another = Engine(both_passed, ledger, read_plan(snapshot), 1, project_now, performer, 0, rehearsal=False)
        assert recover(another, snapshot) == [], "its lease goes on"
        until(lambda: machine_time() > held.lease_until, seconds=LEASE_S + 1)

        (said,) = recover(another, snapshot)
    taken_over = time.time()

    assert "it runs again" in said
    assert row(both_passed, NAME).attempt == 2
    stopped.send_signal(signal.SIGCONT)
    told, _ = stopped.communicate(timeout=20)
    assert "lost lease" in told
    assert [run.status for run in runs(both_passed, NAME)] == ["interrupted"]
    assert max(stretch.last for stretch in witness.stretches()) <= taken_over
    assert audit(both_passed) == []
