"""What the proofs of the pods' halves make of a node and of what the scheduler prints. `tests/lab/test_pods.py` runs them on nodes."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime

import pytest

from tests.lab.playing import FOLDER
from tests.playbooks.scripts import script

FILES = FOLDER / "roles" / "proof" / "files"
STARTED = "2026-11-23T04:15:16"
LINES = [
    f"NodeName=node-01 Arch=x86_64 CPUTot=2 State=IDLE+DYNAMIC_NORM OS=Linux 6.1 #1 SMP SlurmdStartTime={STARTED} Weight=1",
    "NodeName=node-02 CoresPerSocket=2 State=DOWN*+DYNAMIC_NORM BootTime=None SlurmdStartTime=None",
    f"NodeName=node-03 CPUTot=2 State=IDLE+DYNAMIC_NORM SlurmdStartTime={STARTED} Reason=a=b",
]
BEGAN = datetime.fromisoformat(STARTED).timestamp()


@pytest.mark.parametrize(
    ("began", "joined", "young"),
    [
        (BEGAN - 1, {"node-03"}, ["node-01"]),
        (BEGAN - 1, {"node-01", "node-03"}, []),
        (BEGAN + 1, {"node-03"}, []),
    ],
)
def test_a_daemon_elsewhere_that_is_younger_than_the_run_is_named(
    began: float, joined: set[str], young: list[str]
) -> None:
    assert script("proof", "node_jobs").restarted(LINES, began, joined) == young


def test_a_scheduler_that_does_not_answer_says_nothing_of_other_nodes() -> None:
    assert script("proof", "node_jobs").restarted([], BEGAN, set()) is None


def test_a_host_that_has_not_joined_lacks_services_and_says_which() -> None:
    done = subprocess.run(
        [sys.executable, "-B", str(FILES / "node_services.py"), "nobody-by-this-name", "1.5", "missing"],
        capture_output=True,
        text=True,
        check=True,
    )

    found = json.loads(done.stdout)

    assert found["node.services_missing"]["value"] >= 2
    assert "the directory's account nobody-by-this-name is not known" in found["node.services_missing"]["note"]
    assert "no certificate (/etc/clusterwright/host.pem)" in found["node.services_missing"]["note"]
    assert found["node.log_delay_s"] == {"value": None, "note": "its line is not in the log store"}
