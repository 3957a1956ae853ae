"""Playbooks run by plain `ansible-playbook` on a lab, without the engine; and which of them a lab runs at all."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from steps.design.design import design_of_preset
from steps.planning.network.expansion import expand
from steps.planning.network.step_graph import step_graph
from steps.planning.planner import playbook_of
from tests.lab.lab import Lab
from tests.shipped import shipped_catalog

FOLDER = Path(__file__).parents[2] / "playbooks"
RECAP = re.compile(r"^(\S+) +: ok=\d+ +changed=(\d+) +unreachable=\d+ +failed=\d+", re.MULTILINE)
_PROOF = re.compile(r'"stdout": "(\{\\".*?\})", "stdout_lines"')
TIMEOUT_S = 1800

BY_ITSELF: dict[str, str] = {
    "go_live/186_end_to_end_training.yml": "runs jobs over all nodes for minutes: `test_go_live`",
    "go_live/187_fault_injection.yml": "breaks parts under jobs: `test_go_live`",
    "go_live/188_checkpoint_restart.yml": "runs jobs over all nodes for minutes: `test_go_live`",
    "go_live/189_benchmark_cluster.yml": "runs jobs over all nodes for minutes: `test_drills`",
    "go_live/190_disaster_recovery.yml": "erases a host: `test_drills`",
    "networking/059_fabric_counters.yml": "needs the subnet managers of step 060: `test_subnet_managers`",
    "networking/060_subnet_managers.yml": "needs an InfiniBand fabric, and two hosts for its managers: `test_subnet_managers`",
    "networking/053_network_segmentation.yml": "needs a switch with segments: `test_network_segmentation`",
    "networking/061_switch_firmware.yml": "writes firmware and restarts switches: `test_switch_firmware`",
    "networking/067_network_resilience.yml": "breaks a fabric that has a second way: `test_network_resilience`",
    "networking/048_switch_configuration.yml": "needs switches with Cumulus Linux: `test_switch_configuration`",
    "networking/H16_bmc_passwords.yml": "gives controllers other passwords: `test_bmc_accounts`",
    "networking/H16_factory_passwords.yml": "needs controllers with passwords of their own: `test_bmc_accounts`",
    "procurement/007_firmware_update.yml": "writes firmware and resets servers: `test_node_bring_up`",
    "server_assembly/017_bmc_addresses.yml": "writes a list where it is called: `test_node_bring_up`",
    "server_assembly/019_boot_volume.yml": "needs controllers whose drives hold nothing: `test_node_bring_up`",
    "server_assembly/H32_bmc_certificates.yml": "gives controllers other certificates: `test_bmc_certificates`",
    "server_assembly/032_virtual_media.yml": "needs the address of an image: `test_node_bring_up`",
    "server_assembly/034_gpu_burn_in.yml": "loads hosts for hours after it has ended: `test_provisioning`",
    "server_assembly/035_stress.yml": "loads hosts for hours after it has ended: `test_provisioning`",
    "storage/125_storage_network.yml": "needs three storage servers: `test_storage`",
    "storage/127_configure_object_storage.yml": "needs three storage servers: `test_storage`",
    "storage/128_set_up_file_system.yml": "needs three storage servers: `test_storage`",
    "storage/129_tune_file_system.yml": "needs three storage servers: `test_storage`",
    "storage/130_mount_file_system.yml": "needs three storage servers: `test_storage`",
    "storage/131_data_ingestion.yml": "needs three storage servers, and a source of data: `test_datasets`",
    "storage/132_preprocessing_servers.yml": "needs three storage servers: `test_datasets`",
    "storage/133_data_cache.yml": "needs three storage servers, and drives of nodes: `test_data_cache`",
    "storage/135_dataset_versioning.yml": "needs three storage servers: `test_datasets`",
    "storage/136_deduplication.yml": "needs three storage servers with btrfs: `test_datasets`",
    "storage/137_integrity_checking.yml": "needs three storage servers: `test_datasets`",
    "storage/138_backup.yml": "needs three storage servers: `test_storage`",
    "storage/140_storage_monitoring.yml": "needs three storage servers: `test_storage`",
    "software_stack/142_os_provisioning.yml": "serves addresses and boots hosts: `test_provisioning`",
}
"""Playbooks that need a test of their own, and why; by `phase/NNN_slug.yml`."""

NAMES = """
- hosts: compute:logins:management:storage_servers
  gather_facts: false
  roles: [os_baseline]
