"""What people are promised of the scheduler, broken by its own tools: each playbook that proves it must find that, and say where.

Two device files of each node stand in for GPUs, so that their hours are accounted for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest

from tests.lab.as_engine import Reader
from tests.lab.conftest import made_alone
from tests.lab.playing import find, played
from tests.lab.reaching import ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(1800)]

ACCOUNT = """
- hosts: all
  gather_facts: false
  roles: [os_baseline]
  tasks:
    - ansible.builtin.user: {name: cwproof, uid: 3001, shell: /bin/bash}
"""
STEPS: dict[str, tuple[str, ...]] = {"144": (), "156": (), "H39": ("--tags", "join")}
SETTINGS = {
    "slurm_gres": {"gpu": 2},
    # homes, logs and the directory are left out
    "node_check_mounts": [],
    "node_check_services": ["chrony", "munge", "slurmd"],
}
CONF = "/etc/slurm/slurm.conf"
EPILOG = "/etc/slurm/epilog.d/60-tidy"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """A lab with a scheduler."""
    for lab in made_alone("cwbrok", "10.81.16.0/22", "rack"):
        folder = tmp_path_factory.mktemp("plays")
        settings, account = folder / "settings.json", folder / "account.yml"
        settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
        account.write_text(ACCOUNT, encoding="utf-8")
        for node in ("node-01", "node-02"):
            ssh(lab, node, "for n in 0 1; do [ -e /dev/nvidia$n ] || mknod -m 666 /dev/nvidia$n c 1 3; done")
        played(lab, account)
        for step, options in STEPS.items():
            played(lab, find(step), "-e", f"@{settings}", *options)
        yield Reader(lab, tmp_path_factory.mktemp("readings"))


def other_settings(site: Reader, *changes: str) -> AbstractContextManager[None]:
    """Let the controller run with other lines in its configuration."""
    edits = " ".join(f"-e '{change}'" for change in changes)
    again = "systemctl restart slurmctld; timeout 20 sh -c 'until scontrol ping | grep -q UP$; do sleep 0.2; done'"
    return site.broken("mgmt", f"sed -i.kept {edits} {CONF}; {again}", f"mv {CONF}.kept {CONF}; {again}")


def somebody(site: Reader, does: str) -> AbstractContextManager[None]:
    """Let somebody do something again and again on the management host."""
    again = f"systemd-run -q --unit=somebody sh -c 'while sleep 0.5; do {does}; done'"
    return site.broken("mgmt", again, "systemctl stop somebody")


def test_a_queue_without_its_limit_and_qualities_without_weight_are_found(site: Reader) -> None:
    assert site.on_management("157", "queue.policy_test_failures")[0] == 0

    with other_settings(site, "/^PartitionName=short/s/MaxTime=[^ ]*/MaxTime=INFINITE/", "/^PriorityWeightQOS/d"):
        value, note = site.on_management("157", "queue.policy_test_failures")

    assert value == 2
    assert "taken: more time than the short queue allows; priorities are not in order" in note


def test_limits_that_nobody_enforces_are_found(site: Reader) -> None:
    with other_settings(site, "/^AccountingStorageEnforce/d"):
        value, note = site.on_management("157", "queue.policy_test_failures")

    assert (value or 0) >= 2, note
    assert "taken: a person without an account" in note


def test_urgent_jobs_that_displace_nothing_are_found(site: Reader) -> None:
    with other_settings(site, "s/^PreemptMode=.*/PreemptMode=OFF/", "s:^PreemptType=.*:PreemptType=preempt/none:"):
        value, note = site.on_management("160", "preempt.lost_steps")

    assert value is None
    assert "nothing was displaced on node-01: the urgent job waits (Resources)" in note


def test_a_node_that_tidies_checkpoints_away_is_found(site: Reader) -> None:
    assert site.on_management("160", "preempt.lost_steps")[0] == 0
    tidy = f"printf '#!/bin/sh\\nrm -f /tmp/*/checkpoint\\n' >{EPILOG}; chmod +x {EPILOG}"

    with site.broken("node-01", tidy, f"rm {EPILOG}"):
        value, note = site.on_management("160", "preempt.lost_steps")

    assert (value or 0) > 1, note
    assert note.startswith("displaced on node-01 at step ")
    assert "resumed at step 0" in note


def test_a_reservation_that_somebody_takes_away_is_found(site: Reader) -> None:
    assert site.on_management("162", "reservation.intruding_jobs")[0] == 0

    with somebody(site, "scontrol delete reservationname=cwproof-reservation"):
        value, note = site.on_management("162", "reservation.intruding_jobs")

    assert value == 1
    assert note.startswith("node-01: job of another ")


def test_gpus_that_accounting_does_not_count_are_found(site: Reader) -> None:
    value, note = site.on_management("163", "accounting.gpu_hours_error")
    assert value is not None, note
    assert value <= 5  # of 20 s; a job of the lab may last a second longer

    with other_settings(site, "/^AccountingStorageTRES/d"):
        value, note = site.on_management("163", "accounting.gpu_hours_error")

    assert value == 100
    assert "0 s of 80 s of GPU" in note


def test_accounting_that_does_not_answer_is_named(site: Reader) -> None:
    well = "systemctl start slurmdbd; timeout 30 sh -c 'until sacct -nX; do sleep 0.5; done >/dev/null 2>&1'"

    with site.broken("mgmt", "systemctl stop slurmdbd", well):
        value, note = site.on_management("163", "accounting.gpu_hours_error")

    assert value is None
    assert "sacct: error: " in note


def test_messages_that_the_scheduler_does_not_send_are_found(site: Reader) -> None:
    assert site.on_management("164", "notify.events_missed") == (0, "6 events")

    with other_settings(site, "s:^MailProg=.*:MailProg=/bin/true:"):
        value, note = site.on_management("164", "notify.events_missed")

    assert value == 6
    assert note.count("missed: ") == 6


def test_stages_that_do_not_wait_are_found(site: Reader) -> None:
    assert site.on_management("165", "chain.wrong_order")[0] == 0

    free = (
        'for j in $(squeue -h -o "%i %E" | grep after | cut -d" " -f1); do scontrol update jobid=$j dependency=; done'
    )
    with somebody(site, free):
        value, note = site.on_management("165", "chain.wrong_order")

    assert (value or 0) >= 1, note
    assert note.endswith("chain with a failing stage: COMPLETED, FAILED, COMPLETED")


def test_a_stage_that_waits_for_ever_is_found(site: Reader) -> None:
    with other_settings(site, "/^DependencyParameters/d"):
        value, note = site.on_management("165", "chain.wrong_order")

    assert value == 1
    assert note.endswith("chain with a failing stage: COMPLETED, FAILED, PENDING")
