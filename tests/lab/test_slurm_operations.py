"""Slurm as it is run: nodes that are no longer as they were accepted, a controller that dies, jobs that leave things behind.

Everything is broken by its own tool: a disk by filling it, a clock by its source, a port by its cable, a controller by its power.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

from ledger.machine_time import machine_time
from tests.lab import lifecycle, network, supervisor
from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.lifecycle import ssh_command
from tests.lab.playing import NAMES, PEOPLE, Played, find, play, played
from tests.lab.reaching import broken, ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

STEPS = (NAMES, "144", "146", "H40", PEOPLE, "156", "H41", "H39")
LOOK_S = 10
SETTINGS = {
    "slurm_health_interval_s": LOOK_S,
    "slurm_exporter_look_s": 2,
    # 145 and H38, which bring rsyslog, are left out
    "node_check_services": ["chrony", "munge", "slurmd", "sssd"],
}
QUEUE = "/home/.slurmctld"
SPANK = {
    "greeting.c": """\
#include <stdio.h>
#include <slurm/spank.h>
SPANK_PLUGIN(greeting, 1);
static char said[64];
static int heard(int value, const char *text, int remote) { snprintf(said, sizeof said, "%s", text); return 0; }
struct spank_option spank_options[] = {{"greeting", "TEXT", "What a job finds", 1, 0, heard}, SPANK_OPTIONS_TABLE_END};
int slurm_spank_task_init(spank_t job, int argc, char **argv) { return *said ? spank_setenv(job, "GREETING", said, 1) : 0; }
""",
    "Makefile": """\
install:
\tmkdir -p $(prefix)/lib/slurm
\tcc -shared -fPIC -o $(prefix)/lib/slurm/greeting.so greeting.c
""",
}
AS_PERSON = "runuser -u cwproof -- env -C /home/cwproof HOME=/home/cwproof"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    for lab in made_alone("cwslrm", "10.84.0.0/22", "users"):
        folder = tmp_path_factory.mktemp("plays")
        settings = folder / "settings.json"
        settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
        inventory = yaml.safe_load(lab.inventory.read_text(encoding="utf-8"))
        inventory["all"]["children"]["compute"]["hosts"]["node-02"]["slurm_leaf"] = "leaf-2"
        changed = folder / "hosts.yml"
        changed.write_text(yaml.safe_dump(inventory), encoding="utf-8")
        for step in STEPS:
            plays: Path | str = folder / "plays.yml"
            if "\n" in step:
                folder.joinpath("plays.yml").write_text(step, encoding="utf-8")
            else:
                plays = find(step)
            played(lab, plays, "-e", f"@{settings}", inventory=changed)
        yield lab


def node(lab: Lab, name: str = "node-01", *, asked_on: str = "mgmt") -> str:
    """Return a node's state and why it is out of service."""
    return ssh(lab, asked_on, f"sinfo -h -N -p main -n {name} -o '%T %E'")


def submit(lab: Lab, options: str, script: str, *, asked_on: str = "mgmt") -> str:
    """Return the number of a job of a plain person."""
    return ssh(lab, asked_on, f"{AS_PERSON} sbatch --parsable --mem=64 --time=10 {options} --wrap='{script}'")


def state(lab: Lab, job: str, *, asked_on: str = "mgmt") -> str:
    """Return the state of a job in the queue, or an empty text."""
    return ssh(lab, asked_on, f"squeue -h -j {job} -o %T 2>/dev/null || true")


