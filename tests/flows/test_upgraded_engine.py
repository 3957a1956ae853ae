"""A buildout that release 0.2.0 left waiting for a signature, a year before: what the pause costs, and how it goes on.

`paused.tar.xz` is its folder, with the ledger, the evidence and the dashboard's database as the engine of 0.2.0 left them. Project time
was 24 November 2025.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.trust.audit import audit
from ledger.writing import Ledger
from tests.commands import called
from tests.flows.conftest import PLAYBOOK, state, until
from tests.flows.engine_kills import ENGINE
from tests.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.own_file, pytest.mark.timeout(300)]

SPARE_ENDS = "import flows.runs.process.spare as spare; spare.IDLE_S = 2.0"
PAUSED = Path(__file__).parents[1] / "golden" / "upgrades" / "paused.tar.xz"


def test_a_buildout_that_waited_a_year_costs_no_process_and_goes_on_over_an_upgrade(tmp_path: Path) -> None:
    """The dashboard's database of the earlier release is taken over too."""
    shutil.unpack_archive(PAUSED, tmp_path)
    site = tmp_path / "paused"
    (site / "hosts.ini").write_text(f"here ansible_connection=local ansible_python_interpreter={sys.executable}\n")
    assert called(["allow", "--yes", "--site", site]).returncode == 0
    playbook = tmp_path / "playbooks" / "networking" / "200.yml"
    playbook.parent.mkdir(parents=True)
    playbook.write_text(PLAYBOOK.format(seconds=0), encoding="utf-8")
    with (tmp_path / "said").open("w") as said:
        engine = subprocess.Popen(
            [sys.executable, "-c", SPARE_ENDS + ENGINE, site, str(free_port()), playbook.parents[1]],
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        until(lambda: "running" in (tmp_path / "said").read_text() or engine.poll() is not None, seconds=180)
        until(lambda: children(engine) == ["flows.dashboard.app"], seconds=120)
        assert state(site, "100@pod-001") == "awaiting_sign_off"
        with open_snapshot(site) as snapshot:
            finished = require_activity(snapshot, "100@pod-001").finished_at
        assert finished is not None
        assert project_now() - finished > timedelta(days=360)

        with Ledger.open(site) as ledger:
            sign(ledger, "lead", "100@pod-001")

        until(lambda: state(site, "200@pod-001") == "done", seconds=120)
        until(
            lambda: children(engine) == ["flows.dashboard.app"], seconds=120
        )  # no spare supervisor is kept, and the forecast is made
    finally:
        engine.send_signal(signal.SIGINT)
        engine.wait(60)
    assert engine.returncode == 0
    assert not audit(site)


def children(engine: subprocess.Popen[bytes]) -> list[str]:
    """Return the modules of the processes that an engine has started."""
    found = psutil.Process(engine.pid).children(recursive=True)
    return [next((word for word in process.cmdline() if word.startswith("flows.")), "another") for process in found]
