"""A second pod that is powered on when the first one works: it joins, the first is left alone, and a node that was wiped is found.

The lab's nodes are dealt to two pods. While the site's steps and the first pod's run, the second one's hosts are off, and in no
inventory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.lab import lifecycle, supervisor
from tests.lab.lab import Lab
from tests.lab.playing import Played, find, play, played
from tests.lab.reaching import ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

SITE = ("143", "145", "146", "H40", "156")
JOIN = ("H38", "144", "H41", "H39")
FIRST, SECOND = ("node-01",), ("node-02", "node-03")
READING = re.compile(r'\\"([a-z]+\.[a-z_]+)\\": \{\\"value\\": ([^,]+), \\"note\\": \\"(.*?)\\"\}')
DAEMON = "systemctl show -P ExecMainPID -P ExecMainStartTimestamp slurmd"
AS_PERSON = "runuser -u cwproof -- env -C /home/cwproof"
SUBMIT = f"{AS_PERSON} sbatch --parsable --mem=64 "
LIBRARY = (
    "sed -i 's/^Components: main$/Components: main contrib non-free/' /etc/apt/sources.list.d/*.sources; apt-get -q update; "
    "DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends libnvidia-ml1 libnvidia-ml-dev"
)


def wiped(lab: Lab, *hosts: str) -> None:
    """Boot hosts with fresh disks, and wait for them."""
    for host in hosts:
        supervisor.switch(lab, "provision", host)
        lifecycle.wait_for_ssh(lab, host)


def joined(lab: Lab, *nodes: str, inventory: Path | None = None) -> dict[str, Played]:
    """Run the pod's halves for these nodes, as a run of their pod does."""
    return {step: played(lab, find(step), "--limit", ",".join(nodes), inventory=inventory) for step in JOIN}


def readings(lab: Lab, step: str, node: str) -> dict[str, tuple[object, str]]:
    """Return what a pod's half finds on a node, without changing it."""
    ran = played(lab, find(step), "-v", "--tags", "proof", "--limit", node)
    assert ran.changes == 0
    return {name: (json.loads(value), note) for name, value, note in READING.findall(ran.said)}


def state(lab: Lab, job: str) -> str:
    """Return the state of a job."""
    return ssh(lab, "mgmt", f"sacct -nPX -j {job} -o State")


