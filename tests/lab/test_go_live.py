"""Go-live on real hosts: training at every scale, restarts from checkpoints, faults under it. Jobs run as a person's, by Slurm.

Ranks are processes that speak by gloo over the data plane; the work of a step is a pause, as all hosts share two cores. What must be
found is made by the real tool: a slow port by tc, checkpoints by truncate and PyTorch, a cluster that does not recover by Slurm's own settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import NAMES, PEOPLE, find, played
from tests.lab.reaching import broken, ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

STEPS = (NAMES, "144", "145", "146", "H40", PEOPLE, "156", "H41", "H39", "138")
SETTINGS = {
    "slurm_health_interval_s": 10,
    # 145 and H38, which bring rsyslog, are left out
    "node_check_services": ["chrony", "munge", "slurmd", "sssd"],
    # homes are the file system that all share, and what is copied
    "storage_backup_paths": ["/home"],
    "storage_backup_sample_mib": 16,
    "reference_run_terms": {"interface": "eth1", "steps": 80, "checkpoint_every": 20},
}
BACKUP = "storage/138_backup.yml"
NODES = ("node-01", "node-02", "node-03", "node-04")
STEPS_OF_GO_LIVE = {
    "186": "go_live/186_end_to_end_training.yml",
    "187": "go_live/187_fault_injection.yml",
    "188": "go_live/188_checkpoint_restart.yml",
}
RUN = "/home/cwproof/reference/restarted"

Readings = dict[str, tuple[Any, str]]


class Site:
    """A lab with homes and Slurm, and its playbooks of go-live."""

    def __init__(self, lab: Lab, settings: Path) -> None:
        self.lab, self.settings = lab, settings

    def measured(self, step: str, *options: str, **variables: object) -> Readings:
        """Run a step's playbook, which changes nothing once its job is on the nodes. Return value and note of each metric."""
        more = ("-e", json.dumps(variables)) if variables else ()
        ran = played(self.lab, STEPS_OF_GO_LIVE[step], "-v", "-e", f"@{self.settings}", *more, *options)
        return ran.proofs

    def proved(self, step: str, **variables: object) -> Readings:
        """Run what measures alone, so that what is broken on the nodes stays so."""
        return self.measured(step, "--tags", "proof", **variables)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    for lab in made_alone("cwgoli", "10.84.0.0/22", "golive"):
        folder = tmp_path_factory.mktemp("plays")
        settings = folder / "settings.json"
        settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
        for step in STEPS:
            plays: Path | str = folder / "plays.yml"
            if "\n" in step:
                folder.joinpath("plays.yml").write_text(step, encoding="utf-8")
            else:
                plays = BACKUP if step == "138" else find(step)
            played(lab, plays, "-e", f"@{settings}")
        yield Site(lab, settings)


def nodes(lab: Lab) -> list[str]:
    """Return the state of every node."""
    return ssh(lab, "mgmt", "sinfo -h -N -p main -o %T").split()


@pytest.mark.parametrize("step", STEPS_OF_GO_LIVE)
def test_check_mode_runs_no_job_and_changes_nothing(site: Site, step: str) -> None:
    before = ssh(site.lab, "mgmt", "sacct -nPX -u cwproof | wc -l")

    assert site.measured(step, "--check") == {}

    assert ssh(site.lab, "mgmt", "sacct -nPX -u cwproof | wc -l") == before


def test_servers_train_together_as_fast_as_alone_and_with_the_same_losses(site: Site) -> None:
    found = site.measured("186")

    value, note = found["training.scaling_efficiency"]
    assert value >= 0.85, note
    assert re.search(r"2 together \d\.\d\d, 4 together \d\.\d\d; on processors, by gloo; slow: none", note)
    same, against = found["training.loss_curve_match"]
    assert same is True, against
    assert against.startswith("6 curves against node-01 alone over 20 steps")


def test_a_server_that_is_slow_to_reach_costs_efficiency_and_is_named(site: Site) -> None:
    slow = "tc qdisc replace dev eth1 root tbf rate 5mbit burst 16kb latency 400ms"
    with broken(site.lab, slow, "tc qdisc del dev eth1 root", "node-03"):
        found = site.proved("186")

    value, note = found["training.scaling_efficiency"]
    assert value < 0.85, note
    assert "; slow: node-03 (to reach: " in note
    assert found["training.loss_curve_match"][0] is True


def test_a_server_with_other_code_spoils_the_curve_and_is_named(site: Site) -> None:
    program = "/opt/clusterwright/training/train.py"
    other = f"sed -i.kept s/1_000_003/1_000_033/ {program}"
    with broken(site.lab, other, f"mv {program}.kept {program}", "node-02"):
        same, note = site.proved("186")["training.loss_curve_match"]

    assert same is False
    assert "; node-02 is beside it most, by " in note


def test_a_run_that_lost_a_node_goes_on_to_the_same_losses_bit_for_bit(site: Site) -> None:
    found = site.measured("188")

    value, note = found["restart.loss_deviation"]
    assert value == 0, note
    ((same, all_of_them),) = re.findall(r"resumed at step \d+; (\d+) of (\d+) losses", note)
    assert same == all_of_them
    assert 0 < found["restart.minutes"][0] < 15
    assert nodes(site.lab) == ["idle"] * len(NODES)


