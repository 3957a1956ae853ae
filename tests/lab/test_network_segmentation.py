"""Step 053 on an Open vSwitch with three segments and a router between two: a wrong VLAN, an open router and a taken address are found.

Playbook: `networking/053_network_segmentation.yml`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from steps.acceptance.measured import Measured
from tests.lab.as_engine import measured
from tests.lab.conftest import made_alone
from tests.lab.lab import Lab
from tests.lab.playing import BY_ITSELF, play
from tests.lab.reaching import ssh

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab"), pytest.mark.timeout(600)]

(PLAYBOOK,) = (playbook for playbook in BY_ITSELF if "/053_" in playbook)
PORTS = {
    "mgmt": {"eth1": "management"},
    "storage": {"eth2": "storage"},
    "node-01": {"eth2": "storage", "eth3": "compute"},
    "node-02": {"eth3": "compute"},
}
VLANS = {"management": 110, "storage": 200, "compute": 300}
PLANES = {"management": 1, "storage": 2, "compute": 3}
SWITCHED = {"swp1": 110, "swp2": 200, "swp3": 200, "swp4": 300, "swp5": 300}
ROUTER = """
table ip between {
  chain forward {
    type filter hook forward priority 0; policy drop;
    iifname vlan110 oifname vlan200 accept
    iifname vlan200 oifname vlan110 icmp type echo-reply accept
  }
}
"""


def gateway(lab: Lab, segment: str) -> str:
    """Return the switch's address in a segment."""
    return str(lab.addresses.plane(PLANES[segment])[1])


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Yield a lab whose switch has a VLAN for each segment, and routes from management to storage."""
    for lab in made_alone(os.environ.get("LAB_NAME", "cwseg"), "10.82.4.0/22", "segments"):
        ssh(lab, "leaf-1", "apt-get install -y -qq --no-install-recommends openvswitch-switch nftables >/dev/null")
        lines = ["ovs-vsctl --may-exist add-br fabric -- set bridge fabric datapath_type=netdev"]
        for port, vlan in SWITCHED.items():
            lines += [f"ip link set {port} nomaster", f"ovs-vsctl --may-exist add-port fabric {port} tag={vlan}"]
        for segment, vlan in VLANS.items():
            name = f"vlan{vlan}"
            lines += [f"ovs-vsctl --may-exist add-port fabric {name} tag={vlan} -- set interface {name} type=internal"]
            lines += [f"ip address replace {gateway(lab, segment)}/24 dev {name}", f"ip link set {name} up"]
        # the kernel sees frames of a switched port too, and is not to answer for the router there
        lines += ["sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.arp_ignore=1", f"nft -f - <<'END'\n{ROUTER}\nEND"]
        ssh(lab, "leaf-1", "set -e\n" + "\n".join(lines))
        way = f"ip route replace {lab.addresses.plane(1)} via {gateway(lab, 'storage')}"
        for host in ("storage", "node-01"):
            ssh(lab, host, way)
            ssh(lab, host, f"ping -c 1 -w 30 {gateway(lab, 'storage')} >/dev/null")
        yield lab


def drawn(lab: Lab) -> dict[str, Any]:
    """Return the inventory's matrix, and the segment of each port."""
    segments: dict[str, dict[str, Any]] = {
        name: {"networks": [str(lab.addresses.plane(PLANES[name]))], "gateway": gateway(lab, name)} for name in VLANS
    }
    segments["management"]["reaches"] = ["storage"]
    hosts = {host: {"network_segment_ports": ports} for host, ports in PORTS.items()}
    return {"vars": {"network_segments": segments}, "hosts": hosts}


def asked(lab: Lab, folder: Path) -> dict[str, dict[str, Measured]]:
    """Play the step as the engine does. Return what each host measured, by metric."""
    return measured(lab, "053", tuple(PORTS), folder, drawn(lab))


def values(found: dict[str, dict[str, Measured]], metric: str) -> dict[str, object]:
    """Return the values of a metric by host."""
    return {host: reading.value for host, reading in found[metric].items()}


def test_segments_are_apart_as_they_are_drawn(lab: Lab, tmp_path: Path) -> None:
    found = asked(lab, tmp_path)
    more = tmp_path / "more.yml"
    more.write_text(yaml.safe_dump({"all": drawn(lab)}), encoding="utf-8")
    again = play(lab, PLAYBOOK, "-i", str(more), "--check")

    assert values(found, "segments.leaks") == dict.fromkeys(PORTS, 0), found
    assert values(found, "segments.allowed_pairs_reachable_ratio") == dict.fromkeys(PORTS, 1), found
    assert values(found, "addresses.overlaps") == dict.fromkeys(PORTS, 0), found
    assert (again.rc, again.changes) == (0, 0), again.said[-4000:]


def test_a_port_of_the_switch_in_a_wrong_vlan_is_found_from_both_sides(lab: Lab, tmp_path: Path) -> None:
    """The storage server is in the VLAN of management. Its address is not of that network."""
    ssh(lab, "leaf-1", "ovs-vsctl set port swp2 tag=110")
    try:
        found = asked(lab, tmp_path)
    finally:
        ssh(lab, "leaf-1", "ovs-vsctl set port swp2 tag=200")

    leaks = found["segments.leaks"]
    assert leaks["storage"].value == 1, found
    assert leaks["storage"].note == "storage (eth2) to mgmt in management: its port answers on this wire"
    ratio = values(found, "segments.allowed_pairs_reachable_ratio")
    assert ratio["storage"] == 0
    assert ratio["node-02"] == 1


def test_a_router_without_its_rules_is_found(lab: Lab, tmp_path: Path) -> None:
    ssh(lab, "leaf-1", "nft flush ruleset")
    way = f"ip route replace {lab.addresses.plane(1)} via {gateway(lab, 'compute')}"
    ssh(lab, "node-02", way)
    back = f"ip route replace {lab.addresses.plane(3)} via {gateway(lab, 'management')}"
    ssh(lab, "mgmt", back)
    try:
        found = asked(lab, tmp_path)
    finally:
        ssh(lab, "leaf-1", f"nft -f - <<'END'\n{ROUTER}\nEND")
        ssh(lab, "mgmt", back.replace("replace", "del"))
        ssh(lab, "node-02", way.replace("replace", "del"))

    leaks = found["segments.leaks"]
    assert "compute (eth3) to mgmt in management: by way of the gateway" in leaks["node-02"].note, found
    assert leaks["node-02"].value


def test_an_address_that_two_hosts_have_is_found(lab: Lab, tmp_path: Path) -> None:
    taken = lab.addresses.of(lab.topology.host("storage").number, plane=2)
    ssh(lab, "node-01", f"ip address add {taken}/24 dev eth2")
    try:
        found = asked(lab, tmp_path)
    finally:
        ssh(lab, "node-01", f"ip address del {taken}/24 dev eth2")

    assert found["addresses.overlaps"]["storage"].value == 1, found
    assert f"{taken} is also that of" in found["addresses.overlaps"]["storage"].note
