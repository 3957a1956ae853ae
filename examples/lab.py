"""The lab's hosts from bare Debian to a scheduler, monitoring and training, by the commands a person would type; prints each.

Usage: lab.py FOLDER [PORT], as root, with the lab up (`make lab-up`). Every playbook runs through the engine. What the
lab cannot show is waived as `lab_waivers.yaml` says, criterion by criterion; anything else that is not met ends the walk with
exit code 1. What it has no equipment for is attested. The walk is over when every step with a playbook is settled.
"""

from __future__ import annotations

import subprocess
import sys
import time
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import yaml
from waivers import read_waivers
from walk import Rows, Site, drive, engine, make, report_met

PERSON = "ada"
FABRIC: dict[str, Any] = {
    "network_segment_ports": {"eth1": "rail-1", "eth2": "rail-2"},
    "fabric_faults": [
        {"name": "cable of node-01", "kind": "server-cable", "host": "leaf-1", "ports": ["swp3"]},
        {"name": "port of node-02", "kind": "flap", "host": "leaf-2", "ports": ["swp4"]},
    ],
    "fabric_faults_kinds": ["server-cable", "flap"],  # two leaves without a spine
    "fabric_faults_hold_s": 8,
    "fabric_faults_lead_s": 3,
    "fabric_faults_settle_s": 5,
    "fabric_faults_bitrate": "1M",
    "reference_run_terms": {"interface": "eth1", "steps": 80, "checkpoint_every": 20},
    # with a pause of 0.2 s for the work of a step a server does seven tenths of it
    "contract_benchmark_terms": {
        "server_tflops": 6.5e-6,
        "runs": 2,
        "spread": 0.5,
        "minutes": 0.1,
        "job": {"steps": 60, "step_s": 0.2},
    },
}
"""What the lab's people would write about its cables: which port is on which rail, what is broken on purpose, where jobs speak, what was agreed."""


def has_settled(rows: Rows) -> bool:
    """Say whether nothing that has a playbook is left to do."""
    return all(row["state"] in {"done", "not_applicable"} for row in rows if row["playbook"])


def rails(site: Site) -> dict[str, str]:
    """Return the network of each rail, from an address that the inventory has on it."""
    inventory = yaml.safe_load((site.folder / "inventory" / "hosts.yml").read_text(encoding="utf-8"))
    peers = inventory["all"]["children"]["compute"]["hosts"]["node-01"]["path_mtu_peers"]
    ports = FABRIC["network_segment_ports"]
    return {rail: str(ip_network(f"{peers[port][0]}/24", strict=False)) for port, rail in ports.items()}


def add_variables(site: Site) -> None:
    """Add the fabric's variables to the inventory, and a person with a key of their own, for directory, scheduler and audit."""
    key = site.folder / "person_key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", PERSON, "-f", str(key)], check=True)
    public = key.with_suffix(".pub").read_text(encoding="utf-8").strip()
    variables = FABRIC | {
        "network_segments": {rail: {"networks": [network]} for rail, network in rails(site).items()},
        "directory_server_people": [{"name": PERSON, "uid": 20001, "ssh_keys": [public]}],
        "slurm_policy_accounts": {"research": {"fairshare": 100, "users": [PERSON]}},
        "audit_owners": dict.fromkeys(("idle", "memory", "loader", "imbalance", "degraded"), PERSON),
    }
    folder = site.folder / "inventory" / "group_vars"
    folder.mkdir()
    (folder / "all.yml").write_text(yaml.safe_dump(variables, sort_keys=False), encoding="utf-8")


def main() -> None:
    """Take the lab from its declaration to the last automated step."""
    site = Site(
        Path(sys.argv[1]),
        waivers=read_waivers(Path(__file__).with_name("lab_waivers.yaml")),
        by_hand_because="the lab has no such equipment, or it came with the hosts",
    )
    began = time.monotonic()
    make(site, "lab")
    add_variables(site)
    site.run("allow", "--yes")
    with engine(site, sys.argv[2] if len(sys.argv) > 2 else "4211"):
        drive(site, has_settled)
        report_met(site)
    site.run("status")
    site.run("report", "summary")
    site.run("audit")
    print(f"\n{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
