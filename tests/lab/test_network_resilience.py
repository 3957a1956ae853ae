"""Step 067 on a routed fabric: trunks, a spine and a leaf are broken under load, and a second way that does not exist is found.

Playbook: `networking/067_network_resilience.yml`. FRR on every switch of the topology `clos`.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from steps.acceptance.measured import Measured
from tests.lab import routed
from tests.lab.as_engine import measured
from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import BY_ITSELF, Played, command, environment, play
from tests.lab.reaching import ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(900)]

(PLAYBOOK,) = (playbook for playbook in BY_ITSELF if "/067_" in playbook)
HOSTS = ("node-01", "node-02", *routed.LEAVES, *routed.SPINES)
TRUNK = {"name": "trunk to spine-1", "kind": "trunk", "host": "leaf-1", "ports": ["swp49"]}
SPINE = {"name": "spine-2", "kind": "spine", "host": "spine-2", "ports": ["swp1", "swp2"]}
FLAP = {"name": "port to spine-1", "kind": "flap", "host": "leaf-2", "ports": ["swp49"]}
LEAF = {"name": "leaf-2", "kind": "leaf", "host": "leaf-2", "ports": ["swp1", "swp49", "swp50"]}
QUICK = {
    "fabric_faults_kinds": ["trunk", "leaf", "spine", "flap"],
    "fabric_faults_hold_s": 8,
    "fabric_faults_lead_s": 3,
    "fabric_faults_settle_s": 5,
    "fabric_faults_bitrate": "1M",
}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Yield a lab with two ways between its hosts."""
    for lab in made_alone(os.environ.get("LAB_NAME", "cwres"), "10.82.0.0/22", "clos"):
        routed.route(lab)
        yield lab


def broken(lab: Lab, folder: Path, *script: dict[str, Any]) -> dict[str, Measured]:
    """Run the fault script as the engine does. Return what was measured."""
    found = measured(lab, "067", HOSTS, folder, {"vars": {"fabric_faults": list(script)}}, **QUICK)
    return {metric: reading for metric, by_host in found.items() for reading in by_host.values()}


def played(lab: Lab, folder: Path, *options: str, script: list[dict[str, Any]]) -> Played:
    """Play the step with a fault script."""
    path = folder / "faults.yml"
    path.write_text(yaml.safe_dump({"fabric_faults": script, **QUICK}), encoding="utf-8")
    return play(lab, PLAYBOOK, "-e", f"@{path}", *options)


def is_up(lab: Lab, switch: str, port: str) -> bool:
    """Say whether a port is up."""
    return "state UP" in ssh(lab, switch, f"ip link show {port}")


def test_traffic_takes_the_other_way_and_everything_is_put_back(lab: Lab, tmp_path: Path) -> None:
    found = broken(lab, tmp_path, TRUNK, SPINE, FLAP, LEAF)

    assert found["fault.scenarios_run_ratio"].value == 1, found
    assert found["fault.jobs_lost_on_trunk_or_spine"].value == 0, found
    assert float(found["fault.reroute_max_s"].value or 99) < 5, found
    assert found["fault.links_not_restored"].value == 0, found


def test_a_second_way_that_does_not_exist_is_found(lab: Lab, tmp_path: Path) -> None:
    """Every link is up: the router of the other spine is not."""
    ssh(lab, "spine-2", "systemctl stop frr")
    try:
        until(lambda: routed.sessions(lab)["leaf-1"], (1).__eq__, seconds=30)
        found = broken(lab, tmp_path, TRUNK, SPINE)
    finally:
        ssh(lab, "spine-2", "systemctl start frr")
        until(lambda: routed.sessions(lab), lambda stands: all(n == 2 for n in stands.values()), seconds=60)

    assert found["fault.jobs_lost_on_trunk_or_spine"].value == 1, found
    assert found["fault.jobs_lost_on_trunk_or_spine"].note.startswith("trunk to spine-1: node-0")
    assert found["fault.reroute_max_s"].value is None
    # nothing went over the spine without a router, so that its fault showed nothing, and two kinds have no line
    assert found["fault.scenarios_run_ratio"].value == pytest.approx(0.25)
    assert "spine-2: its ports carried" in found["fault.scenarios_run_ratio"].note


def test_nothing_is_broken_in_check_mode_nor_where_a_port_is_down_already(lab: Lab, tmp_path: Path) -> None:
    checked = played(lab, tmp_path, "--check", script=[TRUNK])
    ssh(lab, "leaf-1", "ip link set swp49 down")
    try:
        refused = played(lab, tmp_path, script=[TRUNK])
    finally:
        ssh(lab, "leaf-1", "ip link set swp49 up")

    assert (checked.rc, checked.changes) == (0, 0), checked.said[-4000:]
    assert refused.rc != 0
    assert "leaf-1: not up before the test: swp49. Nothing was broken" in refused.said


def test_a_link_comes_back_by_itself_where_the_run_was_killed(lab: Lab, tmp_path: Path) -> None:
    path = tmp_path / "faults.yml"
    path.write_text(yaml.safe_dump({"fabric_faults": [TRUNK], **QUICK}), encoding="utf-8")
    ansible = command(lab, PLAYBOOK, "-e", f"@{path}")
    run = subprocess.Popen(ansible, env=environment(), stdout=subprocess.DEVNULL, start_new_session=True)
    assert until(lambda: is_up(lab, "leaf-1", "swp49"), lambda up: not up, seconds=60) is False
    os.killpg(run.pid, signal.SIGKILL)  # its workers too
    run.wait()

    assert until(lambda: is_up(lab, "leaf-1", "swp49"), bool, seconds=20)
