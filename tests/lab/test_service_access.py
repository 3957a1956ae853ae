"""A plain person on a compute node can neither silence alerts nor forge notifications; the hosts and people that need it can.

A closed host answers on the ports of the policy alone, and is never closed to who administers it.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab import lifecycle, supervisor
from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import play, played
from tests.lab.reaching import ssh, until

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(900)]

PORTS = (9093, 9595)
UNASKED = 8123
TABLE = "/etc/clusterwright/access/host.nft"
HOST = """
- hosts: management
  gather_facts: false
  roles: [host_firewall]
"""
PLAYBOOK = """
- hosts: management
  gather_facts: false
  roles: [alert_channel]
- hosts: management
  gather_facts: false
  roles: [alertmanager]
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Two compute hosts and a management host."""
    yield from made_alone("cwfire", "10.78.12.0/22")


@pytest.fixture(scope="module")
def playbook(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The services that tell people of alerts, on the management host."""
    file = tmp_path_factory.mktemp("services") / "services.yml"
    file.write_text(PLAYBOOK, encoding="utf-8")
    played(lab, file)
    return file


def reached(lab: Lab, host: str) -> list[int]:
    """Return the ports that a plain account of a host reaches on the management host."""
    connect = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3)"
    found = []
    for port in (22, *PORTS, UNASKED):
        command = f"runuser -u nobody -- python3 -c '{connect}' mgmt {port} 2>/dev/null && echo reached || true"
        if ssh(lab, host, command) == "reached":
            found.append(port)
    return found


@pytest.mark.usefixtures("playbook")
def test_a_plain_person_on_a_node_reaches_ssh_and_no_service_of_alerts(lab: Lab) -> None:
    assert reached(lab, "node-01") == [22]


@pytest.mark.usefixtures("playbook")
def test_the_host_itself_and_operators_reach_them(lab: Lab) -> None:
    assert reached(lab, "mgmt") == [22, *PORTS]
    for port in PORTS:
        socket.create_connection((str(lab.addresses.of(11)), port), 3).close()


def test_a_second_run_changes_nothing(lab: Lab, playbook: Path) -> None:
    assert played(lab, playbook).changes == 0


@pytest.mark.usefixtures("playbook")
def test_a_host_that_starts_again_is_closed(lab: Lab) -> None:
    supervisor.switch(lab, "off", "mgmt")
    supervisor.switch(lab, "on", "mgmt")
    lifecycle.wait_for_ssh(lab, "mgmt")

    assert until(lambda: reached(lab, "mgmt"), lambda ports: len(ports) >= 3, seconds=60) == [22, *PORTS]
    assert reached(lab, "node-01") == [22]


def test_the_port_of_ssh_is_never_closed(lab: Lab, playbook: Path) -> None:
    ran = play(lab, playbook, "-e", "alert_channel_port=22")

    assert ran.rc != 0
    assert "alert_channel has the port of SSH" in ran.said
    assert 22 in reached(lab, "node-01")


@pytest.fixture
def closing(lab: Lab, tmp_path: Path) -> Iterator[Path]:
    """The playbook that closes the management host, on which something listens that nobody asked for."""
    ssh(lab, "mgmt", f"systemd-run --unit=unasked python3 -m http.server {UNASKED}")
    until(lambda: reached(lab, "node-01"), lambda ports: UNASKED in ports, seconds=20)
    file = tmp_path / "host.yml"
    file.write_text(HOST, encoding="utf-8")
    yield file
    ssh(lab, "mgmt", "systemctl stop unasked")
    played(lab, file, "-e", '{"host_firewall_closed": false}')


@pytest.mark.usefixtures("playbook")
def test_a_closed_host_answers_on_the_ports_of_the_policy_alone(lab: Lab, closing: Path) -> None:
    assert reached(lab, "node-01") == [22, UNASKED]

    played(lab, closing)

    assert reached(lab, "node-01") == [22]
    assert reached(lab, "mgmt") == [22, *PORTS, UNASKED]
    socket.create_connection((str(lab.addresses.of(11)), UNASKED), 3).close()
    assert not ssh(lab, "mgmt", "ls /var/lib/clusterwright/rollback")
    assert played(lab, closing).changes == 0

    site = '{"host_firewall_more": {"mine": {"hosts": ["management"], "ports": ["tcp/8123"], "users": "a test"}}}'
    played(lab, closing, "-e", site)
    assert reached(lab, "node-01") == [22, UNASKED]
    played(lab, closing, "-e", '{"host_firewall_closed": false}')
    assert ssh(lab, "mgmt", f"test -e {TABLE} || nft list table inet clusterwright_host 2>&1 | head -1").startswith(
        "Error"
    )


def test_a_host_that_lets_no_new_log_in_in_is_opened_again(lab: Lab, closing: Path) -> None:
    """Something closes SSH as soon as the table is loaded."""
    rule = "nft insert rule inet clusterwright_host input tcp dport 22 ct state new reject"
    ssh(lab, "mgmt", f'systemd-run --unit=spoil sh -c "until {rule}; do sleep 0.1; done"')

    ran = play(lab, closing)

    assert ran.rc != 0
    assert "the host let no new log-in in" in ran.said
    assert UNASKED in reached(lab, "node-01")
    assert ssh(lab, "mgmt", f"test -e {TABLE} || echo gone") == "gone"
