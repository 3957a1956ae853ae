"""A drawn fabric on real software: FRR in network namespaces, joined by cables as the schedule has them, read back, spoilt and repaired."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from steps.design.addressing import hosts
from steps.design.design import design_of_preset
from steps.design.fabric import node_names
from steps.design.nodes import addresses_of
from steps.switches.comparing import Difference, differences
from steps.switches.designed import switches_of
from steps.switches.switch import Switch
from tests.needs import needs
from tests.other_user import needs_root
from tests.steps import switch_on_linux as linux

pytestmark = [pytest.mark.long, needs_root, needs("ip", "ping", "vtysh"), pytest.mark.xdist_group("switches")]

FRR = Path("/usr/lib/frr")
SPINES = {"planes": 1, "tiers": 2, "nodes": 4, "nodes_per_pod": 2, "spine_radix": 4}
"""The lab with two pods: four leaf switches, one a rail and pod, and two spines."""

PATIENCE_S = 60


def run(*command: str, text: str | None = None) -> str:
    """Return what a command prints; one that fails fails the test with its words."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
    return done.stdout


def until(true: Callable[[], bool]) -> None:
    """Wait until something is true."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.5)


class Fabric:
    """The drawn switches, each in a network namespace with FRR, and servers with an address on each rail."""

    def __init__(self, folder: Path) -> None:
        design = design_of_preset("lab", SPINES)
        self.folder = folder
        self.switches = {each.name: each for each in switches_of(design)}
        names = node_names(design.counted.fabric.pods, 2)
        self.addresses = {(node, network): address for node, network, address in hosts(addresses_of(design), names)}
        self.names = [*self.switches, *names]
        self.daemons: list[int] = []

    def up(self) -> None:
        """Lay the cables, set every switch up, and start its routing."""
        for name in self.names:
            run("ip", "netns", "add", name)
        for switch in self.switches.values():
            self._plug(switch)
        for node in self.names[len(self.switches) :]:  # a port answers for its own address alone
            run("ip", "netns", "exec", node, "sysctl", "-qw", "net.ipv4.conf.all.arp_ignore=1")
        for (node, network), address in self.addresses.items():
            if network.startswith("rail-"):
                port = f"rail{network[-1]}"
                run("ip", "-n", node, "address", "add", address, "dev", port)
                run("ip", "-n", node, "link", "set", port, "mtu", "9000", "up")
        for switch in self.switches.values():
            self.apply(switch.name)

    def _plug(self, switch: Switch) -> None:
        for port in switch.ports:
            far = port.far
            if far.device in self.switches and switch.level == 0:
                continue  # laid from the spine
            far_port = far.port if far.device in self.switches else f"rail{far.port}"
            peer = ("peer", "name", far_port, "netns", far.device, "mtu", "9216")
            run("ip", "-n", switch.name, "link", "add", port.name, "mtu", "9216", "type", "veth", *peer)

    def apply(self, name: str) -> None:
        """Set a switch up, and start FRR in it with what is drawn."""
        switch = self.switches[name]
        run("ip", "-n", name, "-batch", "-", text="\n".join(linux.links(switch)))
        run("ip", "netns", "exec", name, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")
        sockets = self.folder / name
        sockets.mkdir()
        shutil.chown(sockets, "frr", "frr")
        own = (
            "--vty_socket",
            str(sockets),
            "-z",
            str(sockets / "zserv.api"),
            "-u",
            "frr",
            "-g",
            "frr",
            "-f",
            "/dev/null",
        )
        for daemon in ("zebra", "bgpd"):
            pid = sockets / f"{daemon}.pid"
            run("ip", "netns", "exec", name, str(FRR / daemon), "-d", "-i", str(pid), *own)
            self.daemons.append(int(pid.read_text()))
        self.configure(name, linux.frr(switch))

    def configure(self, name: str, text: str) -> None:
        """Add lines of configuration to FRR of a switch."""
        file = self.folder / name / "lines.conf"
        file.write_text(text, encoding="utf-8")
        run("vtysh", "--vty_socket", str(self.folder / name), "-f", str(file))

    def ask(self, name: str, question: str) -> str:
        """Return what FRR of a switch answers."""
        return run("vtysh", "--vty_socket", str(self.folder / name), "-c", question)

    def sessions(self, name: str) -> dict[str, str]:
        """Return the state of every BGP session of a switch."""
        summary: dict[str, Any] = json.loads(self.ask(name, "show bgp l2vpn evpn summary json"))
        return {port: peer["state"] for port, peer in summary.get("peers", {}).items()}

    def are_established(self) -> bool:
        """Return whether every drawn session of every switch stands."""
        return all(
            self.sessions(name) == {port.name: "Established" for port in switch.routed}
            for name, switch in self.switches.items()
        )

    def drift(self) -> list[Difference]:
        """Return what differs on any switch."""
        found = []
        for name, switch in self.switches.items():
            shown = linux.settings_shown(self.ask(name, "show running-config"), run("ip", "-n", name, "-j", "link"))
            found += differences(name, linux.settings_of(switch), shown)
        return found

    def answers(self, node: str, other: str, *options: str) -> bool:
        """Return whether rail 1 of another server answers a full frame that may not be fragmented."""
        address = self.addresses[other, "rail-1"].partition("/")[0]
        ping = ("ping", "-c", "1", "-W", "1", "-M", "do", "-s", "8972", *options, address)
        return subprocess.run(["ip", "netns", "exec", node, *ping], capture_output=True, check=False).returncode == 0

    def down(self) -> None:
        """End what was started."""
        for pid in reversed(self.daemons):
            signal.pidfd_send_signal(_pidfd(pid), signal.SIGTERM)
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def _pidfd(pid: int) -> int:
    import os

    return os.pidfd_open(pid)


@pytest.fixture(scope="module")
def fabric() -> Iterator[Fabric]:
    """The fabric when all sessions stand."""
    if not (FRR / "bgpd").exists():
        pytest.skip("not installed: frr")
    folder = Path(tempfile.mkdtemp(prefix="cw-frr-", dir="/run"))
    folder.chmod(0o755)
    built = Fabric(folder)
    try:
        built.up()
        until(built.are_established)
        yield built
    finally:
        built.down()
        shutil.rmtree(folder)


def test_what_was_rendered_is_what_frr_shows(fabric: Fabric) -> None:
    """Applied and read back, setting by setting."""
    assert fabric.drift() == []


def test_a_rail_reaches_its_like_in_another_pod_and_no_other_rail(fabric: Fabric) -> None:
    """Full frames cross the spines in a tunnel; between rails there is no way, as nothing was drawn that routes it here."""
    until(lambda: fabric.answers("pod-001-n01", "pod-002-n02"))

    assert fabric.answers("pod-001-n01", "pod-001-n02", "-I", "rail1")
    assert not fabric.answers("pod-001-n01", "pod-001-n02", "-I", "rail2")


def test_a_cut_link_is_found_and_traffic_takes_the_other_spine(fabric: Fabric) -> None:
    """Sessions are named by the port of the schedule."""
    until(lambda: fabric.answers("pod-001-n01", "pod-002-n02"))
    run("ip", "-n", "spine-001", "link", "set", "swp1", "down")

    until(lambda: fabric.sessions("pod-001-leaf-01")["swp3"] != "Established")
    until(lambda: fabric.answers("pod-001-n01", "pod-002-n02"))
    assert fabric.drift() == [Difference("spine-001", "interface swp1 state", "up", "down")]

    run("ip", "-n", "spine-001", "link", "set", "swp1", "up")
    until(fabric.are_established)
    assert fabric.drift() == []


def test_what_is_changed_by_hand_is_found_and_repaired(fabric: Fabric) -> None:
    """A server's port in the rail of another, a small frame, a neighbour that was taken out, and one line too many."""
    leaf = fabric.switches["pod-001-leaf-01"]
    until(lambda: fabric.answers("pod-001-n01", "pod-002-n02"))
    run("ip", "-n", leaf.name, "link", "set", "swp1", "nomaster", "mtu", "1500")
    fabric.configure(
        leaf.name, f"router bgp {leaf.asn}\n no neighbor swp3 interface peer-group underlay\n timers bgp 1 3\nexit\n"
    )

    bgp = f"router router bgp {leaf.asn}"
    assert fabric.drift() == [
        Difference(leaf.name, "interface swp1 master", "br300", ""),
        Difference(leaf.name, "interface swp1 mtu", "9216", "1500"),
        Difference(leaf.name, f"{bgp} neighbor swp3 interface peer-group underlay", "set", ""),
        Difference(leaf.name, f"{bgp} timers bgp 1 3", "", "set"),
    ]
    assert not fabric.answers("pod-001-n01", "pod-002-n02")

    run("ip", "-n", leaf.name, "link", "set", "swp1", "mtu", "9216", "master", "br300")
    fabric.configure(leaf.name, f"router bgp {leaf.asn}\n no timers bgp\nexit\n" + linux.frr(leaf))
    until(fabric.are_established)
    until(lambda: fabric.answers("pod-001-n01", "pod-002-n02"))
    assert fabric.drift() == []
