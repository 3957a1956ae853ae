"""Log-ins on real hosts whose automation is an account with sudo: nobody who could log in before is kept out, whatever goes wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab import lifecycle, supervisor
from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.lifecycle import ssh_command
from tests.lab.playing import FOLDER, Played, find, play, played
from tests.lab.reaching import ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(900)]

NAME = "cwssh"
NODE = "node-01"
ACCOUNT = "ubuntu"
FILE = "/etc/ssh/sshd_config.d/10-access.conf"
PAM = "/etc/pam.d/sshd"
MAKE_ACCOUNT = f"""
useradd --create-home --shell /bin/bash {ACCOUNT}
cp -r /root/.ssh /home/{ACCOUNT}/ && chown -R {ACCOUNT}: /home/{ACCOUNT}/.ssh
echo '{ACCOUNT} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{ACCOUNT}
"""
DIRECTORY = f"""
- hosts: management
  gather_facts: false
  roles: [directory_server]
- hosts: {NODE}
  gather_facts: false
  roles: [directory_client, ssh_access]
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Two compute hosts and a management host."""
    yield from made_alone(NAME, "10.78.8.0/22")


@pytest.fixture
def inventory(lab: Lab, tmp_path: Path) -> Path:
    """A fresh host, and the inventory of an automation that logs in as a plain account and becomes root by sudo."""
    for host in ("mgmt", NODE):
        supervisor.switch(lab, "provision", host)
    for host in ("mgmt", NODE):
        lifecycle.wait_for_ssh(lab, host)
        ssh(lab, host, MAKE_ACCOUNT)
    data = yaml.safe_load(lab.inventory.read_text(encoding="utf-8"))
    data["all"]["vars"] |= {
        "ansible_user": ACCOUNT,
        "ansible_become": True,
        "ansible_pipelining": True,  # as in a run of the engine
        "ssh_access_root_from": [],
    }
    file = tmp_path / "hosts.yml"
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    return file


def lets_in(lab: Lab, *accounts: str) -> bool:
    """Say whether the host lets each account in, by a connection of its own."""
    command = [*ssh_command(lab, NODE)[:-1], "-o", "ControlPath=none"]
    address = str(lab.addresses.of(lab.topology.host(NODE).number))
    return all(
        subprocess.run([*command, f"{name}@{address}", "true"], capture_output=True, check=False).returncode == 0
        for name in accounts
    )


def set_access(lab: Lab, inventory: Path, *options: str, **variables: Any) -> Played:
    """Run the step on the one host, however it ends."""
    return play(lab, find("147"), "--limit", NODE, "-v", *options, "-e", json.dumps(variables), inventory=inventory)


def measured(ran: Played) -> dict[str, Any]:
    """Return what the proof found."""
    said = re.search(r'"stdout": ("\{\\"ssh\.password.*?\}\}")', ran.said)
    assert said, ran.said[-4000:]
    found: dict[str, Any] = json.loads(json.loads(said[1]))
    return found


def file_there(lab: Lab) -> bool:
    """Say whether the settings are on the host."""
    return ssh(lab, NODE, f"test -e {FILE} && echo there || true") == "there"


def test_an_automation_with_sudo_keeps_its_own_log_in_and_roots(lab: Lab, inventory: Path, tmp_path: Path) -> None:
    playbook = tmp_path / "directory.yml"
    playbook.write_text(DIRECTORY, encoding="utf-8")
    administrators = {"ssh_access_administrators": [{"name": "root"}]}

    shown = set_access(lab, inventory, "--check", "--diff", **administrators)
    assert shown.rc == 0, shown.said[-4000:]
    assert "+AllowGroups root cluster-admins" in shown.said
    assert not file_there(lab)

    for host in ("mgmt", NODE):
        ssh(lab, host, "install -d -m 0755 /etc/clusterwright")  # as step 143 leaves it
    played(lab, playbook, "-e", json.dumps(administrators), inventory=inventory)
    again = set_access(lab, inventory, **administrators)

    assert (again.rc, again.changes) == (0, 0), again.said[-4000:]
    assert lets_in(lab, ACCOUNT, "root")
    assert f"Match User {ACCOUNT}" in ssh(lab, NODE, f"cat {FILE}")
    found = measured(again)
    assert {name: entry["value"] for name, entry in found.items()} == {
        "ssh.password_logins_possible": 0,
        "ssh.settings_overridden": 0,
        "ssh.root_ways_in_elsewhere": 0,
        "ssh.root_as_set": True,
    }
    assert not ssh(lab, NODE, "ls /var/lib/clusterwright/rollback")


def test_settings_that_keep_somebody_out_are_refused_and_change_nothing(lab: Lab, inventory: Path) -> None:
    ran = set_access(lab, inventory, ssh_access_groups=["cluster-users"])

    assert ran.rc != 0
    assert "would not be let in: root (allowgroups cluster-users)" in ran.said
    assert not file_there(lab)

    ssh(lab, NODE, f"echo 'DenyUsers {ACCOUNT}' >/etc/ssh/sshd_config.d/05-hardening.conf")
    ran = set_access(lab, inventory)

    assert ran.rc != 0
    assert f"{ACCOUNT} (denyusers {ACCOUNT})" in ran.said
    assert not file_there(lab)


def test_who_may_lose_the_log_in_by_the_settings_loses_it(lab: Lab, inventory: Path) -> None:
    ran = set_access(lab, inventory, ssh_access_groups=["cluster-users"], ssh_access_may_lose=["root"])

    assert ran.rc == 0, ran.said[-4000:]
    assert lets_in(lab, ACCOUNT)
    assert not lets_in(lab, "root")


def test_a_log_in_that_fails_restores_the_files_at_once_and_says_whose(lab: Lab, inventory: Path) -> None:
    """PAM refuses new sessions of all but root, which no setting of the SSH server shows."""
    ssh(
        lab,
        NODE,
        f"systemd-run --unit=refuse sh -c 'until test -e {FILE}; do sleep 0.1; done; echo closed >/etc/nologin'",
    )

    ran = set_access(lab, inventory)

    assert ran.rc != 0
    assert f"could not log in anew: {ACCOUNT} (" in ran.said
    assert "The files were restored" in ran.said
    assert not file_there(lab)
    ssh(lab, NODE, "rm /etc/nologin")
    assert lets_in(lab, ACCOUNT, "root")


def test_where_jobs_decide_nobody_who_could_log_in_needs_one(lab: Lab, inventory: Path) -> None:
    """The module that asks for jobs is not there: who has to pass it would be refused."""
    before = ssh(lab, NODE, f"cat {PAM}")

    ran = set_access(lab, inventory, ssh_access_by_job=True)

    assert ran.rc == 0, ran.said[-4000:]
    assert "pam_slurm_adopt.so" in ssh(lab, NODE, f"cat {PAM}")
    assert "AllowGroups root cluster-admins cluster-users" in ssh(lab, NODE, f"cat {FILE}")
    assert lets_in(lab, ACCOUNT, "root")
    ssh(lab, NODE, "groupadd cluster-users; useradd -m -s /bin/bash -g cluster-users eve; cp -r /root/.ssh /home/eve/")
    ssh(lab, NODE, "chown -R eve: /home/eve/.ssh")
    assert not lets_in(lab, "eve")
    again = set_access(lab, inventory)
    assert (again.rc, again.changes) == (0, 0), again.said[-4000:]

    assert set_access(lab, inventory, ssh_access_by_job=False).rc == 0
    assert ssh(lab, NODE, f"cat {PAM}") == before


def test_pam_that_refuses_the_automation_is_taken_back_at_once(lab: Lab, inventory: Path) -> None:
    """Something spoils the file as soon as it is written, so that nobody is let past the module."""
    before = ssh(lab, NODE, f"cat {PAM}")
    wait = f"until grep -q pam_slurm_adopt {PAM}; do sleep 0.1; done; sed -i 's/success=[12]/success=ignore/' {PAM}"
    ssh(lab, NODE, f'systemd-run --unit=spoil sh -c "{wait}"')

    ran = set_access(lab, inventory, ssh_access_by_job=True)

    assert ran.rc != 0
    assert f"could not log in anew: {ACCOUNT} (" in ran.said
    assert "The files were restored" in ran.said
    assert ssh(lab, NODE, f"cat {PAM}") == before
    assert not file_there(lab)
    assert lets_in(lab, ACCOUNT, "root")


def test_a_run_that_is_killed_is_taken_back_by_the_host(lab: Lab, inventory: Path) -> None:
    words = ["-i", str(inventory), "--limit", NODE, "-e", "ssh_access_confirm_s=15", str(FOLDER / find("147"))]
    environment = os.environ | {"ANSIBLE_ROLES_PATH": str(FOLDER / "roles")}
    program = Path(sys.executable).parent / "ansible-playbook"
    with subprocess.Popen(
        [program, *words], start_new_session=True, stdout=subprocess.DEVNULL, env=environment
    ) as running:
        assert until(lambda: file_there(lab), bool, seconds=60)
        os.killpg(running.pid, signal.SIGKILL)

    assert until(lambda: file_there(lab), lambda there: not there, seconds=40) is False
    assert lets_in(lab, ACCOUNT, "root")


def test_the_seconds_are_kept_also_when_systemd_reads_its_units_again(lab: Lab, inventory: Path) -> None:
    assert set_access(lab, inventory).rc == 0

    ssh(
        lab,
        NODE,
        "clusterwright-rollback arm x 6 true /etc/hosts; for n in 1 2 3 4 5; do sleep 2; systemctl daemon-reload; done",
    )

    assert not ssh(lab, NODE, "ls /var/lib/clusterwright/rollback")


def test_a_host_that_is_reset_in_between_restores_before_it_lets_anybody_in(lab: Lab, inventory: Path) -> None:
    assert set_access(lab, inventory).rc == 0
    before = ssh(lab, NODE, f"cat {FILE}")
    reload = "systemctl --no-block try-reload-or-restart ssh.service"
    ssh(
        lab,
        NODE,
        f"clusterwright-rollback arm ssh_access 600 '{reload}' {FILE}; echo DenyUsers root ubuntu >{FILE}; sync",
    )

    supervisor.switch(lab, "off", NODE)
    supervisor.switch(lab, "on", NODE)
    lifecycle.wait_for_ssh(lab, NODE)

    assert lets_in(lab, ACCOUNT, "root")
    assert ssh(lab, NODE, f"cat {FILE}") == before


def test_a_file_that_sorts_before_ours_is_named_and_fails_the_proof(lab: Lab, inventory: Path) -> None:
    ssh(lab, NODE, "printf 'MaxAuthTries 10\\nPermitRootLogin yes\\n' >/etc/ssh/sshd_config.d/05-hardening.conf")

    ran = set_access(lab, inventory)

    found = measured(ran)
    assert found["ssh.settings_overridden"]["value"] == 2
    note = found["ssh.settings_overridden"]["note"]
    assert "/etc/ssh/sshd_config.d/05-hardening.conf:1: MaxAuthTries 10" in note
    assert "/etc/ssh/sshd_config.d/05-hardening.conf:2: PermitRootLogin yes" in note
    assert found["ssh.root_as_set"]["value"] is False
    assert found["ssh.root_ways_in_elsewhere"]["value"] == 1, "by key; passwords stay off"
