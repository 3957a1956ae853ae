"""Renders a switch for plain Linux: FRR's configuration, `ip` commands for ports and bridges, and what both show afterwards.

A VLAN is a bridge of its own here, with a VXLAN tunnel where the switch is routed onward, since not every kernel filters VLANs in a
bridge. Bundles are left out: they are Cumulus Linux's, and a kernel may have no bonding.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from steps.switches.comparing import Tree
from steps.switches.nvue import FRAME, UNDERLAY, VNI
from steps.switches.switch import Switch

KINDS = ("router bgp", "address-family", "interface")
"""How the blocks of FRR's configuration begin that are drawn."""

ENDS = ("exit", "exit-address-family", "end")


def frr(switch: Switch) -> str:
    """Return the configuration that FRR takes, in the form in which it shows it. Without a routed port there is none."""
    if not switch.routed or switch.loopback is None:
        return ""
    lines = ["frr defaults datacenter"]
    for port in switch.ports:
        lines += [f"interface {port.name}", f" description {port.cable} {port.far}", "exit"]
    lines += [f"router bgp {switch.asn}", f" bgp router-id {switch.loopback.partition('/')[0]}"]
    lines += [f" neighbor {UNDERLAY} peer-group", f" neighbor {UNDERLAY} remote-as external"]
    lines += [f" neighbor {port.name} interface peer-group {UNDERLAY}" for port in switch.routed]
    lines += [" address-family ipv4 unicast", f"  network {switch.loopback}", " exit-address-family"]
    lines += [" address-family l2vpn evpn", f"  neighbor {UNDERLAY} activate"]
    if switch.segments:
        lines.append("  advertise-all-vni")
    return "\n".join([*lines, " exit-address-family", "exit", ""])


def links(switch: Switch) -> Iterator[str]:
    """Yield the commands for `ip -batch` that make the bridges of a switch whose ports are there."""
    if switch.loopback is not None:
        yield f"address add {switch.loopback} dev lo"
    yield "link set lo up"
    for segment in switch.segments:
        bridge, tunnel = f"br{segment.vlan}", f"vni{VNI + segment.vlan}"
        yield f"link add {bridge} type bridge"
        yield f"link set {bridge} mtu 9000 up"
        if switch.loopback is not None:
            local = switch.loopback.partition("/")[0]
            yield f"link add {tunnel} type vxlan id {VNI + segment.vlan} local {local} dstport 4789 nolearning"
            yield f"link set {tunnel} master {bridge} mtu 9000 up"
    for port in switch.ports:
        master = f" master br{port.vlan}" if port.vlan is not None else ""
        yield f"link set {port.name} mtu {FRAME}{master} up"


def settings_of(switch: Switch) -> Tree:
    """Return the settings of a switch as `settings_shown` returns them."""
    ports: Tree = {}
    for port in switch.ports:
        shown: Tree = {"mtu": str(FRAME), "state": "up"}
        ports[port.name] = shown | ({"master": f"br{port.vlan}"} if port.vlan is not None else {})
    return {"interface": ports, "router": blocks(frr(switch))}


def settings_shown(running: str, ip_link: str) -> Tree:
    """Return the settings in `show running-config` and `ip -j link`; ports begin with swp."""
    ports: Tree = {}
    for link in json.loads(ip_link):
        name = str(link["ifname"])
        if name.startswith("swp"):
            ports[name] = _port(link)
    return {"interface": ports, "router": blocks(running)}


def _port(link: Mapping[str, object]) -> Tree:
    flags = link["flags"]
    is_up = isinstance(flags, list) and "UP" in flags
    shown: Tree = {"mtu": str(link["mtu"]), "state": "up" if is_up else "down"}
    return shown | ({"master": str(link["master"])} if "master" in link else {})


def blocks(running: str) -> Tree:
    """Return the drawn blocks of FRR's configuration, each line under the lines that it belongs to."""
    tree: Tree = {}
    inside: list[Tree] = []
    for line in running.splitlines():
        words = line.strip()
        if not words or words == "!" or words in ENDS:
            inside = inside[:-1] if words in ENDS else inside
        elif words.startswith(KINDS):
            block: Tree = {}
            (inside[-1] if inside else tree)[words] = block
            inside.append(block)
        elif inside:
            inside[-1][words] = {}
    return tree
