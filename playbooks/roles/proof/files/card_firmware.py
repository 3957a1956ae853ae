"""Proves that the network cards of a host have the firmware and options that are pinned, and that no PCIe port above them redirects their traffic.

Arguments: as those of `network_cards`.
"""

import json
import re
import sys
from pathlib import Path

import network_cards
from network_cards import Card, off, said

METRICS = ("nic.firmware_versions", "nic.option_deviations", "nic.pcie_acs_enabled")
DEVICES = Path("/sys/bus/pci/devices")
ADDRESS = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
# 3D controllers and accelerators: a card's traffic to them passes the ports above both
GPU = ("0x0302", "0x1200")
SHOWN = 5

Found = tuple[object, str]


def main() -> None:
    """Read the cards and the ports above them, or say what is in the way."""
    whose, pinned = sys.argv[1], json.loads(sys.argv[2])
    try:
        cards = network_cards.cards(whose)
        found = (
            [versions(cards, pinned), options(cards, pinned), redirecting(cards)]
            if cards
            else [(None, "no network card of NVIDIA on this host")] * len(METRICS)
        )
    except OSError as error:
        found = [(None, str(error))] * len(METRICS)
    named = zip(METRICS, found)  # noqa: B905  # hosts with Python 3.9
    print(json.dumps({name: {"value": value, "note": note} for name, (value, note) in named}))


def versions(cards: list[Card], pinned: dict) -> Found:
    """Return the most versions of any model, of those that run and the one that is pinned: hosts that all have one have the same."""
    by_model = {}
    for card in cards:
        pin = pinned.get(card.psid, {"version": "none that is pinned"}).get("version", card.running)
        by_model.setdefault(card.psid, {pin}).update({card.running, card.written})
    apart = [f"{psid}: {', '.join(sorted(seen))}" for psid, seen in by_model.items() if len(seen) > 1]
    return max(map(len, by_model.values())), listed(apart) or listed(
        [f"{psid}: {version}" for psid, (version,) in by_model.items()]
    )


def options(cards: list[Card], pinned: dict) -> Found:
    """Return how many options of all cards are not as pinned, or will not be after a restart."""
    wrong = []
    for card in cards:
        wanted = pinned.get(card.psid, {}).get("options", {})
        wrong += [f"{card.pci} {name} is {now}, then {later}" for name, (now, later) in off(card, wanted).items()]
    return len(wrong), listed(wrong) or f"{len(cards)} cards have the options that are pinned"


def redirecting(cards: list[Card]) -> Found:
    """Return how many ports above cards and GPUs have access control services switched on."""
    gpus = [file.parent.name for file in DEVICES.glob("*/class") if file.read_text().startswith(GPU)]
    above = {port for device in (*(card.pci for card in cards), *gpus) for port in ports_above(device)}
    on = []
    for block in re.split(r"\n\n+", said("lspci", "-D", "-vvv")):
        control = re.search(r"ACSCtl:(.*)", block)
        if control and "+" in control[1] and block.split(" ", 1)[0] in above:
            on.append(block.split(" ", 1)[0])
    return len(on), listed(on) or f"off in {len(above)} ports"


def ports_above(device: str) -> list[str]:
    """Return the ports between a device and the processor."""
    return [part for part in (DEVICES / device).resolve().parent.parts if ADDRESS.fullmatch(part)]


def listed(names: list[str]) -> str:
    """Return the first of them."""
    return "; ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


if __name__ == "__main__":
    main()
