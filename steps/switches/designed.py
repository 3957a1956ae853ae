"""The Ethernet switches of a design, with everything that their configuration says.

Rails of the compute fabric are single links, each in the VLAN of its rail. A server's several links to the storage or in-band
network are one bundle; over several switches it is an Ethernet segment of EVPN, as no cable joins a pair of leaves. Between the
switches of a network every port is routed (BGP unnumbered), and VLANs cross it by VXLAN.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Network
from typing import NamedTuple

from schedule.errors import InputError
from steps.cabling.cable import Cable, CableEnd
from steps.cabling.schedule_file import SiteNames
from steps.design.addressing import AddressPlan
from steps.design.design import Design
from steps.design.nodes import addresses_of
from steps.switches.links import BETWEEN_SWITCHES, ends_at_switches, ethernet_cables, groups_of, levels, site_names
from steps.switches.numbers import Numbers, as_numbers, loopback_addresses, management_addresses, subnet_of
from steps.switches.switch import (
    COMPUTE,
    IN_BAND,
    OUT_OF_BAND,
    STORAGE,
    Bond,
    Management,
    Segment,
    Switch,
    SwitchPort,
)

TABLES = {IN_BAND: "management", OUT_OF_BAND: "management", STORAGE: "storage"}
"""The routing table of each VLAN's network; rails have `compute`. Nothing is routed from one table to another."""


class SwitchEnd(NamedTuple):
    """A port of a switch, the far end and the cable between them."""

    port: str
    far: CableEnd
    cable: Cable

    @property
    def is_routed(self) -> bool:
        """Whether the port leads to a switch of the same network."""
        return self.cable.tier in BETWEEN_SWITCHES


class Bundle(NamedTuple):
    """What is bundled at a switch: the ports to one far device, or all uplinks; `segment` numbers it over several switches."""

    far: str
    segment: int | None = None
    is_edge: bool = True


UPLINK = Bundle("uplink", is_edge=False)
"""All uplinks of an out-of-band switch are one bundle, whatever in-band switches they lead to."""


def switches_of(design: Design, names: Sequence[SiteNames] = ()) -> list[Switch]:
    """Return the Ethernet switches of a design in the order of their numbers, under their names on site."""
    cables = ethernet_cables(design, names)
    if not cables:
        return []
    drawn_as = {on_site: drawn for drawn, on_site in site_names(design, names).items()}
    plan = addresses_of(design)
    level = levels(cables)
    network: dict[str, str] = {}
    ends: dict[str, list[SwitchEnd]] = defaultdict(list)
    used: dict[CableEnd, str] = {}
    for of, near, far, cable in ends_at_switches(cables):
        if near in used:
            raise InputError(f"{near} has the cables {used[near]} and {cable.name}", hint="correct the table of names")
        used[near] = cable.name
        network[near.device] = of
        ends[near.device].append(SwitchEnd(near.port, far, cable))
    ordered = [name for name in drawn_as if name in ends]
    routed = [name for name in ordered if any(end.is_routed for end in ends[name])]
    members = {each: [name for name in routed if network[name] == each] for each in (COMPUTE, STORAGE, IN_BAND)}
    numbers = Numbers(
        management_addresses(plan, drawn_as),
        loopback_addresses(plan, IPv4Network(str(design.choices["management_network"])), routed),
        as_numbers(int(design.figures["asn_first"]), members, level, groups_of(cables, level)),
    )
    bundles = _bundles(ends, network)
    return [
        _switch((name, drawn_as[name]), network[name], level[name], ends[name], bundles[name], numbers, plan)
        for name in ordered
    ]


def unjoined(switches: Iterable[Switch]) -> list[str]:
    """Return switches that share bundles although no cable joins them: a server that loses one port may lose its neighbours."""
    return [
        switch.name
        for switch in switches
        if not switch.routed and any(bond.segment is not None for bond in switch.bonds)
    ]


def _switch(
    names: tuple[str, str],
    network: str,
    level: int,
    ends: Iterable[SwitchEnd],
    bundled: Mapping[str, Bundle],
    numbers: Numbers,
    plan: AddressPlan,
) -> Switch:
    name, _ = names
    ports = tuple(_port(end, network, plan) for end in ends)
    out_of_band = subnet_of(plan, OUT_OF_BAND)
    is_out_of_band = network == OUT_OF_BAND
    own_vlan = out_of_band.vlan if is_out_of_band else None
    return Switch(
        *names,
        network,
        level,
        Management(numbers.management[name], str(out_of_band.gateway), own_vlan),
        ports,
        bonds=tuple(_bonds(ports, bundled)),
        segments=() if is_out_of_band else tuple(_segments(ports, plan)),
        asn=numbers.asns.get(name),
        loopback=numbers.loopbacks.get(name),
        is_lossless=network == COMPUTE,
    )


def _port(end: SwitchEnd, network: str, plan: AddressPlan) -> SwitchPort:
    vlan = None if end.is_routed else _vlan(end.cable, network, plan)
    return SwitchPort(end.port, end.cable.name, end.far, vlan, end.is_routed, end.cable.gbit)


def _vlan(cable: Cable, network: str, plan: AddressPlan) -> int | None:
    """Return the VLAN of what hangs on a port. A fabric manager has none: the schedule says no rail of it."""
    if network == COMPUTE:
        return subnet_of(plan, f"rail-{cable.rail}").vlan if cable.rail else None
    return subnet_of(plan, OUT_OF_BAND if cable.tier == "out-of-band-up" else network).vlan


def _bundles(ends: Mapping[str, Iterable[SwitchEnd]], network: Mapping[str, str]) -> dict[str, dict[str, Bundle]]:
    """Return, by switch, the far devices that are bundled there."""
    at: dict[str, dict[str, list[str]]] = {STORAGE: {}, IN_BAND: {}}
    found: dict[str, dict[str, Bundle]] = defaultdict(dict)
    for name, own in ends.items():
        for end in own:
            if network[name] == OUT_OF_BAND and end.cable.tier == "out-of-band-up":
                found[name][end.far.device] = UPLINK
            elif network[name] in at and not end.is_routed:
                at[network[name]].setdefault(end.far.device, []).append(name)
    for devices in at.values():
        for number, (device, switches) in enumerate(devices.items(), 1):
            for name in switches if len(switches) > 1 else ():
                segment = number if len(set(switches)) > 1 else None
                found[name][device] = Bundle(device, segment, is_edge=device not in network)
    return found


def _bonds(ports: Iterable[SwitchPort], bundled: Mapping[str, Bundle]) -> Iterator[Bond]:
    members: dict[Bundle, list[SwitchPort]] = defaultdict(list)
    for port in ports:
        if port.far.device in bundled:
            members[bundled[port.far.device]].append(port)
    for number, (bundle, own) in enumerate(members.items(), 1):
        vlan = own[0].vlan
        assert vlan is not None
        names = tuple(port.name for port in own)
        yield Bond(f"bond{number}", bundle.far, names, vlan, bundle.segment, bundle.is_edge)


def _segments(ports: Iterable[SwitchPort], plan: AddressPlan) -> Iterator[Segment]:
    vlans = {port.vlan for port in ports}
    for network in plan.networks:
        if network.vlan in vlans and network.vlan is not None:
            gateway = f"{network.gateway}/{network.subnet.prefixlen}"
            yield Segment(network.vlan, network.name, gateway, TABLES.get(network.name, COMPUTE))
