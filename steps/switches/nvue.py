"""Renders a switch as NVUE has it: the configuration of Cumulus Linux, as the model of release 5.16 names its parts."""

from __future__ import annotations

import json
from typing import Any

import yaml

from schedule.errors import InputError
from steps.switches.services import SiteServers
from steps.switches.switch import OUT_OF_BAND, Bond, Segment, Switch, SwitchPort

RELEASE = "5.16"
"""The release of Cumulus Linux whose model the documents follow. Before 5.12 it is `enable: on`, and `ip` in the place of `ipv4`."""

BRIDGE = "br_default"
UNDERLAY = "underlay"
MANAGEMENT = "mgmt"

FRAME = 9216
"""Bytes of a frame on ports of the data networks: a server's 9000 and the headers of VXLAN."""

VNI, TABLE_VNI = 10_000, 50_000
"""The VXLAN number of VLAN 300 is 10300. Routing tables have theirs in the order of TABLES."""

TABLES = ("compute", "storage", "management")

GATEWAY_MAC = "00:00:5e:00:01:01"
"""The address of a gateway, which every leaf switch has alike (RFC 5798, virtual router 1)."""

SEGMENT_MAC = "44:38:39:be:ef:01"
"""What switches with one bundle say as their common LACP system."""

SPEEDS = (1, 10, 25, 40, 50, 100, 200, 400, 800)

SPLITS = (2, 4, 8)
"""In how many ports a cage may be split. All split cages of a switch are alike, as those of a design are."""

ON = {"state": "enabled"}

Tree = dict[str, Any]


def document(switch: Switch, services: SiteServers) -> Tree:
    """Return the configuration of a switch."""
    tree: Tree = {}
    _put(tree, "system", value={"hostname": switch.name} | _services(services))
    _management(tree, switch)
    split = [place for port in switch.ports if (place := _in_cage(port.name))]
    most = max((link for _, link in split), default=0)
    for cage, _ in split:
        breakout: Tree = {f"{next(way for way in SPLITS if way > most)}x": {}}
        _put(tree, "interface", cage, value={"type": "swp", "link": {"breakout": breakout}})
    bundled = {name for bond in switch.bonds for name in bond.members}
    tracks = any(bond.segment is not None for bond in switch.bonds)
    for port in switch.ports:
        interface = _port(port, switch, is_bundled=port.name in bundled)
        if port.is_routed and tracks:
            _put(interface, "evpn", "multihoming", value={"uplink": "enabled"})
        _put(tree, "interface", port.name, value=interface)
    for bond in switch.bonds:
        _bond(tree, bond, switch)
    _bridge(tree, switch)
    for segment in switch.segments:
        _segment(tree, segment, is_extended=bool(switch.routed))
    if switch.routed:
        _routing(tree, switch)
    if switch.is_lossless:
        _put(tree, "qos", "roce", value={**ON, "mode": "lossless"})
    return tree


def text(switch: Switch, services: SiteServers) -> str:
    """Return the file that `nv config patch` takes."""
    head = (
        f"# {switch.name}, rendered from the cable schedule and addresses of the design for Cumulus Linux {RELEASE}\n"
    )
    settings = json.loads(json.dumps(document(switch, services)))  # copies: NVUE reads no aliases for what occurs twice
    body = yaml.dump([{"set": settings}], Dumper=yaml.CSafeDumper, sort_keys=False, width=200)
    return head + str(body)


def _services(services: SiteServers) -> Tree:
    """Return the servers that a switch asks, over its management."""
    found: Tree = {}
    if services.ntp:
        ntp = {str(address): {"iburst": "enabled"} for address in services.ntp}
        found["ntp"] = {**ON, "vrf": MANAGEMENT, "server": ntp}
    if services.dns:
        found["dns"] = {"server": {str(address): {"vrf": MANAGEMENT} for address in services.dns}}
    if services.syslog:
        found["syslog"] = {"server": {str(address): {"vrf": MANAGEMENT} for address in services.syslog}}
    return found


def _management(tree: Tree, switch: Switch) -> None:
    """Put the way to the switch itself: its own port, or the VLAN of an out-of-band switch."""
    own = switch.management
    addresses: Tree = {"address": {own.address: {}}}
    if own.vlan is None:
        ipv4 = addresses | {"gateway": {own.gateway: {}}}
        _put(tree, "interface", "eth0", value={"type": "eth", "vrf": MANAGEMENT, "ipv4": ipv4})
    else:
        interface = {"type": "svi", "vlan": own.vlan, "vrf": MANAGEMENT, "ipv4": addresses}
        _put(tree, "interface", f"vlan{own.vlan}", value=interface)
        via = {"address-family": "ipv4-unicast", "via": {own.gateway: {"type": "ipv4-address"}}}
        _put(tree, "vrf", MANAGEMENT, "router", "static", "0.0.0.0/0", value=via)


def _port(port: SwitchPort, switch: Switch, *, is_bundled: bool) -> Tree:
    interface: Tree = {"type": "swp", "description": f"{port.cable} {port.far}", "link": {"state": {"up": {}}}}
    if switch.network != OUT_OF_BAND:
        interface["link"]["mtu"] = FRAME
    if port.gbit is not None:
        interface["link"]["speed"] = _speed(port.gbit)
    if port.is_routed and switch.is_lossless:
        _put(interface, "router", "adaptive-routing", value=ON)
    elif port.vlan is not None and not is_bundled:
        _put(interface, "bridge", "domain", BRIDGE, value=_access(port.vlan))
    if switch.is_lossless:
        _put(interface, "qos", "pfc-watchdog", value={"state": "enable"})
    return interface


