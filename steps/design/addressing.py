"""Addresses: a subnet for each network and rail, VLANs, AS numbers of a routed Ethernet fabric, LIDs of InfiniBand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network
from math import ceil, log2
from typing import NamedTuple

from steps.design.fabric import Fabric
from steps.design.figures import Chosen, Figures
from steps.design.findings import Finding

GROWTH = 2
"""Addresses kept for each one in use."""

RESERVED = 16
"""Addresses at the start of a subnet for gateways and services."""

UNICAST_LIDS = 0xBFFF
"""Last unicast LID of an InfiniBand subnet (InfiniBand Architecture Specification, volume 1)."""

LAST_PRIVATE_ASN = 4294967294

Address = tuple[str, str, str]
"""A node, the name of a network, and the node's address there with its prefix."""


class Subnet(NamedTuple):
    """One network. `vlan` is None for routed ports and InfiniBand."""

    name: str
    subnet: IPv4Network
    vlan: int | None
    hosts: int
    gateway: IPv4Address


class AddressPlan(NamedTuple):
    """Networks, the AS numbers of each tier (first and last), the LIDs in use, and the networks without room (`short`)."""

    networks: tuple[Subnet, ...]
    asns: dict[str, tuple[int, int]]
    lids: int
    short: tuple[str, ...]


class Wanted(NamedTuple):
    """A network before it has a subnet: the parent that its subnet is cut from, and how many hosts it has."""

    name: str
    parent: IPv4Network
    vlan: int | None
    hosts: int


def address_plan(
    f: Figures,
    choices: Chosen,
    fabric: Fabric,
    *,
    racks: int,
    storage_servers: int,
) -> AddressPlan:
    """Return the addresses of a design."""
    wanted = _wanted(f, choices, fabric, racks=racks, storage_servers=storage_servers)
    networks, short = _carved(wanted)
    asns = _as_numbers(int(f["asn_first"]), fabric) if choices["fabric"] == "roce" else {}
    ports = fabric.node_leaf_links + fabric.manager_links + fabric.switches
    lids = ports if choices["fabric"] == "infiniband" else 0
    return AddressPlan(tuple(networks), asns, lids, tuple(short))


def _wanted(
    f: Figures,
    choices: Chosen,
    fabric: Fabric,
    *,
    racks: int,
    storage_servers: int,
) -> list[Wanted]:
    nodes = int(f["nodes"])
    management = IPv4Network(str(choices["management_network"]))
    in_band = nodes + storage_servers + int(f["management_servers"])
    out_of_band = in_band + fabric.switches + racks * int(f["rack_feeds"])
    wanted = [
        Wanted("out-of-band", management, int(f["vlan_management"]), out_of_band),
        Wanted("in-band", management, int(f["vlan_provisioning"]), in_band),
    ]
    if choices["storage_network"] != "none":
        vlan = int(f["vlan_storage"]) if choices["storage_network"] == "ethernet" else None
        parent = IPv4Network(str(choices["storage_subnet"]))
        wanted.append(Wanted("storage", parent, vlan, nodes + storage_servers))
    compute = IPv4Network(str(choices["compute_network"]))
    for number in range(int(f["rails"]) if choices["fabric"] != "none" else 0):
        vlan = int(f["vlan_compute"]) + number if choices["fabric"] == "roce" else None
        wanted.append(Wanted(f"rail-{number + 1}", compute, vlan, nodes))
    return wanted


def hosts(plan: AddressPlan, nodes: Sequence[str]) -> Iterator[Address]:
    """Yield node, network, and address with prefix; the n-th server has the n-th address of each network."""
    for network in plan.networks:
        first = int(network.subnet.network_address) + RESERVED
        for number, node in enumerate(nodes):
            yield node, network.name, f"{IPv4Address(first + number)}/{network.subnet.prefixlen}"


def _carved(wanted: list[Wanted]) -> tuple[list[Subnet], list[str]]:
    """Return the subnets, cut from their parents in order and aligned to their size, and the names of those without room."""
    used: dict[IPv4Network, int] = {}
    networks: list[Subnet] = []
    short: list[str] = []
    for name, parent, vlan, count in wanted:
        bits = max(4, ceil(log2(count * GROWTH + RESERVED)))
        size = 1 << bits
        free = used.get(parent, int(parent.network_address))
        start = ceil(free / size) * size
        if start + size > int(parent.broadcast_address) + 1:
            short.append(name)
            continue
        used[parent] = start + size
        subnet = IPv4Network((start, 32 - bits))
        networks.append(Subnet(name, subnet, vlan, count, subnet.network_address + 1))
    return networks, short


def _as_numbers(first: int, fabric: Fabric) -> dict[str, tuple[int, int]]:
    """Return one number for the core, one for the spines of each group and plane, one for each leaf switch (RFC 7938)."""
    groups = ceil(len(fabric.pods) / fabric.group_pods) * fabric.planes
    numbers, at = {}, first
    for tier, count in (
        ("core", 1 if fabric.core else 0),
        ("spine", groups if fabric.spine else 0),
        ("leaf", fabric.leaf),
    ):
        if count:
            numbers[tier] = (at, at + count - 1)
            at += count
    return numbers


def findings(plan: AddressPlan) -> Iterator[Finding]:
    """Yield what the address space has no room for."""
    if plan.short:
        yield Finding(
            "addresses-too-few",
            "error",
            "addresses",
            f"no room for {', '.join(plan.short)} in the network they are cut from",
            "a larger management_network, storage_subnet or compute_network",
        )
    if plan.lids > UNICAST_LIDS:
        yield Finding(
            "lids-too-few",
            "error",
            "addresses",
            f"{plan.lids:,} ports need a LID; one InfiniBand subnet has {UNICAST_LIDS:,}",
            "several subnets joined by routers, or fabric: roce",
            {"lids": plan.lids, "limit": UNICAST_LIDS},
        )
    last = max((last for _, last in plan.asns.values()), default=0)
    if last > LAST_PRIVATE_ASN:
        yield Finding(
            "as-numbers-too-few",
            "error",
            "addresses",
            f"the last AS number would be {last}; private ones end at {LAST_PRIVATE_ASN}",
            "asn_first lower",
        )
