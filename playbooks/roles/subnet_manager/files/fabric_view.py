"""An InfiniBand fabric as it is drawn, and as ibnetdiscover finds it. Runs on the hosts of the subnet managers.

What is drawn is in FILE: links as pairs of `name port`, the managers, the partitions, and the environment of the tools. A name is
what a device says of itself, as `node-01 mlx5_0` or `leaf-01`; a member of a partition is such a name, or its first word.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

FILE = Path("/etc/clusterwright/fabric.json")
WHOLE = 0x7FFF
"""The partition in which every port is."""

SWITCH = re.compile(r'^Switch\t\d+ "\S+"\s+# "(.*?)" .* lid (\d+) ', re.MULTILINE)
LINK = re.compile(r'^\[(\d+)\]\s+"H-\S+?"\[(\d+)\]\(([0-9a-f]+)\)\s+# "(.*?)" lid (\d+) ', re.MULTILINE)


class Card(NamedTuple):
    """A card's port that is plugged in at a switch: its name with the port, its GUID, and its address, which is 0 without a manager."""

    end: str
    guid: str
    lid: int


class Found(NamedTuple):
    """The addresses of switches by name, and by `switch port` the card that is plugged in there."""

    switches: dict[str, int]
    cards: dict[str, Card]


def found_in(text: str) -> Found:
    """Return what ibnetdiscover printed."""
    switches, cards = {}, {}
    for block in re.split(r"\n\s*\n", text):
        if head := SWITCH.search(block):
            switches[head[1]] = int(head[2])
            for port, far_port, guid, far, lid in LINK.findall(block):
                cards[f"{head[1]} {port}"] = Card(f"{far} {far_port}", f"0x{int(guid, 16):016x}", int(lid))
    return Found(switches, cards)


def asked(*words: str) -> str:
    """Return what a tool prints. Raise OSError where it fails."""
    environment = os.environ | drawn()["environment"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    if ran.returncode != 0:
        raise OSError(f"{' '.join(words)}: {(ran.stderr or ran.stdout).strip()[:200]}")
    return ran.stdout


def drawn() -> dict:
    """Return what is drawn."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def switches_of(links: list) -> list[str]:
    """Return the devices that are drawn with several ports. A card has one."""
    ends = {end for link in links for end in link}
    names = [end.rpartition(" ")[0] for end in ends]
    return sorted({name for name in names if names.count(name) > 1})


def places(links: list) -> dict[str, str]:
    """Return by each card's end the end of the switch at which it is drawn."""
    switches = set(switches_of(links))
    both = [pair for one, other in links for pair in ((one, other), (other, one))]
    return {end: far for end, far in both if end.rpartition(" ")[0] not in switches}


def ends_of(members: list[str], links: list) -> dict[str, list[str]]:
    """Return by each member its ends, in their order."""
    return {
        member: sorted(end for end in places(links) if member == end.rpartition(" ")[0] or end.startswith(f"{member} "))
        for member in members
    }


def guid_at(end: str, place: str, found: Found) -> str | None:
    """Return the GUID of a card where it is drawn. Raise ValueError where another is plugged in; None where none is."""
    card = found.cards.get(place)
    if card is None:
        return None
    if card.end != end:
        raise ValueError(f"{end} is drawn at {place}, where {card.end} is plugged in")
    return card.guid