"""
PEOPLE = """
- hosts: compute
  gather_facts: false
  roles: [directory_client]
"""
"""Plays of small labs: every host knows the others by name, and compute hosts know the directory's people."""


@dataclass(frozen=True)
class Played:
    """One run: how it ended, how long it took, how many tasks changed something on each host, and what it said."""

    rc: int
    seconds: float
    changed: dict[str, int]
    said: str

    @property
    def changes(self) -> int:
        """Return how many tasks changed something, over all hosts."""
        return sum(self.changed.values())

    @property
    def proofs(self) -> dict[str, tuple[Any, str]]:
        """Return value and note of each metric that proofs have printed. The run was with `-v`."""
        return proofs_in(self.said)


def proofs_in(said: str) -> dict[str, tuple[Any, str]]:
    """Return value and note of each metric that the proofs of a run with `-v` have printed."""
    documents = [json.loads(json.loads(f'"{text}"')) for text in _PROOF.findall(said)]
    found = (item for document in documents for item in document.items())
    return {name: (entry["value"], entry["note"]) for name, entry in found if "." in name}


@cache
def every_playbook() -> tuple[str, ...]:
    """Return every playbook as `phase/NNN_slug.yml`, in an order that the steps' dependencies allow where nearly all apply."""
    steps, links = step_graph(expand(shipped_catalog(), design_of_preset("superpod-1su"), day_h=8))
    order: TopologicalSorter[str] = TopologicalSorter({step["step"]: () for step in steps})
    for link in links:
        order.add(link["to"], link["from"])
    rank = {step: number for number, step in enumerate(order.static_order())}
    found = sorted(FOLDER.glob("*/[0-9H][0-9][0-9]_*.yml"), key=lambda path: (rank[path.name[:3]], path.name))
    return tuple(str(path.relative_to(FOLDER)) for path in found)


@cache
def other_designs() -> tuple[str, ...]:
    """Return the playbooks that steps have in designs without a lab, and that have no test of their own."""
    values = design_of_preset("lab").site.values
    steps = (entry.step for entry in shipped_catalog().values() if entry.step.alternatives)
    others = (playbook for step in steps for playbook in step.playbooks if playbook != playbook_of(step, values))
    return tuple(playbook for playbook in others if playbook not in BY_ITSELF)


def playbooks() -> tuple[str, ...]:
    """Return the playbooks that can run one after another on one lab, and again, in that order."""
    return tuple(playbook for playbook in every_playbook() if playbook not in (*BY_ITSELF, *other_designs()))


def find(step: str) -> str:
    """Return the playbook of a step that has one."""
    lab = (playbook for playbook in every_playbook() if playbook not in other_designs())
    (playbook,) = (playbook for playbook in lab if Path(playbook).name.startswith(f"{step}_"))
    return playbook


def environment() -> dict[str, str]:
    """Return the environment in which Ansible runs."""
    return os.environ | {
        "ANSIBLE_ROLES_PATH": str(FOLDER / "roles"),
        "ANSIBLE_NOCOLOR": "1",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


def command(lab: Lab, playbook: Path | str, *options: str, inventory: Path | None = None) -> list[str]:
    """Return the command line that plays a playbook."""
    return ["ansible-playbook", "-i", str(inventory or lab.inventory), *options, str(FOLDER / playbook)]


def play(lab: Lab, playbook: Path | str, *options: str, inventory: Path | None = None) -> Played:
    """Run a playbook, one of `every_playbook` or a file, on the lab's inventory or on another of its hosts."""
    begun = time.monotonic()
    done = subprocess.run(
        command(lab, playbook, *options, inventory=inventory),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=environment(),
        timeout=TIMEOUT_S,
    )
    said = done.stdout + done.stderr
    changed = {host: int(count) for host, count in RECAP.findall(done.stdout)}
    return Played(done.returncode, time.monotonic() - begun, changed, said)


def played(lab: Lab, playbook: Path | str, *options: str, inventory: Path | None = None) -> Played:
    """Run a playbook; one that fails is the test's failure, with its last words."""
    ran = play(lab, playbook, *options, inventory=inventory)
    assert ran.rc == 0, f"{playbook}: {ran.said[-4000:]}"
    return ran
