"""Memory modules and the board: dmidecode -t memory, and numactl -H on how memory lies with processors."""

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
    """Give the MT/s at which the slowest module runs, which is less than it can where a slot is wrong."""
    speeds = []
    for module in _fitted(handed):
        found = SPEED.fullmatch(module.get("Configured Memory Speed", module.get("Configured Clock Speed", "")))
        if not found:
            raise NotMeasuredError(f"dmidecode knows no speed of {module.get('Locator')}")
        speeds.append((number(found[1]), module["Locator"]))
    slowest, where = min(speeds)
    return Found(slowest, where)


def sizes(handed: Handed) -> Found:
    """Count different module sizes; one size in all channels is what makes them interleave."""
    found = {module["Size"] for module in _fitted(handed)}
    return Found(Decimal(len(found)), ", ".join(sorted(found)))


def _fitted(handed: Handed) -> list[dict[str, str]]:
    """Read every slot; the boards say how many there must be."""
    said = handed.text("dmidecode_memory")
    slots = [dict(FIELD.findall(block)) for block in MODULE.findall(said)]
    if sum(int(count) for count in ARRAY.findall(said)) != len(slots) or not slots:
        handed.garbled()
    # the voltage is the last field that every version prints: a slot without it was cut
    if not all({"Size", "Locator", "Configured Voltage"} <= set(slot) or slot.get("Size") in EMPTY for slot in slots):
        handed.garbled()
    fitted = [slot for slot in slots if slot["Size"] not in EMPTY]
    if not all(SIZE.fullmatch(slot["Size"]) for slot in fitted):
        handed.garbled()
    if not fitted:
        raise NotMeasuredError("dmidecode sees no memory module; a virtual machine has none")
    return fitted


def numa_nodes(handed: Handed) -> Found:
    """Count NUMA nodes; the table of distances must have as many rows."""
    return Found(Decimal(len(_nodes(handed))))


def numa_imbalance(handed: Handed) -> Found:
    """Give by how many percent the smallest node's memory lies under the largest's: a missing module shows here."""
    nodes = _nodes(handed)
    with_memory = [size for size in nodes.values() if size]
    if not with_memory:
        handed.garbled()
    return Found(((1 - min(with_memory) / max(with_memory)) * 100).quantize(Decimal("0.1")))


def _nodes(handed: Handed) -> dict[str, Decimal]:
    said = handed.text("numactl")
    available, distances = NODES.findall(said), DISTANCES.findall(said)
    nodes = {node: number(size) for node, size in NODE_SIZE.findall(said)}
    if len(available) != 1 or len(distances) != 1:
        handed.garbled()
    rows = [row.split(":")[1].split() for row in distances[0].splitlines() if row.strip()]
    count = int(available[0][0])
    if not count == len(nodes) == len(rows) or any(len(row) != count for row in rows) or rows[-1][-1] != "10":
        handed.garbled()
    return nodes


MEMORY = Tool(
    "dmidecode", "dmidecode_memory", "dmidecode -t memory", (Metric("memory.modules", "count", modules), Metric("memory.speed_min", "MT/s", speed_min),
     Metric("memory.module_sizes", "count", sizes)),
)  # fmt: skip
NUMA = Tool(
    "numactl", "numactl", "numactl -H", (Metric("numa.nodes", "count", numa_nodes), Metric("numa.memory_imbalance", "percent", numa_imbalance)),
)  # fmt: skip
