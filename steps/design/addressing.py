"""Addresses: a subnet a network and rail, VLANs, AS numbers of a routed Ethernet fabric, LIDs of an InfiniBand one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network
from math import ceil, log2
from typing import Any, NamedTuple

from steps.design.fabric import Fabric
from steps.design.findings import Finding

GROWTH = 2
"""Addresses kept for each one in use."""

RESERVED = 16
"""Addresses at the start of a subnet for gateways and services."""

UNICAST_LIDS = 0xBFFF
"""Last unicast LID of an InfiniBand subnet (InfiniBand Architecture Specification, volume 1)."""

LAST_PRIVATE_ASN = 4294967294


class Network(NamedTuple):
    """One network; `vlan` is none where ports are routed or InfiniBand."""

    name: str
    subnet: IPv4Network
    vlan: int | None
    hosts: int
    gateway: IPv4Address


class AddressPlan(NamedTuple):
    """Networks, the AS numbers of each tier (first and last) and the LIDs in use."""

    networks: tuple[Network, ...]
    asns: dict[str, tuple[int, int]]
    lids: int
    short: tuple[str, ...]


def address_plan(
    f: Mapping[str, float], choices: Mapping[str, Any], fabric: Fabric, *, racks: int, storage_servers: int
) -> AddressPlan:
    """Return the plan of a design; networks that their parent has no room for are named in `short`."""
    nodes = int(f["nodes"])
    management = IPv4Network(str(choices["management_network"]))
    out_of_band = (
        nodes + fabric.switches + racks * int(f["rack_feeds"]) + storage_servers + int(f["management_servers"])
    )
    in_band = nodes + storage_servers + int(f["management_servers"])
    wanted: list[tuple[str, IPv4Network, int | None, int]] = [
        ("out-of-band", management, int(f["vlan_management"]), out_of_band),
        ("in-band", management, int(f["vlan_provisioning"]), in_band),
    ]
    if choices["storage_network"] != "none":
        vlan = int(f["vlan_storage"]) if choices["storage_network"] == "ethernet" else None
        wanted.append(("storage", IPv4Network(str(choices["storage_subnet"])), vlan, nodes + storage_servers))
    routed = choices["fabric"] == "roce"
    rails = int(f["rails"]) if choices["fabric"] != "none" else 0
    compute = IPv4Network(str(choices["compute_network"]))
    vlans = [int(f["vlan_compute"]) + number if routed else None for number in range(rails)]
    wanted += [(f"rail-{number}", compute, vlan, nodes) for number, vlan in enumerate(vlans, 1)]
    networks, short = _carved(wanted)
    asns = _as_numbers(int(f["asn_first"]), fabric) if routed else {}
    lids = fabric.node_leaf_links + fabric.manager_links + fabric.switches if choices["fabric"] == "infiniband" else 0
    return AddressPlan(networks, asns, lids, short)


def hosts(plan: AddressPlan, nodes: list[str]) -> Iterator[tuple[str, str, str]]:
    """Return node, network and address with prefix of every server; the n-th server has the n-th address of each network."""
    for network in plan.networks:
        first = int(network.subnet.network_address) + RESERVED
        for number, node in enumerate(nodes):
            yield node, network.name, f"{IPv4Address(first + number)}/{network.subnet.prefixlen}"


def _carved(wanted: list[tuple[str, IPv4Network, int | None, int]]) -> tuple[tuple[Network, ...], tuple[str, ...]]:
    """Cut subnets from their parents in order, each aligned to its size."""
    used: dict[IPv4Network, int] = {}
    networks, short = [], []
    for name, parent, vlan, count in wanted:
        bits = max(4, ceil(log2(count * GROWTH + RESERVED)))
        size = 1 << bits
        start = ceil((used.get(parent, int(parent.network_address))) / size) * size
        if start + size > int(parent.broadcast_address) + 1:
            short.append(name)
            continue
        used[parent] = start + size
        subnet = IPv4Network((start, 32 - bits))
        networks.append(Network(name, subnet, vlan, count, subnet.network_address + 1))
    return tuple(networks), tuple(short)


def _as_numbers(first: int, fabric: Fabric) -> dict[str, tuple[int, int]]:
    """One number for the core, one for the spines of each group and plane, one a leaf switch (RFC 7938)."""
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
    """Return what the address space does not hold."""
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