@pytest.fixture(scope="module")
def first_pod(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Return a lab with the site's services and its first pod, while the second one is off."""
    inventory = yaml.safe_load(lab.inventory.read_text(encoding="utf-8"))
    for node in SECOND:
        del inventory["all"]["children"]["compute"]["hosts"][node]
    early = tmp_path_factory.mktemp("early") / "hosts.yml"
    early.write_text(yaml.safe_dump(inventory), encoding="utf-8")
    with ThreadPoolExecutor() as pool:
        list(pool.map(partial(wiped, lab), ("mgmt", "login", "storage", *FIRST)))
    for node in SECOND:
        supervisor.switch(lab, "off", node)
    try:
        for step in SITE:
            played(lab, find(step), inventory=early)
        joined(lab, *FIRST, inventory=early)
        yield lab
    finally:
        for node in SECOND:
            supervisor.switch(lab, "on", node)
            lifecycle.wait_for_ssh(lab, node)


@pytest.fixture(scope="module")
def two_pods(first_pod: Lab) -> tuple[Lab, str, str]:
    """Return the lab once the second pod has joined; a job of the first pod, and its daemon, from before."""
    lab = first_pod
    job = ssh(lab, "mgmt", f"{SUBMIT} --nodelist=node-01 --time=60 --wrap='sleep 600'")
    until(lambda: state(lab, job), lambda s: s == "RUNNING", seconds=60)
    before = ssh(lab, "node-01", DAEMON)
    for node in SECOND:
        supervisor.switch(lab, "provision", node)
        lifecycle.wait_for_ssh(lab, node)
    joined(lab, *SECOND)
    return lab, job, before


def test_the_sites_steps_and_the_first_pod_do_without_hosts_that_are_not_there(first_pod: Lab) -> None:
    assert ssh(first_pod, "mgmt", "sinfo -h -N -o %N | sort -u").split() == list(FIRST)
    assert not re.search(r"node-\d", ssh(first_pod, "mgmt", "cat /etc/slurm/slurm.conf"))


def test_a_pod_that_joins_disturbs_neither_jobs_nor_daemons_of_the_other(two_pods: tuple[Lab, str, str]) -> None:
    lab, job, before = two_pods

    assert state(lab, job) == "RUNNING"
    assert ssh(lab, "node-01", DAEMON) == before
    ssh(lab, "mgmt", f"scancel {job}")


def test_jobs_run_over_both_pods(two_pods: tuple[Lab, str, str]) -> None:
    lab, job, _ = two_pods
    ssh(lab, "mgmt", f"scancel {job}")

    said = ssh(lab, "mgmt", f"{AS_PERSON} srun -N3 --ntasks-per-node=1 --mem=64 hostname")

    assert sorted(said.split()) == [*FIRST, *SECOND]


def test_a_node_that_joins_again_changes_nothing(two_pods: tuple[Lab, str, str]) -> None:
    lab = two_pods[0]

    assert {step: ran.changes for step, ran in joined(lab, *SECOND).items()} == dict.fromkeys(JOIN, 0)


def test_a_node_that_was_wiped_is_found_until_it_has_joined_again(two_pods: tuple[Lab, str, str]) -> None:
    lab = two_pods[0]
    assert readings(lab, "H38", "node-03")["node.services_missing"][0] == 0
    before = [ssh(lab, node, DAEMON) for node in ("node-01", "node-02")]

    wiped(lab, "node-03")

    missing, note = readings(lab, "H38", "node-03")["node.services_missing"]
    assert (missing, "rsyslog does not run" in note, "cwproof is not known" in note) == (10, True, True)
    assert readings(lab, "H39", "node-03")["scheduler.node_job_failures"] == (1, "munge or slurmd does not run")
    joined(lab, "node-03")
    assert readings(lab, "H38", "node-03")["node.services_missing"][0] == 0
    assert readings(lab, "H39", "node-03")["scheduler.node_job_failures"][0] == 0
    assert [ssh(lab, node, DAEMON) for node in ("node-01", "node-02")] == before


def test_gpus_are_counted_where_their_makers_library_is(two_pods: tuple[Lab, str, str]) -> None:
    """Debian's own library beside Slurm without the plug-in; two device files stand in for GPUs."""
    lab = two_pods[0]
    ssh(lab, "node-02", LIBRARY)
    ssh(lab, "node-02", "for n in 0 1; do mknod -m 666 /dev/nvidia$n c 1 3; done")
    before = ssh(lab, "node-01", DAEMON)

    played(lab, find("H39"), "--limit", "node-02", "-e", '{"slurm_gres": {"gpu": 2}}')

    assert ssh(lab, "mgmt", "sinfo -h -n node-02 -p main -o '%G %T'") == "gpu:2 idle"
    seen = f"{AS_PERSON} srun -w node-02 --gres=gpu:1 --mem=64 sh -c 'echo $CUDA_VISIBLE_DEVICES'"
    assert ssh(lab, "mgmt", seen) == "0"
    assert ssh(lab, "node-01", DAEMON) == before


def test_a_host_does_not_join_controllers_that_serve_no_configuration(two_pods: tuple[Lab, str, str]) -> None:
    """A site whose 156 was done by an earlier version."""
    lab = two_pods[0]
    ssh(lab, "mgmt", "sed -i.kept /enable_configless/d /etc/slurm/slurm.conf")

    ran = play(lab, find("H39"), "--limit", "node-03")

    ssh(lab, "mgmt", "mv /etc/slurm/slurm.conf.kept /etc/slurm/slurm.conf")
    assert ran.rc != 0
    assert "mgmt has no Slurm that serves its configuration: run step 156 first" in ran.said
