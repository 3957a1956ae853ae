"""Renders a switch for Open vSwitch: VLANs and bundles, which a kernel may lack, and what it shows of them afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator

from steps.switches.comparing import Tree
from steps.switches.switch import Switch

BRIDGE = "fabric"


def commands(switch: Switch) -> Iterator[list[str]]:
    """Yield the commands of `ovs-vsctl` that set the VLANs and bundles of a switch up, in userspace."""
    yield ["--may-exist", "add-br", BRIDGE, "--", "set", "bridge", BRIDGE, "datapath_type=netdev"]
    for name, members, vlan in _bridged(switch):
        yield ["--if-exists", "del-port", BRIDGE, name]
        if name in members:
            yield ["add-port", BRIDGE, name, f"tag={vlan}"]
        else:
            fast = "other_config:lacp-time=fast"
            yield ["add-bond", BRIDGE, name, *members, f"tag={vlan}", "lacp=active", "bond_mode=balance-tcp", fast]


def settings_of(switch: Switch) -> Tree:
    """Return the VLANs and bundles of a switch as `settings_shown` returns them."""
    ports: Tree = {}
    for name, members, vlan in _bridged(switch):
        ports[name] = {"access": str(vlan), "member": {member: {} for member in members}}
    return {"interface": ports}


def settings_shown(ports: str, interfaces: str) -> Tree:
    """Return the settings in `ovs-vsctl -f json` of the columns name, tag and interfaces of ports, and _uuid and name of interfaces."""
    names = {uuid[1]: name for uuid, name in json.loads(interfaces)["data"]}
    shown: Tree = {}
    for name, tag, members in json.loads(ports)["data"]:
        if name == BRIDGE:
            continue
        uuids = members[1] if members[0] == "set" else [members]
        port: Tree = {"member": {names[uuid[1]]: {} for uuid in uuids}}
        shown[name] = port | ({} if isinstance(tag, list) else {"access": str(tag)})
    return {"interface": shown}


def _bridged(switch: Switch) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield each bundle and each port of a VLAN outside bundles: its name, its members and its VLAN."""
    bundled = {member for bond in switch.bonds for member in bond.members}
    for port in switch.ports:
        if port.vlan is not None and port.name not in bundled:
            yield port.name, (port.name,), port.vlan
    for bond in switch.bonds:
        yield bond.name, bond.members, bond.vlan