def _in_cage(port: str) -> tuple[str, int] | None:
    """Return the cage of a split port and its number there: `swp3s1` is 1 in `swp3`. Raise InputError if no cage has so many."""
    cage, _, link = port.rpartition("s")
    if not (link.isdecimal() and cage.removeprefix("swp").isdecimal()):
        return None
    if int(link) >= SPLITS[-1]:
        raise InputError(
            f"no cage is split in so many ports: {port}", hint="correct ports_per_cage, or the table of names"
        )
    return cage, int(link)


def _speed(gbit: float) -> str:
    if gbit not in SPEEDS:
        raise InputError(f"no port of Cumulus Linux has {gbit:g} Gbit/s", hint="correct link_gb_s of the design")
    return f"{gbit:g}G"


def _access(vlan: int, *, is_edge: bool = True) -> Tree:
    """Return the bridge of a port. Where servers or controllers are, it never takes part in the spanning tree."""
    edge = {"stp": {"admin-edge": "enabled", "bpdu-guard": "enabled"}}
    return {"access": vlan} | (edge if is_edge else {})


def _bond(tree: Tree, bond: Bond, switch: Switch) -> None:
    interface: Tree = {
        "type": "bond",
        "description": bond.far,
        "bond": {"mode": "lacp", "lacp-rate": "fast", "member": {name: {} for name in bond.members}},
        "bridge": {"domain": {BRIDGE: _access(bond.vlan, is_edge=bond.is_edge)}},
    }
    if switch.network != OUT_OF_BAND:
        interface["link"] = {"mtu": FRAME}
    if bond.segment is not None:
        segment = {**ON, "local-id": bond.segment, "mac-address": SEGMENT_MAC}
        _put(interface, "evpn", "multihoming", "segment", value=segment)
        _put(tree, "evpn", value={**ON, "multihoming": ON})
    _put(tree, "interface", bond.name, value=interface)


def _bridge(tree: Tree, switch: Switch) -> None:
    """Put the VLANs of a switch. One that is routed onward has a VXLAN number."""
    vlans = sorted({port.vlan for port in switch.ports if port.vlan is not None})
    if vlans:
        extended: Tree = {str(vlan): {"vni": {str(VNI + vlan): {}}} if switch.routed else {} for vlan in vlans}
        _put(tree, "bridge", "domain", BRIDGE, value={"type": "vlan-aware", "vlan": extended})


def _segment(tree: Tree, segment: Segment, *, is_extended: bool) -> None:
    """Put the gateway of a VLAN, in the routing table of its network."""
    gateway = {
        "type": "svi",
        "vlan": segment.vlan,
        "vrf": segment.table,
        "ipv4": {"address": {segment.gateway: {}}},
        "link": {"mac-address": GATEWAY_MAC, "mtu": FRAME},
    }
    _put(tree, "interface", f"vlan{segment.vlan}", value=gateway)
    table: Tree = {}
    if is_extended:
        table = {"evpn": {**ON, "vni": {str(TABLE_VNI + TABLES.index(segment.table) + 1): {}}}}
    _put(tree, "vrf", segment.table, value=table)


def _routing(tree: Tree, switch: Switch) -> None:
    assert switch.loopback is not None
    router_id = switch.loopback.partition("/")[0]
    speaker = {**ON, "autonomous-system": switch.asn, "router-id": router_id}
    _put(tree, "interface", "lo", value={"type": "loopback", "ipv4": {"address": {switch.loopback: {}}}})
    _put(tree, "router", "bgp", value=speaker)
    connected = {**ON, "redistribute": {"connected": ON}}
    neighbours = {port.name: {"type": "unnumbered", "peer-group": UNDERLAY} for port in switch.routed}
    underlay = {"remote-as": "external", "address-family": {"ipv4-unicast": ON, "l2vpn-evpn": ON}}
    bgp = {
        **ON,
        "address-family": {"ipv4-unicast": connected, "l2vpn-evpn": ON},
        "peer-group": {UNDERLAY: underlay},
        "neighbor": neighbours,
    }
    _put(tree, "vrf", "default", "router", "bgp", value=bgp)
    if switch.is_lossless:
        _put(tree, "router", "adaptive-routing", value=ON)
    if not switch.segments:
        return
    _put(tree, "evpn", value=ON)
    _put(tree, "nve", "vxlan", value={**ON, "source": {"address": router_id}, "arp-nd-suppress": "enabled"})
    for table in sorted({segment.table for segment in switch.segments}):
        exported = {**connected, "route-export": {"to-evpn": ON}}
        own = {**speaker, "address-family": {"ipv4-unicast": exported}}
        _put(tree, "vrf", table, "router", "bgp", value=own)


def _put(tree: Tree, *keys: str, value: Tree) -> None:
    """Join a value to what is under these keys."""
    for key in keys:
        tree = tree.setdefault(key, {})
    tree.update(value)