FAULTS = {
    "a full disk": (
        "mount -t tmpfs -o size=1m tmpfs /tmp; dd if=/dev/zero of=/tmp/core 2>/dev/null || true",
        "umount /tmp",
        "/tmp has 0.0 % of its space left, under 5 %",
    ),
    "a disk that went read-only": ("mount -t tmpfs -o ro tmpfs /tmp", "umount /tmp", "/tmp is read-only"),
    "a lost mount": (
        "systemctl stop home.automount home.mount",
        "systemctl start home.automount",
        "/home is not mounted",
    ),
    "a wrong clock": (
        "sed -i.kept 's/^server.*/& offset 0.5/' /etc/chrony/chrony.conf; systemctl restart chrony; chronyc waitsync 30 0 0 1",
        "mv /etc/chrony/chrony.conf.kept /etc/chrony/chrony.conf; systemctl restart chrony; chronyc waitsync 30 0.001 0 1",
        "the clock is off by",
    ),
    "a service that stopped": ("systemctl stop sssd", "systemctl start sssd", "sssd is inactive"),
    "lost memory": (
        "sed 's/^MemTotal:.*/MemTotal: 1048576 kB/' /proc/meminfo >/run/meminfo; mount --bind /run/meminfo /proc/meminfo",
        "umount /proc/meminfo",
        "1024 MiB of memory, accepted with",
    ),
    "a lost GPU": (
        'sed -i.kept \'s/"gpus": 0/"gpus": 2/\' /etc/clusterwright/node_check.json; mknod /dev/nvidia0 c 1 3',
        "mv /etc/clusterwright/node_check.json.kept /etc/clusterwright/node_check.json; rm /dev/nvidia0",
        "1 of 2 GPUs",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_node_that_is_not_as_accepted_goes_out_of_service_with_the_reason_and_comes_back(
    lab: Lab, fault: str
) -> None:
    by, right_by, reason = FAULTS[fault]

    with broken(lab, by, right_by, "node-01"):
        out = until(partial(node, lab), lambda said: "node-check" in said, seconds=60)
        assert out.startswith("drained node-check: ")
        assert reason in out
        assert node(lab, "node-02") == "idle none"

    assert until(partial(node, lab), lambda said: said == "idle none", seconds=60) == "idle none"


def test_a_cable_that_is_out_and_back_takes_a_node_out_and_brings_it_back(lab: Lab) -> None:
    host = lab.topology.host("node-01")
    network.cut(lab, host, "eth1")
    try:
        out = until(partial(node, lab), lambda said: "node-check" in said, seconds=60)
    finally:
        network.join(lab, host, "eth1")

    assert "port eth1 is " in out
    assert until(partial(node, lab), lambda said: said == "idle none", seconds=60) == "idle none"


def test_a_node_that_a_person_took_out_stays_out_with_their_reason(lab: Lab) -> None:
    ssh(lab, "mgmt", "scontrol update NodeName=node-01 State=DRAIN Reason='a fan is replaced'")
    try:
        with broken(lab, *FAULTS["a full disk"][:2], "node-01"):
            ssh(lab, "node-01", "slurm-node-check; true")
            assert node(lab) == "drained a fan is replaced"
        ssh(lab, "node-01", "slurm-node-check")
        assert node(lab) == "drained a fan is replaced"
    finally:
        ssh(lab, "mgmt", "scontrol update NodeName=node-01 State=RESUME")


def test_a_job_that_comes_before_the_next_look_starts_on_another_node(lab: Lab) -> None:
    """The look at intervals is taken away, so that the one before a job finds the fault."""
    until(partial(node, lab), "idle none".__eq__, seconds=60)
    busy = submit(lab, "-w node-02 --exclusive --output=/dev/null", "sleep 300")
    until(partial(state, lab, busy), "RUNNING".__eq__, seconds=30)
    with (
        broken(
            lab, "chmod -x /usr/local/sbin/slurm-node-check", "chmod +x /usr/local/sbin/slurm-node-check", "node-01"
        ),
        broken(lab, *FAULTS["a full disk"][:2], "node-01"),
    ):
        job = submit(lab, "--output=/dev/null", "sleep 1")
        out = until(partial(node, lab), lambda said: said.startswith("drained"), seconds=60)
        ssh(lab, "mgmt", f"scancel {busy}")
        # Slurm lets two minutes pass before it starts a job again
        until(partial(state, lab, job), lambda said: not said, seconds=240)
        ended = until(
            lambda: ssh(lab, "mgmt", f"sacct -nPX -j {job} -o State,NodeList"), lambda s: "COMP" in s, seconds=60
        )

    assert (ended, out.startswith("drained node-check: /tmp has")) == ("COMPLETED|node-02", True)
    assert until(partial(node, lab), lambda said: said == "idle none", seconds=60) == "idle none"


def test_a_node_without_jobs_is_loaded_at_night_and_one_that_fails_stays_out(lab: Lab) -> None:
    until(partial(node, lab), lambda said: said == "idle none", seconds=60)
    ssh(lab, "node-01", "systemctl start node-active-check")
    # a node that was put back is `idle*` until the controller has heard from it, within a second
    assert until(partial(node, lab), lambda said: said == "idle none", seconds=20) == "idle none"
    left = ssh(lab, "node-01", "cat /var/lib/prometheus/node-exporter/node_active_check.prom")
    assert "node_active_check_passed 1" in left

    ssh(lab, "node-01", "systemctl start --no-block node-active-check")
    assert until(partial(node, lab), lambda said: said != "idle none", seconds=20) == "drained active-check: runs"
    until(lambda: ssh(lab, "node-01", "pkill -KILL stress-ng && echo hit || true"), bool, seconds=10)
    try:
        out = until(partial(node, lab), lambda said: "exit" in said, seconds=30)
        assert out.startswith("drained active-check: stress-ng: exit ")
        ssh(lab, "node-01", "slurm-node-check")
        assert node(lab) == out
    finally:
        ssh(lab, "mgmt", "scontrol update NodeName=node-01 State=RESUME")


def test_a_nightly_check_that_was_cut_off_leaves_no_node_out_and_one_with_a_job_is_left_alone(lab: Lab) -> None:
    ssh(lab, "node-01", "systemctl start --no-block node-active-check")
    until(partial(node, lab), lambda said: said != "idle none", seconds=20)
    ssh(lab, "node-01", "systemctl kill -s KILL node-active-check")
    assert until(partial(node, lab), lambda said: said == "idle none", seconds=40) == "idle none"

    job = submit(lab, "-w node-02 --output=/dev/null", "sleep 60")
    until(partial(state, lab, job), lambda said: said == "RUNNING", seconds=30)
    ssh(lab, "node-02", "systemctl start node-active-check")
    assert state(lab, job) == "RUNNING"
    assert "not idle" in ssh(lab, "node-02", "journalctl -u node-active-check -o cat -n 20")
    ssh(lab, "mgmt", f"scancel {job}")


def test_after_a_persons_last_job_nothing_of_theirs_is_left_on_the_node(lab: Lab) -> None:
    leaves = "setsid -f sleep 3333; echo much >/dev/shm/much; sleep {}"
    first = submit(lab, "-w node-02 --output=/dev/null", leaves.format(2))
    second = submit(lab, "-w node-02 --output=/dev/null", leaves.format(20))
    left = "pgrep -c -U cwproof -f 'sleep 3333'; ls /dev/shm"

    until(partial(state, lab, first), lambda said: not said, seconds=60)
    assert "much" in ssh(lab, "node-02", f"{left} || true")
    until(partial(state, lab, second), lambda said: not said, seconds=60)

    assert until(lambda: ssh(lab, "node-02", f"{left} || true"), lambda said: said == "0", seconds=20) == "0"


def test_a_node_is_started_again_between_jobs(lab: Lab) -> None:
    """Slurm waits for a later boot of the kernel, which the lab's hosts share: that it comes back is not seen here."""
    job = submit(lab, "-w node-02 --output=/dev/null", "sleep 8")
    until(partial(state, lab, job), lambda said: said == "RUNNING", seconds=30)
    before = ssh(lab, "node-02", "stat -c %Y /proc/1")
    ssh(lab, "mgmt", "scontrol reboot ASAP nextstate=RESUME reason='new kernel' node-02")
    assert state(lab, job) == "RUNNING"
    until(partial(state, lab, job), lambda said: not said, seconds=30)

    after = until(partial(booted, lab, "node-02"), lambda at: at > before, seconds=60)
    ssh(
        lab,
        "mgmt",
        "scontrol update NodeName=node-02 State=DOWN Reason=lab; scontrol update NodeName=node-02 State=RESUME",
    )

    assert after > before
    assert until(partial(node, lab, "node-02"), lambda said: said == "idle none", seconds=60) == "idle none"


def booted(lab: Lab, host: str) -> str:
    """Return when a host has started, or an empty text while it does not answer."""
    began = subprocess.run([*ssh_command(lab, host), "stat -c %Y /proc/1"], capture_output=True, text=True, check=False)
    return began.stdout.strip()


def test_ranks_of_two_nodes_know_each_other_by_pmix(lab: Lab) -> None:
    said = ssh(lab, "mgmt", f"{AS_PERSON} srun --mpi=pmix -N2 --mem=64 sh -c 'echo $PMIX_RANK $PMIX_NAMESPACE'")

    (_, zero), (_, one) = (line.split() for line in sorted(said.splitlines()))
    assert sorted(line.split()[0] for line in said.splitlines()) == ["0", "1"]
    assert zero == one


def test_a_job_may_ask_for_hosts_of_one_leaf(lab: Lab) -> None:
    ask = f"{AS_PERSON} srun --immediate=5 --mem=64"
    assert ssh(lab, "mgmt", f"{ask} --constraint=leaf-2 hostname") == "node-02"
    refused = ssh(lab, "mgmt", f"{ask} -N2 --constraint='[leaf-1|leaf-2]' hostname 2>&1 || true")

    assert "Requested node configuration is not available" in refused


def series(lab: Lab, host: str) -> set[str]:
    """Return the series of Slurm that a controller leaves for its node exporter."""
    lines = ssh(lab, host, "cat /var/lib/prometheus/node-exporter/slurm.prom").splitlines()
    return {line for line in lines if not line.startswith("#")}


def test_the_state_of_slurm_is_in_series(lab: Lab) -> None:
    ssh(lab, "mgmt", "scontrol update NodeName=node-01 State=DRAIN Reason='fan 2 is replaced'")
    job = submit(lab, "-w node-02 --output=/dev/null", "sleep 60")
    try:
        wanted = {
            'slurm_controller_up{controller="mgmt",rank="primary"} 1',
            'slurm_controller_up{controller="login",rank="backup"} 1',
            'slurm_node_out{node="node-01",state="drained",reason="fan 2 is replaced"} 1',
            'slurm_nodes{state="drained"} 1',
            'slurm_jobs{partition="main",state="running"} 1',
            "slurm_up 1",
        }
        assert until(partial(series, lab, "mgmt"), lambda found: wanted <= found, seconds=30) >= wanted
        assert until(partial(series, lab, "login"), lambda found: wanted <= found, seconds=30) >= wanted
    finally:
        ssh(lab, "mgmt", f"scancel {job}; scontrol update NodeName=node-01 State=RESUME")


def test_controllers_that_share_no_queue_are_refused(lab: Lab) -> None:
    ran = play(lab, find("156"), "-e", "slurm_state_folder=/var/lib/slurm/slurmctld")

    assert ran.rc != 0
    assert "/home/.slurmctld" in ssh(lab, "mgmt", "grep StateSaveLocation /etc/slurm/slurm.conf")
    assert "/var/lib/slurm/slurmctld of login is not that of mgmt" in ran.said


def test_the_queue_goes_on_when_the_first_controller_loses_power_and_comes_back(lab: Lab) -> None:
    runs = submit(lab, "-w node-01 --exclusive --output=/dev/null", "sleep 600")
    waits = submit(lab, "-w node-01 --exclusive --output=/dev/null", "sleep 1")
    until(partial(state, lab, runs), lambda said: said == "RUNNING", seconds=30)
    began = ssh(lab, "mgmt", "date +%s")
    # Slurm saves its queue every five seconds: a job of the last of them is unknown to the second controller
    assert until(lambda: ssh(lab, "mgmt", f"find {QUEUE}/job_state -newermt @{began}"), bool, seconds=30)
    ask = partial(ssh, lab, "login")

    supervisor.switch(lab, "off", "mgmt")
    try:
        taken = until(
            lambda: ask("scontrol ping 2>/dev/null | grep backup || true"), lambda said: "is UP" in said, seconds=5
        )
        assert "is UP" in taken
        until(partial(state, lab, runs, asked_on="login"), bool, seconds=120)
        assert state(lab, runs, asked_on="login") == "RUNNING"
        new = submit(lab, "-w node-02 --output=/dev/null", "sleep 1", asked_on="login")
        ask(f"scancel {runs}")
        for job in (waits, new):
            assert until(partial(state, lab, job, asked_on="login"), lambda said: not said, seconds=90) == ""
        down = 'slurm_controller_up{controller="mgmt",rank="primary"} 0'
        assert down in until(partial(series, lab, "login"), lambda found: down in found, seconds=40)
    finally:
        supervisor.switch(lab, "on", "mgmt")
        lifecycle.wait_for_ssh(lab, "mgmt")
    ended = until(
        lambda: ssh(lab, "mgmt", f"sacct -nPX -j {waits},{new} -o State 2>/dev/null || true").split(),
        lambda states: states == ["COMPLETED"] * 2,
        seconds=120,
    )
    assert ended == ["COMPLETED"] * 2
    both = ("primary) at mgmt is UP", "backup) at login is UP")
    back = until(
        lambda: ssh(lab, "mgmt", "scontrol ping || true"), lambda said: all(up in said for up in both), seconds=60
    )
    assert all(up in back for up in both), back
    until(partial(node, lab, "node-02"), lambda said: said == "idle none", seconds=60)


MAINTENANCE = """
- hosts: node-01
  gather_facts: false
  vars: {maintenance_what: a new driver, maintenance_poll_s: 1}
  roles: [maintenance]
  post_tasks:
    - name: See how it is meanwhile
      ansible.builtin.command:
        argv: [sinfo, -h, -n, node-01, -p, main, -o, "%T %E"]
      changed_when: false
    - ansible.builtin.include_role: {name: maintenance, tasks_from: leave}
"""
ALWAYS = "00:00-24:00 UTC"


def maintain(lab: Lab, folder: Path, **settings: str | int) -> Played:
    """Take a node out of service for maintenance, look at it, and put it back."""
    plays = folder / "plays.yml"
    plays.write_text(MAINTENANCE, encoding="utf-8")
    return play(lab, plays, "-v", "-e", json.dumps(settings))


def test_a_node_is_empty_before_it_is_maintained_and_takes_jobs_afterwards(lab: Lab, tmp_path: Path) -> None:
    job = submit(lab, "-w node-01", "sleep 10")
    until(partial(state, lab, job), "RUNNING".__eq__, seconds=30)

    ran = maintain(lab, tmp_path, maintenance_window=ALWAYS)

    assert ran.rc == 0, ran.said[-4000:]
    assert '"stdout": "drained maintenance: a new driver"' in ran.said
    assert not state(lab, job)
    assert node(lab) == "idle none"


def test_a_node_that_is_kept_free_for_a_larger_job_takes_jobs_after_its_maintenance(lab: Lab, tmp_path: Path) -> None:
    busy = submit(lab, "-w node-02 --exclusive --output=/dev/null", "sleep 300")
    until(partial(state, lab, busy), "RUNNING".__eq__, seconds=30)
    larger = submit(lab, "-N2 --exclusive --output=/dev/null", "sleep 1")
    planned = until(partial(node, lab), "planned none".__eq__, seconds=60)

    ran = maintain(lab, tmp_path, maintenance_window=ALWAYS)
    after = until(partial(node, lab), "planned none".__eq__, seconds=60)
    ssh(lab, "mgmt", f"scancel {busy} {larger}")

    assert ran.rc == 0, ran.said[-4000:]
    assert planned == after == "planned none"
    until(partial(node, lab, "node-02"), "idle none".__eq__, seconds=60)


def test_a_node_whose_job_does_not_end_is_put_back_and_nothing_else_is_done(lab: Lab, tmp_path: Path) -> None:
    job = submit(lab, "-w node-01", "sleep 300")
    until(partial(state, lab, job), "RUNNING".__eq__, seconds=30)

    ran = maintain(lab, tmp_path, maintenance_window=ALWAYS, maintenance_wait_s=4)
    after, still = node(lab), state(lab, job)
    ssh(lab, "mgmt", f"scancel {job}")

    assert ran.rc != 0
    assert f"Jobs {job} had not ended after 4 s" in ran.said
    assert (after, still) == ("mixed none", "RUNNING")


def test_outside_of_the_window_no_node_is_taken_out(lab: Lab, tmp_path: Path) -> None:
    closed = f"{machine_time() + timedelta(days=3):%a} 22:00-04:00 UTC"
    until(partial(node, lab), "idle none".__eq__, seconds=30)

    ran = maintain(lab, tmp_path, maintenance_window=closed)

    assert ran.rc != 0
    assert f"outside of the window {closed}. Nothing was changed" in ran.said
    assert node(lab) == "idle none"


def test_a_spank_plugin_is_built_for_the_slurm_of_each_host_and_jobs_have_its_options(lab: Lab, tmp_path: Path) -> None:
    source = tmp_path / "greeting-1"
    source.mkdir()
    for name, text in SPANK.items():
        (source / name).write_text(text, encoding="utf-8")
    archive = tmp_path / "greeting.tar.gz"
    subprocess.run(["tar", "-czf", archive, "-C", tmp_path, source.name], check=True)
    plugin = {"archive": str(archive), "sha256": sha256(archive.read_bytes()).hexdigest(), "file": "greeting.so"}

    def with_plugin(step: str, **changes: str) -> Played:
        return play(lab, find(step), "-e", json.dumps(SETTINGS | {"slurm_spank_plugins": [plugin | changes]}))

    other = with_plugin("156", sha256="0" * 64)
    first = [with_plugin(step) for step in ("156", "H39")]
    said = ssh(lab, "login", f"{AS_PERSON} srun --greeting=hello --immediate=30 -N2 --mem=64 printenv GREETING")
    again = [with_plugin(step) for step in ("156", "H39")]

    assert other.rc != 0
    assert "greeting.so.tar.gz: FAILED" in other.said
    assert [ran.rc for ran in (*first, *again)] == [0] * 4, first[-1].said[-3000:]
    assert said.split() == ["hello"] * 2
    assert [sum(ran.changed.values()) for ran in again] == [0, 0]
