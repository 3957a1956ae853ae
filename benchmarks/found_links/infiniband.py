"""Random faults in fabrics of ibsim, read by the real iblinkinfo: all are to be found, and closed once the cables are right.

simhall has no InfiniBand. Here what is right is known, since we plant it: the net list that ibsim gets is the design's cable schedule
with plugs moved, exchanged and taken out, links that are slow, and cables that nobody drew.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from steps.cabling import finding
from steps.cabling.cable import Cable, CableEnd, Reading
from steps.cabling.comparing import compare
from steps.cabling.designed import designed
from steps.cabling.reading.found_file import read_found
from steps.cabling.worklist import worklist
from steps.design.design import design_of_preset

LIBRARY = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"
FULL, SLOW, NARROW = "s=4 w=2", "s=2 w=2", "s=4 w=1"
"""Four lanes of 10 Gbit/s, which is the most that ibsim has; four of 5; one of 10."""

GBIT = 40.0
MANAGER = "subnet-manager"
Planted = set[tuple[str, frozenset[str]]]


class Link(NamedTuple):
    """A cable as it is plugged in, and how fast it runs."""

    a: CableEnd
    b: CableEnd
    how: str = FULL


class Fabric(NamedTuple):
    """A fabric with faults: what is drawn, what is plugged in, and what should be found."""

    cables: list[Cable]
    links: dict[str, Link]
    planted: Planted


class Outcome(NamedTuple):
    """What was planted, what of it was found, what else was said, and what was closed after half was put right."""

    cables: int
    planted: int
    found: int
    other: int
    repaired: int
    closed: int
    wrongly_closed: int


def try_fabric(seed: int, folder: Path) -> Outcome:
    """Plant faults in a fabric, look for them, put half of them right, and look again."""
    draw = random.Random(seed)
    fabric = planted(draw)
    before = worklist(compare(fabric.cables, read(fabric, folder)), (), "1")
    said = {(entry.finding.kind, entry.finding.key) for entry in before}
    right = {str(name) for _, names in sorted(fabric.planted, key=str)[::2] for name in names}
    after = worklist(compare(fabric.cables, read(repaired(fabric, right), folder)), before, "2")
    closed = {entry.finding.key for entry in after if entry.closed}
    put_right = {names for _, names in fabric.planted if names <= right}
    found = len(said & fabric.planted)
    return Outcome(
        cables=len(fabric.cables),
        planted=len(fabric.planted),
        found=found,
        other=len(said - fabric.planted),
        repaired=len(put_right),
        closed=len(closed & put_right),
        wrongly_closed=len(closed - put_right),
    )


def planted(draw: random.Random) -> Fabric:
    """Return a fabric of a few servers with up to eight faults, no two of them at one cable."""
    design = design_of_preset("superpod-1su", {"nodes": draw.choice((3, 4, 5, 10, 12, 14))})
    cables = [cable._replace(gbit=GBIT) for cable in designed(design, "site") if cable.tier != "manager-leaf"]
    leaf = next(cable.b.device for cable in cables if cable.tier == "node-leaf")
    cables.append(Cable(MANAGER, CableEnd(MANAGER, "1"), CableEnd(leaf, "65"), gbit=GBIT))
    links = {cable.name: Link(cable.a, cable.b) for cable in cables}
    ends: Planted = set()
    rails: dict[str, set[str]] = defaultdict(set)
    for drawn in cables:
        rails[drawn.b.device] |= {drawn.rail} - {""}
    free = _free_ports(draw, cables)
    left = draw.sample([cable for cable in cables if cable.tier == "node-leaf"], 16)
    for kind in draw.choices(("move", "swap", "unplug", "slow", "narrow", "extra"), k=draw.randint(1, 8)):
        cable = left.pop()
        if kind == "swap":
            other = left.pop()
            links[cable.name], links[other.name] = Link(cable.a, other.b), Link(other.a, cable.b)
            ends.add((finding.SWAPPED_PAIR, frozenset((cable.name, other.name))))
        elif kind == "move":
            place = next(free)
            links[cable.name] = Link(cable.a, place)
            is_other = len(rails[place.device]) == 1 and rails[place.device] != {cable.rail}
            ends.add((finding.WRONG_RAIL if is_other else finding.WRONG_PORT, frozenset((cable.name,))))
        elif kind == "unplug":
            del links[cable.name]
            ends.add((finding.MISSING, frozenset((cable.name,))))
        elif kind == "extra":
            one, other_end = sorted((next(free), next(free)))
            links[f"X{one}"] = Link(one, other_end)
            ends.add((finding.UNEXPECTED, frozenset((str(one), str(other_end)))))
        else:
            links[cable.name] = Link(cable.a, cable.b, SLOW if kind == "slow" else NARROW)
            ends.add((finding.DEGRADED, frozenset((cable.name,))))
    return Fabric(cables, links, ends)


def repaired(fabric: Fabric, names: set[str]) -> Fabric:
    """Return the fabric with the named cables as drawn, and named links that are not drawn taken out."""
    links = {
        name: link
        for name, link in fabric.links.items()
        if not (name.startswith("X") and {str(link.a), str(link.b)} <= names)
    }
    links |= {cable.name: Link(cable.a, cable.b) for cable in fabric.cables if cable.name in names}
    return fabric._replace(links=links)


def read(fabric: Fabric, folder: Path) -> Reading:
    """Return what iblinkinfo says of a fabric, once the subnet manager has brought its links up."""
    net, console = folder / "net", folder / "console"
    net.write_text(net_list(fabric), encoding="utf-8")
    console.unlink(missing_ok=True)
    os.mkfifo(console)
    held = os.open(console, os.O_RDWR)  # ibsim ends with its standard input
    simulator = subprocess.Popen(
        ["ibsim", "-s", "-S", "200", "-N", "400", "-P", "20000", str(net)],
        stdin=held,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    try:
        seen = os.environ | {"LD_PRELOAD": LIBRARY, "SIM_HOST": MANAGER}
        time.sleep(0.3)
        for words in (["opensm", "-o", "-f", str(folder / "opensm.log")], ["iblinkinfo"]):
            ran = subprocess.run(
                words,
                env=seen,
                cwd=folder,
                capture_output=True,
                text=True,
                check=True,
                timeout=60,
                stdin=subprocess.DEVNULL,
            )
    finally:
        simulator.kill()
        simulator.wait()
        os.close(held)
    return read_found("fabric", ran.stdout, "iblinkinfo")


def net_list(fabric: Fabric) -> str:
    """Return ibsim's net list: each link is written from both ends."""
    ports: dict[tuple[str, str], list[str]] = defaultdict(list)
    servers = {cable.a.device for cable in fabric.cables if cable.tier == "node-leaf"}
    for link in fabric.links.values():
        (one, port), (other, far) = _node(link.a, servers), _node(link.b, servers)
        ports[_kind(link.a, servers), one].append(f'[{port}]\t"{other}"[{far}] {link.how}')
        ports[_kind(link.b, servers), other].append(f'[{far}]\t"{one}"[{port}] {link.how}')
    return "\n\n".join("\n".join((f'{kind}\t"{name}"', *lines)) for (kind, name), lines in ports.items()) + "\n"


def _node(end: CableEnd, servers: set[str]) -> tuple[str, str]:
    """Return the name and port of a node of the fabric; a card of a server is one."""
    return (f"{end.device} {end.port}", "1") if end.device in servers else (end.device, end.port)


def _kind(end: CableEnd, servers: set[str]) -> str:
    return "Hca\t1" if end.device in servers or end.device == MANAGER else "Switch\t65"


def _free_ports(draw: random.Random, cables: list[Cable]) -> Iterator[CableEnd]:
    """Yield ports of leaf switches to which no cable is drawn, each once, in any order."""
    used = {end for cable in cables for end in (cable.a, cable.b)}
    leaves = sorted({cable.b.device for cable in cables if cable.tier == "node-leaf"})
    every = [CableEnd(leaf, str(port)) for leaf in leaves for port in range(1, 65)]
    free = [end for end in every if end not in used]
    yield from draw.sample(free, len(free))
