"""A plain person on a compute node can neither silence alerts nor forge notifications; the hosts and people that need it can."""

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
    for port in (22, *PORTS):
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

    assert until(lambda: reached(lab, "mgmt"), lambda ports: len(ports) == 3, seconds=60) == [22, *PORTS]
    assert reached(lab, "node-01") == [22]


def test_the_port_of_ssh_is_never_closed(lab: Lab, playbook: Path) -> None:
    ran = play(lab, playbook, "-e", "alert_channel_port=22")

    assert ran.rc != 0
    assert "alert_channel has the port of SSH" in ran.said
    assert 22 in reached(lab, "node-01")
