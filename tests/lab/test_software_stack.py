"""The software stack on real hosts, seen from outside: clocks, logs, people, jobs.

The playbooks run in the order of their steps, each once before the tests; `test_idempotence` runs them twice.
"""

from __future__ import annotations

import http.client
import json
import re
import ssl
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.lab.lab import Lab
from tests.lab.playing import FOLDER, Played, find, played
from tests.lab.reaching import PeoplesKey, ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(3600)]

STEPS = ("141", "143", "145", "146", "H40", "H38", "144", "147", "156", "H41", "H39", "157", "161", "163", "164")
HOSTS = ("mgmt", "login", "node-01", "node-02", "node-03")
NODES = HOSTS[2:]


class Stack:
    """A lab on which the steps have run, and a person with a key."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab = lab
        self.key = PeoplesKey.made(lab, folder)
        public = self.key.public
        self.people = folder / "people.json"
        self.people.write_text(
            json.dumps(
                {
                    "directory_server_people": [
                        {"name": "ada", "uid": 20001, "ssh_keys": [public]},
                        {"name": "boss", "uid": 20002, "ssh_keys": [public], "groups": ["cluster-admins"]},
                    ],
                    "slurm_policy_accounts": {"research": {"fairshare": 100, "users": ["ada"]}},
                }
            ),
            encoding="utf-8",
        )

    def play(self, step: str, *options: str) -> Played:
        """Run a step's playbook with the person in its lists."""
        return played(self.lab, find(step), "-v", "-e", f"@{self.people}", *options)

    def as_ada(self, host: str, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command on a host as the person, let in by her key."""
        return self.as_person("ada", host, command)

    def lets_in(self, name: str) -> list[str]:
        """Return the hosts that let a person in by SSH."""
        return [host for host in HOSTS if self.as_person(name, host, "true").returncode == 0]

    def as_person(self, name: str, host: str, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command on a host as a person, let in by the key."""
        return self.key.run(name, host, command)


@pytest.fixture(scope="module")
def stack(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    stack = Stack(lab, tmp_path_factory.mktemp("stack"))
    for step in STEPS:
        stack.play(step)
    return stack


def tracking(stack: Stack, host: str) -> list[str]:
    """Return what chrony reports of a host's clock."""
    return ssh(stack.lab, host, "chronyc -c tracking").split(",")


def test_clocks_follow_the_management_host_within_a_millisecond(stack: Stack) -> None:
    for host in HOSTS[1:]:
        fields = tracking(stack, host)

        assert fields[1] == str(stack.lab.addresses.of(stack.lab.topology.host("mgmt").number))
        assert abs(float(fields[4])) < 0.001


def test_clocks_prefer_a_grandmaster_where_hosts_name_a_card_and_a_second_run_changes_nothing(stack: Stack) -> None:
    by_ptp = ("-e", "time_sync_ptp_interface=eth0", "-e", "time_sync_ptp_timestamping=software")
    stack.play("144", *by_ptp)

    again = stack.play("144", *by_ptp)

    assert again.changes == 0
    for host in HOSTS[1:]:
        fields = until(partial(tracking, stack, host), lambda fields: fields[1] == "PTP", seconds=60)

        assert fields[1] == "PTP"
        assert abs(float(fields[4])) < 0.001


def test_a_line_of_every_host_is_found_in_the_store(stack: Stack) -> None:
    for host in HOSTS:
        ssh(stack.lab, host, f"logger -t outside zebra{host.replace('-', '')}")

    for host in HOSTS:
        found = until(
            lambda host=host: ssh(stack.lab, "mgmt", f"logsearch --host {host} zebra{host.replace('-', '')}"),  # type: ignore[misc]
            bool,
            seconds=30,
        )
        assert host in found


def test_a_person_of_the_directory_logs_in_and_submits(stack: Stack) -> None:
    who = stack.as_ada("login", "id -un; pwd")
    assert who.stdout.split() == ["ada", "/home/ada"]

    job = stack.as_ada("login", "sbatch --parsable --mem=64 --wrap=hostname").stdout.strip()
    state = until(
        lambda: ssh(stack.lab, "mgmt", f"sacct -nPX -j {job} -o User,Account,State"), lambda s: "COMP" in s, seconds=60
    )
    assert state == "ada|research|COMPLETED"
    assert stack.as_ada("login", f"cat slurm-{job}.out").stdout.strip() in NODES


def test_a_person_without_a_job_logs_in_to_log_in_hosts_alone_and_an_administrator_to_all(stack: Stack) -> None:
    assert stack.lets_in("ada") == ["login"]
    assert stack.lets_in("boss") == list(HOSTS)


@pytest.fixture
def job(stack: Stack) -> Iterator[str]:
    """A job of the person on one node."""
    submitted = stack.as_ada(
        "login",
        "sbatch --parsable --chdir=/tmp --output=/dev/null --mem=64 --time=10 --nodelist=node-02 --wrap='sleep 600'",
    ).stdout.strip()
    until(lambda: ssh(stack.lab, "mgmt", f"squeue -h -j {submitted} -o %T"), lambda s: s == "RUNNING", seconds=60)
    yield submitted
    ssh(stack.lab, "mgmt", f"scancel {submitted}")


def test_a_running_job_lets_its_owner_in_where_it_runs_until_it_ends(stack: Stack, job: str) -> None:
    assert stack.lets_in("ada") == ["login", "node-02"]

    ssh(stack.lab, "mgmt", f"scancel {job}")
    until(lambda: ssh(stack.lab, "mgmt", f"squeue -h -j {job} -o %T"), lambda s: not s, seconds=60)

    assert stack.lets_in("ada") == ["login"]
    assert "you have no active jobs on this node" in ssh(stack.lab, "node-02", "journalctl -t pam_slurm_adopt -o cat")


@pytest.mark.usefixtures("job")
def test_where_nobody_can_say_what_runs_people_are_refused_and_administrators_are_not(stack: Stack) -> None:
    """The module is gone, as after an upgrade by halves; the automation comes in as well, as `ssh` shows."""
    module = ssh(stack.lab, "node-02", "dpkg -L libpam-slurm-adopt | grep '\\.so$'")
    ssh(stack.lab, "node-02", f"mv {module} {module}.kept")
    try:
        assert stack.lets_in("ada") == ["login"]
        assert stack.lets_in("boss") == list(HOSTS)
    finally:
        ssh(stack.lab, "node-02", f"mv {module}.kept {module}")


def test_a_node_whose_daemon_is_down_refuses_people_and_lets_administrators_in(stack: Stack) -> None:
    ssh(stack.lab, "node-03", "systemctl stop slurmd")
    try:
        assert stack.lets_in("ada") == ["login"]
        assert stack.lets_in("boss") == list(HOSTS)
    finally:
        ssh(stack.lab, "node-03", "systemctl start slurmd")


def listening(lab: Lab, host: str) -> list[str]:
    """Return the TCP ports of a host that do not listen on the loopback address alone."""
    said = ssh(lab, host, "ss -Htln | awk '{print $4}'").split()
    return sorted({word.rpartition(":")[2] for word in said if not word.startswith(("127.", "[::1]"))})


@pytest.mark.usefixtures("job")
def test_a_person_reaches_on_closed_hosts_only_what_the_policy_allows_and_says_why(stack: Stack) -> None:
    """Every port that listens is tried, from the log-in host and from within a job; one of them nobody asked for."""
    policy = yaml.safe_load((FOLDER / "roles/host_firewall/defaults/main.yml").read_text(encoding="utf-8"))
    allowed = {
        port
        for entry in policy["host_firewall_policy"].values()
        if "users" in entry and "management" in entry["hosts"]
        for port in entry["ports"]
    }
    ssh(stack.lab, "mgmt", "systemd-run --unit=unasked python3 -m http.server 8123")
    try:
        until(lambda: listening(stack.lab, "mgmt"), lambda ports: "8123" in ports, seconds=10)
        tried = [(origin, port) for origin in ("login", "node-02") for port in listening(stack.lab, "mgmt")]
        reached = {
            (origin, f"tcp/{port}")
            for origin, port in tried
            if stack.as_ada(origin, f"timeout 5 bash -c '</dev/tcp/mgmt/{port}'").returncode == 0
        }
    finally:
        ssh(stack.lab, "mgmt", "systemctl stop unasked")

    assert ("login", "8123") in tried
    assert {(origin, port) for origin in ("login", "node-02") for port in ("tcp/22", "tcp/6817", "tcp/6819")} <= reached
    assert {one for one in reached if one[1] not in allowed} == set()


def test_nobody_is_asked_for_a_password(stack: Stack) -> None:
    for host in HOSTS:
        offered = ssh(
            stack.lab,
            "mgmt",
            f"ssh -o PreferredAuthentications=none -o StrictHostKeyChecking=no ada@{host} 2>&1 || true",
        )

        assert "Permission denied (publickey)" in offered


def test_srun_over_three_hosts_runs_on_all_of_them_at_once(stack: Stack) -> None:
    said = stack.as_ada("login", "srun -N3 --ntasks-per-node=1 --mem=64 sh -c 'hostname; date +%s; sleep 2'")

    words = said.stdout.split()
    assert sorted(word for word in words if word in NODES) == list(NODES)
    began = [int(word) for word in words if word.isdigit()]
    assert max(began) - min(began) <= 2


def test_tokens_go_over_tls_and_who_has_none_is_refused(stack: Stack) -> None:
    """The proof of step 161 has submitted a job with one."""
    address = str(stack.lab.addresses.of(stack.lab.topology.host("login").number))
    secret = http.client.HTTPSConnection(address, 6820, timeout=10, context=ssl._create_unverified_context())
    plain = http.client.HTTPConnection(address, 6820, timeout=10)
    for connection, status in ((secret, 401), (plain, 400)):
        connection.request("GET", "/openapi/v3")
        assert connection.getresponse().status == status

    heard = [line.split()[3] for line in ssh(stack.lab, "login", "ss -Htln").splitlines()]
    assert [where for where in heard if where.endswith(":6820")] == [f"{address}:6820"]
    assert "Permission denied" in stack.as_ada("login", "ls /run/slurmrestd").stderr


@pytest.fixture
def two_nodes(stack: Stack) -> Iterator[str]:
    """The settings of the scheduler, which come back afterwards; two nodes take jobs."""
    ssh(stack.lab, "mgmt", "cp /etc/slurm/slurm.conf /root; scontrol update NodeName=node-03 State=drain Reason=two")
    yield "/etc/slurm/slurm.conf"
    ssh(
        stack.lab,
        "mgmt",
        "cp /root/slurm.conf /etc/slurm; scontrol reconfigure; scontrol update NodeName=node-03 State=resume",
    )


def gang(stack: Stack) -> tuple[float | None, str]:
    """Return what step 159 finds, and its note."""
    said = re.search(r'"stdout": ("\{\\"gang.*?\}\}")', stack.play("159", "-v").said)
    assert said
    found = json.loads(json.loads(said[1]))["gang.partial_starts"]
    return found["value"], found["note"]


def test_jobs_that_begin_on_one_of_their_hosts_are_found(stack: Stack, two_nodes: str) -> None:
    """The queue says that such a job runs on all of them: the scheduler gave it the hosts, and one of them starts no part."""
    assert gang(stack)[0] == 0
    ssh(stack.lab, "node-02", "install -m 755 /bin/true /usr/local/lib/prologue")
    ssh(stack.lab, "mgmt", f"echo TaskProlog=/usr/local/lib/prologue >>{two_nodes}; scontrol reconfigure")
    until(lambda: ssh(stack.lab, "mgmt", "scontrol show config"), lambda said: "lib/prologue" in said, seconds=30)

    value, note = gang(stack)

    assert value == 2
    assert "job 1 began on node-02 alone, of 2 hosts" in note


def test_jobs_that_share_the_hosts_that_each_needs_are_found(stack: Stack, two_nodes: str) -> None:
    ssh(stack.lab, "mgmt", f"sed -i s/OverSubscribe=NO/OverSubscribe=FORCE:2/ {two_nodes}; scontrol reconfigure")
    until(lambda: ssh(stack.lab, "mgmt", "scontrol show partition main"), lambda said: "FORCE:2" in said, seconds=30)

    assert gang(stack) == (2, "both ran on node-01 at once; both ran on node-02 at once")


def test_a_displaced_job_requeues_and_accounting_shows_it(stack: Stack) -> None:
    where = "--parsable --nodelist=node-01 --exclusive --time=5 --mem=64"
    # it outlasts the half a minute's notice that the quality `low` is given
    low = stack.as_ada("login", f"sbatch {where} --qos=low --requeue --wrap='sleep 90'").stdout.strip()
    until(lambda: ssh(stack.lab, "mgmt", f"squeue -h -j {low} -o %T"), lambda s: s == "RUNNING", seconds=60)
    urgent = stack.as_ada("login", f"sbatch {where} --qos=urgent --wrap='sleep 1'").stdout.strip()

    states = until(
        lambda: ssh(stack.lab, "mgmt", f"sacct -nPXD -j {low} -o State").split(),
        lambda found: found[-1:] == ["COMPLETED"],
        seconds=420,
    )

    assert states in (["PREEMPTED", "COMPLETED"], ["REQUEUED", "COMPLETED"])
    assert ssh(stack.lab, "mgmt", f"sacct -nPX -j {urgent} -o State") == "COMPLETED"


def test_what_somebody_changes_by_hand_is_found_and_put_back(stack: Stack) -> None:
    ssh(stack.lab, "node-02", "echo 'AllowGroups everyone' >/etc/ssh/sshd_config.d/10-access.conf")

    drifted = stack.play("147", "--check", "--diff").changed
    assert [host for host, changes in drifted.items() if changes] == ["node-02"]
    stack.play("147")

    assert "cluster-admins" in ssh(stack.lab, "node-02", "cat /etc/ssh/sshd_config.d/10-access.conf")


def test_no_secret_is_on_the_control_node(stack: Stack) -> None:
    said = "".join(stack.play(step).said for step in ("145", "156", "H39"))
    secrets = [
        ssh(stack.lab, "mgmt", "cat /etc/munge/munge.key"),
        ssh(stack.lab, "mgmt", "cat /etc/clusterwright/secrets/log_store"),
    ]

    assert all(secret and secret not in said for secret in secrets)
