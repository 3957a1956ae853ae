"""The numbers that a design's switches get: AS numbers, loopback addresses and addresses of management.

AS numbers follow RFC 7938: one for the core, one for the spines of a group and plane, one for each leaf. Those of the storage and
in-band networks follow those of the compute fabric. Loopbacks are the last addresses of `management_network`; switches are managed
in the out-of-band network, after its servers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import NamedTuple

from schedule.errors import InputError
from steps.design.addressing import LAST_PRIVATE_ASN, RESERVED, AddressPlan, Subnet
from steps.switches.switch import IN_BAND, OUT_OF_BAND


class Numbers(NamedTuple):
    """Addresses with their prefixes, and AS numbers, by switch."""

    management: dict[str, str]
    loopbacks: dict[str, str]
    asns: dict[str, int]


def subnet_of(plan: AddressPlan, name: str) -> Subnet:
    """Return a network of the address plan. Raise InputError if the design has no room for it."""
    for network in plan.networks:
        if network.name == name:
            return network
    raise InputError(
        f"the design has no addresses for {name}",
        hint="a larger management_network, storage_subnet or compute_network",
    )


def management_addresses(plan: AddressPlan, switches: Iterable[str]) -> dict[str, str]:
    """Return the out-of-band address of each switch, after those of the servers."""
    network = subnet_of(plan, OUT_OF_BAND)
    first = RESERVED + subnet_of(plan, IN_BAND).hosts
    found = {}
    for number, name in enumerate(switches, first):
        address = network.subnet.network_address + number
        if address >= network.subnet.broadcast_address:
            raise InputError(
                f"the out-of-band network {network.subnet} has no address for {name}",
                hint="the address plan counts too few switches: state a larger site in the design",
            )
        found[name] = f"{address}/{network.subnet.prefixlen}"
    return found


def loopback_addresses(plan: AddressPlan, parent: IPv4Network, switches: Iterable[str]) -> dict[str, str]:
    """Return an address for each switch, counted from the end of a network of which subnets are cut from the start."""
    inside = [network.subnet.broadcast_address for network in plan.networks if network.subnet.subnet_of(parent)]
    used = max(inside, default=parent.network_address)
    names = list(switches)
    first = int(parent.broadcast_address) - len(names)
    if first <= int(used):
        raise InputError(f"{parent} has no room for the loopbacks of {len(names):,} switches", hint="a larger one")
    return {name: f"{IPv4Address(first + number)}/32" for number, name in enumerate(names)}


def as_numbers(
    first: int,
    members: Mapping[str, Iterable[str]],
    level: Mapping[str, int],
    groups: Mapping[str, str],
) -> dict[str, int]:
    """Return the AS number of each switch; `members` has the routed switches by network, and `groups` the group of each spine."""
    found: dict[str, int] = {}
    at = first
    for switches in members.values():
        number: dict[tuple[int, str], int] = {}
        for name in sorted(switches, key=lambda name: -level[name]):
            key = _shared(name, level[name], groups)
            if key not in number:
                number[key] = at
                at += 1
            found[name] = number[key]
    if at - 1 > LAST_PRIVATE_ASN:
        raise InputError(
            f"the last AS number would be {at - 1}; private ones end at {LAST_PRIVATE_ASN}", hint="asn_first lower"
        )
    return found


def _shared(name: str, level: int, groups: Mapping[str, str]) -> tuple[int, str]:
    """Return what switches of one AS number have in common."""
    if level == 2:
        return level, ""
    return level, groups.get(name, name) if level == 1 else name
