"""Step 054's probe, between real network namespaces: a host with two networks, a switch, and the far end of one of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import needs
from tests.other_user import needs_root

PROBE = Path(__file__).parents[2] / "playbooks/roles/proof/files/path_probe.py"
pytestmark = [needs_root, needs("ip", "ping")]


class Network:
    """A host whose management port reaches the switch's own address and whose data port reaches a far end through its bridge."""

    def __init__(self, name: str) -> None:
        self.host, self.switch, self.far = (f"{name}-{part}" for part in ("host", "switch", "far"))
        for space in (self.host, self.switch, self.far):
            self.ip("netns", "add", space)
        for port, space, address in (
            ("mgmt", self.host, "10.9.0.2"),
            ("data", self.host, "10.9.1.2"),
            ("far", self.far, "10.9.1.3"),
        ):
            self.ip(
                "-n",
                space,
                "link",
                "add",
                port,
                "mtu",
                "9000",
                "type",
                "veth",
                "peer",
                "name",
                f"sw-{port}",
                "mtu",
                "9000",
                "netns",
                self.switch,
            )
            self.ip("-n", space, "address", "add", f"{address}/24", "dev", port)
            self.ip("-n", space, "link", "set", port, "up")
            self.ip("-n", self.switch, "link", "set", f"sw-{port}", "up")
        self.ip("-n", self.switch, "address", "add", "10.9.0.1/24", "dev", "sw-mgmt")
        self.ip("-n", self.switch, "link", "add", "name", "bridge", "type", "bridge")
        self.ip("-n", self.switch, "link", "set", "bridge", "up")
        for port in ("sw-data", "sw-far"):
            self.ip("-n", self.switch, "link", "set", port, "master", "bridge")
        self.ip("-n", self.host, "route", "add", "default", "via", "10.9.0.1", "dev", "mgmt")

    def ip(self, *words: str) -> None:
        """Run `ip` on this machine."""
        subprocess.run(["ip", *words], check=True)

    def probed(self, **ends: list[str]) -> dict[str, int | None]:
        """Return what the probe reads on the host, by port."""
        command = ["ip", "netns", "exec", self.host, "python3", str(PROBE), json.dumps(ends)]
        said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return {one["port"]: one["bytes"] for one in said}


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    name = f"cwmtu{os.getpid()}"
    try:
        yield Network(name)
    finally:
        for part in ("host", "switch", "far"):
            subprocess.run(["ip", "netns", "delete", f"{name}-{part}"], check=False)


def test_a_switch_of_small_frames_is_found_although_ports_and_the_gateway_carry_large_ones(network: Network) -> None:
    assert network.probed(data=["10.9.1.3"]) == {"data": 9000}
    network.ip("-n", network.switch, "link", "set", "sw-far", "mtu", "1500")
    try:
        assert network.probed() == {"mgmt": 9000}
        assert network.probed(data=["10.9.1.3"]) == {"data": 1500}
    finally:
        network.ip("-n", network.switch, "link", "set", "sw-far", "mtu", "9000")


def test_an_answer_that_comes_over_another_port_is_none(network: Network) -> None:
    """The far end's network is reached by the gateway as well."""
    assert network.probed(data=["10.9.0.1"]) == {"data": None}


def test_a_hosts_own_address_is_no_far_end(network: Network) -> None:
    assert network.probed(data=["10.9.1.2"]) == {}
