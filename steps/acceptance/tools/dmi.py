"""Memory modules and the board: dmidecode -t memory, and numactl -H for the memory of each processor."""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

MODULE = re.compile(r"^Handle 0x[0-9A-F]{4}, DMI type 17, \d+ bytes\nMemory Device\n((?:\t.*\n?)+)", re.MULTILINE)
FIELD = re.compile(r"^\t([^\t:][^:]*): (.+)$", re.MULTILINE)
ARRAY = re.compile(r"^\tNumber Of Devices: (\d+)$", re.MULTILINE | re.ASCII)
EMPTY = {"No Module Installed", "Unknown"}
SIZE = re.compile(r"(\d+) (MB|GB)", re.ASCII)
SPEED = re.compile(r"(\d+) MT/s", re.ASCII)
NODES = re.compile(r"^available: (\d+) nodes? \(([\d,-]+)\)$", re.MULTILINE | re.ASCII)
NODE_SIZE = re.compile(r"^node (\d+) size: (\d+) MB$", re.MULTILINE | re.ASCII)
DISTANCES = re.compile(r"^node distances:\n\s*node\s+[\d\s]+?\n((?:\s*\d+:[ \d]+\n?)+)", re.MULTILINE | re.ASCII)


def modules(handed: Handed) -> Found:
    """Count memory modules that are fitted."""
    return Found(Decimal(len(_fitted(handed))))


def speed_min(handed: Handed) -> Found:
    """Return the MT/s at which the slowest module runs; a module in a wrong slot runs slower than it can."""
    speeds = []
    for module in _fitted(handed):
        found = SPEED.fullmatch(module.get("Configured Memory Speed", module.get("Configured Clock Speed", "")))
        if not found:
            raise NotMeasuredError(f"dmidecode knows no speed of {module.get('Locator')}")
        speeds.append((number(found[1]), module["Locator"]))
    slowest, where = min(speeds)
    return Found(slowest, where)


def sizes(handed: Handed) -> Found:
    """Count different module sizes; channels interleave only if all modules have one size."""
    found = {module["Size"] for module in _fitted(handed)}
    return Found(Decimal(len(found)), ", ".join(sorted(found)))


def _fitted(handed: Handed) -> list[dict[str, str]]:
    """Return the slots with a module; each board says how many slots it has."""
    said = handed.text("dmidecode_memory")
    slots = [dict(FIELD.findall(block)) for block in MODULE.findall(said)]
    stated = sum(int(count) for count in ARRAY.findall(said))
    if stated != len(slots) or not slots:
        handed.garbled()
    if not all(_is_whole(slot) for slot in slots):
        handed.garbled()
    fitted = [slot for slot in slots if slot["Size"] not in EMPTY]
    if not all(SIZE.fullmatch(slot["Size"]) for slot in fitted):
        handed.garbled()
    if not fitted:
        raise NotMeasuredError("dmidecode sees no memory module; a virtual machine has none")
    return fitted


def _is_whole(slot: dict[str, str]) -> bool:
    # the voltage is the last field that every version prints: a slot without it was cut
    return {"Size", "Locator", "Configured Voltage"} <= set(slot) or slot.get("Size") in EMPTY


def numa_nodes(handed: Handed) -> Found:
    """Count NUMA nodes; the table of distances must have as many rows."""
    return Found(Decimal(len(_nodes(handed))))


def numa_imbalance(handed: Handed) -> Found:
    """Return how many percent less memory the smallest node has than the largest one; a missing module shows here."""
    nodes = _nodes(handed)
    with_memory = [size for size in nodes.values() if size]
    if not with_memory:
        handed.garbled()
    less = 1 - min(with_memory) / max(with_memory)
    return Found((less * 100).quantize(Decimal("0.1")))


def _nodes(handed: Handed) -> dict[str, Decimal]:
    said = handed.text("numactl")
    available, distances = NODES.findall(said), DISTANCES.findall(said)
    nodes = {node: number(size) for node, size in NODE_SIZE.findall(said)}
    if len(available) != 1 or len(distances) != 1:
        handed.garbled()
    lines = [line for line in distances[0].splitlines() if line.strip()]
    rows = [line.split(":")[1].split() for line in lines]
    count = int(available[0][0])
    if not count == len(nodes) == len(rows):
        handed.garbled()
    last = rows[-1][-1]
    if any(len(row) != count for row in rows) or last != "10":
        handed.garbled()
    return nodes


MEMORY = Tool(
    "dmidecode",
    "dmidecode_memory",
    "dmidecode -t memory",
    (
        Metric("memory.modules", "count", modules),
        Metric("memory.speed_min", "MT/s", speed_min),
        Metric("memory.module_sizes", "count", sizes),
    ),
)
NUMA = Tool(
    "numactl",
    "numactl",
    "numactl -H",
    (
        Metric("numa.nodes", "count", numa_nodes),
        Metric("numa.memory_imbalance", "percent", numa_imbalance),
    ),
)
