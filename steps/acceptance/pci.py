"""PCI devices from lspci: its machine-readable form (-Dmm -nn -vv) or its verbose one (-vv, with or without -nn)."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.handed import Handed

VENDORS = {"nvidia": r"\[10de(?::[0-9a-f]{4})?\]|NVIDIA Corporation", "amd": r"\[1002(?::[0-9a-f]{4})?\]|\[AMD/ATI\]"}
CLASSES = r"VGA compatible controller|3D controller|Display controller|Processing accelerators|\[03[0-9a-f]{2}\]"
"""Classes of GPUs: AMD's Instinct cards are display controllers or processing accelerators."""

SLOT = r"(?:[0-9a-f]{4,}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
HEAD = re.compile(rf"({SLOT}) ([^:]+): (\S.*)")
LINK = re.compile(r"LnkSta:\s+Speed ([\d.]+)GT/s[^,\n]*, Width x(\d+)", re.ASCII)


class Device(NamedTuple):
    """A PCI device; the link is lanes and GT/s, None if lspci does not show it."""

    slot: str
    kind: str
    vendor: str
    link: tuple[Decimal, Decimal] | None


def gpus(handed: Handed) -> list[Device]:
    """Return the GPUs of the design's vendor, those of NVIDIA and AMD if the design names neither."""
    planned = str(handed.design.get("gpu_vendor"))
    vendor = VENDORS.get(planned, "|".join(VENDORS.values()))
    of_class = [device for device in devices(handed) if re.search(CLASSES, device.kind)]
    return [device for device in of_class if re.search(vendor, device.vendor)]


def devices(handed: Handed) -> list[Device]:
    """Return every device; an empty list is garbled, since every machine with lspci has a bridge."""
    blocks = re.split(r"\n\s*\n", handed.text("lspci").strip())
    return [_device(handed, block) for block in blocks]


def _device(handed: Handed, block: str) -> Device:
    return _machine(handed, block) if block.startswith("Slot:") else _verbose(handed, block)


def _machine(handed: Handed, block: str) -> Device:
    said = dict(line.split(":\t", 1) for line in block.splitlines())
    if not re.fullmatch(SLOT, said["Slot"]) or not said["Device"]:
        handed.garbled()
    return Device(said["Slot"], said["Class"], said["Vendor"], _link(block))


def _verbose(handed: Handed, block: str) -> Device:
    head = HEAD.fullmatch(block.splitlines()[0])
    if not head:
        handed.garbled()
    return Device(head[1], head[2], head[3], _link(block))


def _link(block: str) -> tuple[Decimal, Decimal] | None:
    found = LINK.search(block)
    return (Decimal(found[2]), Decimal(found[1])) if found else None