def while_queued_again(site: Site, program: str) -> Thread:
    """Start to wait until the run that lost a node is queued again, and then run a program in its folder as its person."""
    ssh(site.lab, "node-01", f"cat >/tmp/spoil.py <<'END'\n{program}END")

    def spoil() -> None:
        ask = f"squeue -h -u cwproof -o %T,%r; ls {RUN}/curve.jsonl 2>/dev/null || true"
        until(
            lambda: ssh(site.lab, "mgmt", ask).split(),
            lambda said: said == ["PENDING,BeginTime", f"{RUN}/curve.jsonl"],
            seconds=600,
        )
        ssh(site.lab, "node-01", f"runuser -u cwproof -- env -C {RUN} python3 /tmp/spoil.py")

    waiting = Thread(target=spoil)
    waiting.start()
    return waiting


CUT_OFF_AND_LACKING = """
import os, torch
os.truncate("checkpoint-0.pt", 9000)
os.truncate("checkpoint-2.pt", 0)
kept = torch.load("checkpoint-1.pt")
del kept["optimizer"]
torch.save(kept, "checkpoint-1.pt")
"""
OTHER_RANDOM_STATE = """
import torch
for name in ("checkpoint-0.pt", "checkpoint-1.pt", "checkpoint-2.pt"):
    kept = torch.load(name)
    kept["random"] = [torch.Generator().manual_seed(99).get_state() for _ in kept["random"]]
    torch.save(kept, name)
"""


def test_checkpoints_that_are_cut_off_or_lack_a_part_are_refused(site: Site) -> None:
    spoilt = while_queued_again(site, CUT_OFF_AND_LACKING)
    value, note = site.proved("188")["restart.loss_deviation"]
    spoilt.join()

    assert value is None
    assert "checkpoint-0.pt cannot be read" in note
    assert "checkpoint-1.pt lacks optimizer" in note
    assert "checkpoint-2.pt cannot be read" in note


def test_a_checkpoint_with_another_random_state_goes_on_to_other_losses(site: Site) -> None:
    spoilt = while_queued_again(site, OTHER_RANDOM_STATE)
    value, note = site.proved("188")["restart.loss_deviation"]
    spoilt.join()

    assert value > 0.1, note


FAULTS = ("rank", "disk", "storage", "link", "power")


def test_training_outlives_every_fault_and_somebody_notices(site: Site) -> None:
    found = site.measured("187")

    value, note = found["fault.recovered_ratio"]
    assert value == 1, note
    assert [part.split(":")[0] for part in note.split("; ")] == list(FAULTS)
    seen = dict(part.split(": ", 1) for part in note.split("; "))
    assert "(the job: srun says that a rank was lost), no step for " in seen["rank"]
    assert "(Slurm: draining node-check: /tmp has 0.0 % of its space left" in seen["disk"]
    assert re.search(r"no step for [0-5] s, 0 restarts", seen["disk"])
    (silent_s,) = re.findall(r"no step for (\d+) s, 0 restarts", seen["storage"])
    assert 15 < float(silent_s) < 120
    assert "node-check: port eth1 is down" in seen["link"]
    assert re.search(r"noticed after \d+ s \((Slurm: down|the job: srun says)", seen["power"])
    assert 0 < found["fault.restart_minutes"][0] < 15
    assert nodes(site.lab) == ["idle"] * len(NODES)
    left = "systemctl is-active clusterwright-fault; nft list tables; findmnt -n /tmp | grep size=1024k; cat /sys/class/net/eth1/operstate"
    assert {ssh(site.lab, host, f"{left} || true") for host in NODES} == {"inactive\nup"}


def test_a_node_that_does_not_look_at_itself_is_found(site: Site) -> None:
    look = "/usr/local/sbin/slurm-node-check"
    with broken(site.lab, f"chmod -x {look}", f"chmod +x {look}", *NODES):
        found = site.proved("187", fault_drill_faults=["disk"], fault_drill_patience_s=60)

    assert found["fault.recovered_ratio"] == (0, "disk: NOT NOTICED by Slurm, an alert or the job")


def test_a_scheduler_that_queues_no_job_again_is_found(site: Site) -> None:
    off = "sed -i.kept s/JobRequeue=1/JobRequeue=0/ /etc/slurm/slurm.conf"
    on = "mv /etc/slurm/slurm.conf.kept /etc/slurm/slurm.conf"
    read = "systemctl is-active -q slurmctld && scontrol reconfigure"
    with broken(site.lab, f"{off}; {read}", f"{on}; {read}", "login", "mgmt"):
        found = site.proved("187", fault_drill_faults=["power"], fault_drill_patience_s=400)

    value, note = found["fault.recovered_ratio"]
    assert value == 0
    assert note.startswith("power: NOT RECOVERED: the job did not come to its end (")
    assert found["fault.restart_minutes"][0] is None
    assert nodes(site.lab) == ["idle"] * len(NODES)
