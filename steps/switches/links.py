"""The cables of all Ethernet networks of a design, and which device of them is a switch of which level.

Ports of the compute and storage switches are split if one cage of the design carries several links: link 3 of cages with two is
`swp2s0`. A name of the site's table is taken as it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from schedule.errors import InputError
from steps.cabling.cable import Cable, CableEnd
from steps.cabling.designed import drawn
from steps.cabling.schedule_file import SiteNames, named
from steps.design.cables import COLUMNS
from steps.design.design import Design
from steps.switches.switch import COMPUTE, IN_BAND, OUT_OF_BAND, STORAGE

NETWORKS = {
    "node-leaf": COMPUTE,
    "manager-leaf": COMPUTE,
    "leaf-spine": COMPUTE,
    "spine-core": COMPUTE,
    "local": COMPUTE,
    "global": COMPUTE,
    "storage": STORAGE,
    "storage-up": STORAGE,
    "in-band": IN_BAND,
    "in-band-up": IN_BAND,
    "out-of-band": OUT_OF_BAND,
    "out-of-band-up": IN_BAND,
}
"""The network of a cable's upper switch by the tier of the cable."""

HOSTNAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")

BETWEEN_SWITCHES = frozenset({"leaf-spine", "spine-core", "local", "global", "storage-up", "in-band-up"})
"""Tiers of which both ends are switches of one network."""


def ethernet_cables(design: Design, names: Sequence[SiteNames]) -> list[Cable]:
    """Return the cables of a design's Ethernet networks, with the ports that its switches have."""
    counted = design.counted
    cables: list[Cable] = []
    if counted.cables is not None and design.choices["fabric"] == "roce":
        cables += drawn(counted.cables, None, design.figures["link_gb_s"])
    if counted.service_cables is not None:
        for row in counted.service_cables.rows():
            of = {column: str(cell) for column, cell in zip(COLUMNS, row, strict=True)}
            a, b = (CableEnd(of[f"{side}_device"], of[f"{side}_port"]) for side in "ab")
            cables.append(Cable(of["cable"], a, b, tier=of["tier"]))
    if design.choices["storage_network"] != "ethernet":
        cables = [cable for cable in cables if NETWORKS[cable.tier] != STORAGE]
    per_cage = int(design.figures["ports_per_cage"])
    on_site = named(cables, names)
    return [_with_port_names(cable, per_cage) for cable in on_site]


def site_names(design: Design, names: Sequence[SiteNames]) -> dict[str, str]:
    """Return the name on site of every switch of a design, InfiniBand's too, in the order in which they are numbered."""
    counted = design.counted
    if counted.cables is None or counted.service_cables is None:
        return {}
    found = [name for tier in ("leaf", "spine", "core") for name in counted.cables.switch_names(tier)]
    for network in (counted.services.storage, counted.services.in_band, counted.services.out_of_band):
        for pod in (*range(len(counted.fabric.pods)), None):
            found += counted.service_cables.switch_names(network, pod)
    ends = [Cable(name, CableEnd(name, ""), CableEnd("", "")) for name in found]
    on_site = {cable.name: cable.a.device for cable in named(ends, names)}
    taken: dict[str, str] = {}
    for drawn_name, name in on_site.items():
        if not HOSTNAME.fullmatch(name):
            raise InputError(f"{name!r} is no name of a switch", hint="letters, digits and hyphens: correct --names")
        if name in taken:
            raise InputError(f"{taken[name]} and {drawn_name} are both {name}", hint="correct the table of --names")
        taken[name] = drawn_name
    return on_site


def levels(cables: Iterable[Cable]) -> dict[str, int]:
    """Return the level of each switch: 0 for a leaf, 1 for a spine, 2 for a core. Routers of a dragonfly are leaves."""
    found: dict[str, int] = {}
    for cable in cables:
        found.setdefault(cable.b.device, 0)
        if cable.tier in BETWEEN_SWITCHES or cable.tier == "out-of-band-up":
            found.setdefault(cable.a.device, 0)
    upward = [cable for cable in cables if cable.tier in BETWEEN_SWITCHES - {"local", "global"}]
    for _ in range(2):  # a core is above spines, which are above leaves
        for cable in upward:
            found[cable.b.device] = max(found[cable.b.device], found[cable.a.device] + 1)
    return found


def groups_of(cables: Iterable[Cable], level: Mapping[str, int]) -> dict[str, str]:
    """Return a name for each spine's group: the first of the spines that leaf switches join. Planes are never joined."""
    spines: dict[str, list[str]] = defaultdict(list)
    for cable in cables:
        if level.get(cable.a.device) == 0 and level[cable.b.device] == 1:
            spines[cable.a.device].append(cable.b.device)
    head: dict[str, str] = {}

    def first(spine: str) -> str:
        while head.setdefault(spine, spine) != spine:
            spine = head[spine]
        return spine

    for joined in spines.values():
        for spine in joined:
            one, other = sorted((first(joined[0]), first(spine)))
            head[other] = one
    return {spine: first(spine) for spine in head}


def ends_at_switches(cables: Iterable[Cable]) -> Iterator[tuple[str, CableEnd, CableEnd, Cable]]:
    """Yield the network, the switch's end, the far end and the cable of every port of a switch that carries traffic.

    The port by which a switch itself is managed is none of them.
    """
    for cable in cables:
        network = NETWORKS[cable.tier]
        yield network, cable.b, cable.a, cable
        if cable.tier in BETWEEN_SWITCHES:
            yield network, cable.a, cable.b, cable
        elif cable.tier == "out-of-band-up":
            yield OUT_OF_BAND, cable.a, cable.b, cable


def _with_port_names(cable: Cable, per_cage: int) -> Cable:
    a, b = cable.a, cable.b
    split = per_cage if NETWORKS[cable.tier] in (COMPUTE, STORAGE) else 1
    if cable.tier in BETWEEN_SWITCHES or cable.tier == "out-of-band-up":
        a = a._replace(port=_port_name(a.port, split))
    return cable._replace(a=a, b=b._replace(port=_port_name(b.port, split)))


def _port_name(port: str, per_cage: int) -> str:
    if not port.isdecimal():
        return port
    cage, link = divmod(int(port) - 1, per_cage)
    return f"swp{cage + 1}" if per_cage == 1 else f"swp{cage + 1}s{link}"
