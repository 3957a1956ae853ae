"""VLANs and bundles of a switch on a real Open vSwitch: LACP with a member cut, VLANs that keep servers apart, drift and repair.

It shows the design, and nothing of NVUE.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from steps.cabling.cable import CableEnd
from steps.switches.comparing import Difference, differences
from steps.switches.switch import STORAGE, Bond, Management, Switch, SwitchPort
from tests.needs import needs
from tests.other_user import needs_root
from tests.steps import switch_on_openvswitch as openvswitch

pytestmark = [
    pytest.mark.long,
    needs_root,
    needs("ip", "ping", "ovs-vsctl", "ovsdb-server", "ovs-vswitchd", "ovsdb-tool"),
    pytest.mark.xdist_group("switches"),
]

PATIENCE_S = 60
SERVER = "cw-ovs-server"
LEAF = Switch(
    "cw-ovs-leaf",
    "pod-001-storage-01",
    STORAGE,
    0,
    Management("10.0.0.40/21", "10.0.0.1"),
    ports=(
        SwitchPort("swp1", "S1", CableEnd(SERVER, "eth1"), 200),
        SwitchPort("swp2", "S2", CableEnd(SERVER, "eth2"), 200),
        SwitchPort("swp3", "S3", CableEnd("cw-ovs-like", "eth1"), 200),
        SwitchPort("swp4", "S4", CableEnd("cw-ovs-other", "eth1"), 110),
    ),
    bonds=(Bond("bond1", SERVER, ("swp1", "swp2"), 200),),
)
ADDRESSES = {"cw-ovs-like": "10.4.0.2", "cw-ovs-other": "10.4.0.3"}
SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"


class OpenVSwitch:
    """An Open vSwitch of its own in a network namespace."""

    def __init__(self, space: str, folder: Path) -> None:
        self._space = space
        self._environment = os.environ | {
            "OVS_RUNDIR": str(folder),
            "OVS_LOGDIR": str(folder),
            "OVS_DBDIR": str(folder),
        }
        self._folder = folder
        self._pids: list[int] = []

    def up(self) -> None:
        """Start its database and its switch."""
        self._folder.mkdir()
        database, socket = self._folder / "conf.db", self._folder / "db.sock"
        self.run("ovsdb-tool", "create", str(database), SCHEMA)
        self._start("ovsdb-server", str(database), f"--remote=punix:{socket}")
        self.run("ovs-vsctl", "--no-wait", "init")
        self._start("ovs-vswitchd", f"unix:{socket}")

    def _start(self, program: str, *words: str) -> None:
        pid = self._folder / f"{program}.pid"
        self.run(program, *words, "--detach", f"--pidfile={pid}", f"--log-file={self._folder / program}.log")
        self._pids.append(int(pid.read_text()))

    def run(self, *command: str) -> str:
        """Return what a command prints in the switch's namespace."""
        inside = ["ip", "netns", "exec", self._space, *command]
        done = subprocess.run(inside, env=self._environment, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
        return done.stdout

    def apply(self, switch: Switch) -> None:
        """Set the VLANs and bundles of a switch up."""
        for command in openvswitch.commands(switch):
            self.run("ovs-vsctl", "--timeout=20", *command)

    def drift(self, switch: Switch) -> list[Difference]:
        """Return what differs from what is drawn."""
        ports = self.run("ovs-vsctl", "-f", "json", "--columns=name,tag,interfaces", "list", "port")
        interfaces = self.run("ovs-vsctl", "-f", "json", "--columns=_uuid,name", "list", "interface")
        return differences(switch.name, openvswitch.settings_of(switch), openvswitch.settings_shown(ports, interfaces))

    def members(self, bond: str) -> Mapping[str, str]:
        """Return whether each member of a bundle carries traffic, as bond/show says it."""
        shown = self.run("ovs-appctl", "bond/show", bond).splitlines()
        found = [line.split() for line in shown if line.startswith(("slave ", "member "))]
        return {words[1].rstrip(":"): words[2] for words in found}

    def down(self) -> None:
        """End what was started."""
        for pid in reversed(self._pids):
            signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGTERM)


def ip(*words: str) -> None:
    """Run a command of iproute2."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


def until(true: Callable[[], bool]) -> None:
    """Wait until something is true."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.5)


def reaches(address: str) -> bool:
    """Return whether the server with the bundle is answered from an address."""
    ping = ("ip", "netns", "exec", SERVER, "ping", "-c", "1", "-W", "1", address)
    return subprocess.run(ping, capture_output=True, check=False).returncode == 0


@pytest.fixture
def leaf() -> Iterator[OpenVSwitch]:
    """The switch as it is drawn, a server that bundles two ports, and one more in each of two VLANs."""
    folder = Path(tempfile.mkdtemp(prefix="cw-ovs-"))
    switch, server = OpenVSwitch(LEAF.name, folder / "leaf"), OpenVSwitch(SERVER, folder / "server")
    spaces = (LEAF.name, SERVER, *ADDRESSES)
    try:
        for space in spaces:
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
        for port in LEAF.ports:
            far = port.far
            ip("-n", LEAF.name, "link", "add", port.name, "type", "veth", "peer", "name", far.port, "netns", far.device)
            ip("-n", LEAF.name, "link", "set", port.name, "up")
            ip("-n", far.device, "link", "set", far.port, "up")
        for space, address in ADDRESSES.items():
            ip("-n", space, "address", "add", f"{address}/24", "dev", "eth1")
            subprocess.run(["ip", "netns", "exec", space, "ethtool", "-K", "eth1", "tx", "off"], check=False)
        switch.up()
        server.up()
        switch.apply(LEAF)
        server.run("ovs-vsctl", "add-br", "host", "--", "set", "bridge", "host", "datapath_type=netdev")
        server.run(
            "ovs-vsctl", "add-bond", "host", "bond0", "eth1", "eth2", "lacp=active", "other_config:lacp-time=fast"
        )
        ip("-n", SERVER, "address", "add", "10.4.0.1/24", "dev", "host")
        ip("-n", SERVER, "link", "set", "host", "up")
        until(lambda: switch.members("bond1") == {"swp1": "enabled", "swp2": "enabled"})
        yield switch
    finally:
        server.down()
        switch.down()
        for space in spaces:
            subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)
        shutil.rmtree(folder)


def test_a_bundle_loses_a_member_and_a_vlan_lets_nobody_in(leaf: OpenVSwitch) -> None:
    """Negotiated by LACP on both ends; a member that is cut is named, and the other carries on."""
    like, other = ADDRESSES.values()
    assert leaf.drift(LEAF) == []
    assert "negotiated" in leaf.run("ovs-appctl", "lacp/show", "bond1")
    until(lambda: reaches(like))
    assert not reaches(other)

    ip("-n", SERVER, "link", "set", "eth1", "down")
    until(lambda: leaf.members("bond1") == {"swp1": "disabled", "swp2": "enabled"})
    until(lambda: reaches(like))
    ip("-n", SERVER, "link", "set", "eth1", "up")
    until(lambda: leaf.members("bond1") == {"swp1": "enabled", "swp2": "enabled"})

    leaf.run("ovs-vsctl", "set", "port", "swp4", "tag=200")
    until(lambda: reaches(other))
    assert leaf.drift(LEAF) == [Difference(LEAF.name, "interface swp4 access", "110", "200")]
    leaf.apply(LEAF)
    assert leaf.drift(LEAF) == []
    assert not reaches(other)
