"""Proves that the fabric is managed by the managers that are drawn and by nobody else, as a whole, and with the partitions that are drawn.

Keys are read from every card, not from the manager: opensm that cannot read its file puts everybody into one partition.
"""

import json
import re
from collections.abc import Callable

from fabric_view import WHOLE, Found, asked, drawn, ends_of, found_in, guid_at, places, switches_of

FULL = 0x8000
"""The bit of a key that says full membership."""

MANAGER = re.compile(r"^\s*GUID\.+(0x[0-9a-f]{16})$.*?^\s*SMState\.+(\d+)$", re.MULTILINE | re.DOTALL)
MASTER = re.compile(r"sm lid (\d+) .* SMINFO_MASTER")
OBEYS = re.compile(r"^SMLid:\.+(\d+)$", re.MULTILINE)
KEY = re.compile(r"0x([0-9a-f]{4})")
NOT_ACTIVE = 0
SHOWN = 5

Counted = tuple[int | None, str]


def main() -> None:
    """Read managers, switches and keys, and count what is not as drawn."""
    site = drawn()
    print(
        json.dumps(
            {
                **tried(("fabric_manager.instances", "fabric_manager.strangers"), lambda: managers(site)),
                **tried(("fabric_manager.switches_unmanaged",), lambda: [switches(site)]),
                **tried(("partition.deviations",), lambda: [partitions(site)]),
            }
        )
    )


def tried(names: tuple[str, ...], read: Callable[[], list[Counted]]) -> dict:
    """Return a value and a note for each metric; no value if a tool fails."""
    try:
        found = read()
    except OSError as error:
        found = [(None, str(error))] * len(names)
    return {name: {"value": value, "note": note} for name, (value, note) in zip(names, found, strict=True)}


def managers(site: dict) -> list[Counted]:
    """Return how many managers of those that are drawn are active, and how many others."""
    found, place = found_in(asked("ibnetdiscover")), places(site["links"])
    ends = {end for own in ends_of(site["managers"], site["links"]).values() for end in own}
    drawn_there = {
        card.guid: card.end for at, card in found.cards.items() if card.end in ends and at == place[card.end]
    }
    names = {card.guid: card.end for card in found.cards.values()}
    active = [guid for guid, state in MANAGER.findall(asked("saquery", "SMIR")) if int(state) != NOT_ACTIVE]
    own = [drawn_there[guid] for guid in active if guid in drawn_there]
    others = [names.get(guid, guid) for guid in active if guid not in drawn_there]
    return [(len(own), listed(own)), (len(others), listed(others) or "no other card runs a manager")]


def switches(site: dict) -> Counted:
    """Return how many switches that are drawn do not obey the master."""
    master, found = MASTER.search(asked("sminfo")), found_in(asked("ibnetdiscover")).switches
    if not master:
        raise OSError("no manager answers as the master")
    wanted = switches_of(site["links"])
    lacking = [name for name in wanted if not found.get(name) or obeyed(found[name]) != master[1]]
    return len(lacking), listed(lacking) or f"{len(wanted)} switches obey the master"


def obeyed(lid: int) -> str:
    """Return the address of the manager that a switch obeys."""
    said = OBEYS.search(asked("smpquery", "portinfo", str(lid), "0"))
    return said[1] if said else ""


def partitions(site: dict) -> Counted:
    """Return how many cards have other keys than they should."""
    found = found_in(asked("ibnetdiscover"))
    wanted = keys_of(site, found)
    wrong = []
    for card in found.cards.values():
        port = card.end.rpartition(" ")[2]
        if not card.lid:
            wrong.append(f"{card.end} has no address")
            continue
        has = {int(key, 16) for key in KEY.findall(asked("smpquery", "pkeys", str(card.lid), port))} - {0}
        if has != wanted[card.guid]:
            wrong.append(f"{card.end} has {shown(has)}, not {shown(wanted[card.guid])}")
    return len(wrong), listed(wrong) or f"{len(found.cards)} cards have the keys that are drawn"


def keys_of(site: dict, found: Found) -> dict[str, set[int]]:
    """Return by GUID the keys that each card should have; a card that is plugged in elsewhere than drawn has none of a partition's."""
    place, full = places(site["links"]), ends_of(site["managers"], site["links"])
    apart = bool(site["partitions"])
    whole = {WHOLE} if apart else {WHOLE | FULL}
    keys = {card.guid: set(whole) for card in found.cards.values()}

    def give(members: list[str], key: int) -> None:
        for end in (end for ends in ends_of(members, site["links"]).values() for end in ends):
            try:
                guid = guid_at(end, place[end], found)
            except ValueError:
                continue
            if guid:
                keys[guid] = (keys[guid] - {key ^ FULL}) | {key}

    give(list(full), WHOLE | FULL)
    for partition in site["partitions"]:
        key = int(str(partition["pkey"]), 0)
        give(partition["members"], key | FULL if partition.get("membership", "full") == "full" else key)
    return keys


def shown(keys: set[int]) -> str:
    """Return keys in words."""
    return " ".join(f"{key:#06x}" for key in sorted(keys)) or "no key"


def listed(names: list[str]) -> str:
    """Return the first of them."""
    return "; ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


if __name__ == "__main__":
    main()
