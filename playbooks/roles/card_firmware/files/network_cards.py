"""The network cards of a host, by the tools of mstflint or of NVIDIA's MFT: what they have, and what differs from what is pinned. Runs on hosts.

Arguments: whose tools (`mstflint` or `mft`), and what is pinned: by PSID `version`, `image`, `sha256` and `options`.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

TOOLS = {"mstflint": ("mstflint", "mstconfig"), "mft": ("flint", "mlxconfig")}
DEVICES = Path("/sys/bus/pci/devices")
ADVANCED = "ADVANCED_PCI_SETTINGS"
"""The option without which a card does not show others."""

# Ethernet and InfiniBand; a second port has the same firmware and options
CARD = re.compile(r"^(\S+\.0) 02(?:00|07): 15b3:", re.MULTILINE)
FIELD = re.compile(r"^(FW Version|FW Version\(Running\)|PSID): +(\S+) *$", re.MULTILINE)
HEAD = re.compile(r"^ *Configurations:(.*)$", re.MULTILINE)
OPTION = re.compile(r"^(?:\*|RO)?[ \t]+([A-Z][A-Z0-9_]*(?:\[\d+\])?)[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
VALUE = re.compile(r"(.*)\((\d+)\)")


class Card(NamedTuple):
    """A card: where it is, what it is, its firmware as it runs and as it will start, and by name what an option is and will be."""

    pci: str
    psid: str
    running: str
    written: str
    options: dict


def cards(whose: str) -> list:
    """Return the cards of this host. Virtual functions are none."""
    flint, config = TOOLS[whose]
    found = [pci for pci in CARD.findall(said("lspci", "-D", "-n")) if not (DEVICES / pci / "physfn").exists()]
    return [card_in(pci, said(flint, "-d", pci, "q"), said(config, "-d", pci, "-e", "q")) for pci in found]


def card_in(pci: str, firmware: str, options: str) -> Card:
    """Return a card from what the tools print of it."""
    fields = dict(FIELD.findall(firmware))
    if not {"PSID", "FW Version"} <= fields.keys():
        raise OSError(f"{pci} tells no firmware: {firmware.strip()[-200:]}")
    written = fields["FW Version"]
    return Card(pci, fields["PSID"], fields.get("FW Version(Running)", written), written, options_in(options))


def options_in(text: str) -> dict:
    """Return by name what an option is and will be, which is the same where the card tells the second alone."""
    head = HEAD.search(text)
    if not head:
        raise OSError(f"no options in: {text.strip()[-200:]}")
    now = -2 if "Current" in head[1] else -1
    rows = [(name, values.split()) for name, values in OPTION.findall(text, head.end())]
    return {name: (values[now], values[-1]) for name, values in rows if len(values) >= -now}


def is_set(value: str, wanted: object) -> bool:
    """Return whether a value as it is printed, as `True(1)`, is the one that is wanted: by its name or by its number."""
    parts = VALUE.fullmatch(value)
    printed = {part.lower() for part in (*(parts.groups() if parts else ()), value)}
    return str(wanted).lower() in printed or (isinstance(wanted, bool) and str(int(wanted)) in printed)


def off(card: Card, wanted: dict) -> dict:
    """Return by name the options that are not, or will not be, as wanted: what they are."""
    values = {name: card.options.get(name, ("absent", "absent")) for name in wanted}
    return {name: both for name, both in values.items() if not all(is_set(one, wanted[name]) for one in both)}


def assigned(card: Card, wanted: dict) -> list:
    """Return what is to be set: what will not be as wanted. What a card does not show yet comes after the option that shows it."""
    shown = {name: value for name, value in wanted.items() if name in card.options}
    return [
        f"{name}={int(value) if isinstance(value, bool) else value}"
        for name, value in shown.items()
        if not is_set(card.options[name][1], value)
    ]


def compared(found: list, pinned: dict) -> dict:
    """Return what a person reads of the differences, and what is to be written: images and options by card."""
    known = [card for card in found if card.psid in pinned]
    pin = {card.pci: {"options": {}} | pinned[card.psid] for card in known}
    behind = [card for card in known if pin[card.pci].get("version", card.written) != card.written]
    differences = []
    for card in known:
        wanted = pin[card.pci]
        if card.running != wanted.get("version", card.running) or card in behind:
            differences.append(
                f"{card.pci} {card.psid} runs {card.running} and has {card.written}, not {wanted['version']}"
            )
        differences += [
            f"{card.pci} {name} is {now}, and {later} after a restart, not {wanted['options'][name]}"
            for name, (now, later) in off(card, wanted["options"]).items()
        ]
    return {
        "cards": [card._asdict() | {"options": {}} for card in found],
        "differences": differences,
        "unknown": [f"{card.pci} {card.psid}" for card in found if card not in known],
        "without_image": [
            f"{card.pci} {card.psid}" for card in behind if not {"image", "sha256"} <= pin[card.pci].keys()
        ],
        "burn": [{"pci": card.pci, "psid": card.psid} for card in behind],
        "set": [
            {"pci": card.pci, "options": words} for card in known if (words := assigned(card, pin[card.pci]["options"]))
        ],
        "absent": [
            f"{card.pci} {name}"
            for card in known
            for name in pin[card.pci]["options"]
            if name not in card.options and ADVANCED not in pin[card.pci]["options"]
        ],
    }


def said(*command: str) -> str:
    """Return what a tool prints. Its status says little: a card that does not answer for one option of hundreds is a failure to it."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr


if __name__ == "__main__":
    print(json.dumps(compared(cards(sys.argv[1]), json.loads(sys.argv[2]))))
