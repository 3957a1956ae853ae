"""How GPUs and network cards hang together: the matrix of nvidia-smi topo -m.

PIX and PXB mean that GPU and card share PCI Express bridges; NODE, PHB and SYS cross the processor, which
halves what the card can move. A matrix that is not square and symmetric is garbled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

LINK = re.compile(r"X|SYS|NODE|PHB|PXB|PIX|NV\d{1,2}", re.ASCII)
NEAR = {"PIX", "PXB"}
END = "bonded set of # NVLinks"
"""The last line of the legend."""

Matrix = Mapping[str, Mapping[str, str]]


def affinity_mismatches(handed: Handed) -> Found:
    """Count GPUs without a network card on their own PCI Express switch."""
    matrix = _matrix(handed)
    cards = [name for name in matrix if name.startswith("NIC")]
    if not cards:
        raise NotMeasuredError("nvidia-smi topo shows no network card; load the RDMA stack")
    far = [gpu for gpu in _gpus(matrix) if not any(matrix[gpu][card] in NEAR for card in cards)]
    return Found(Decimal(len(far)), ", ".join(far))


def nvlinks_min(handed: Handed) -> Found:
    """Give the NVLinks of the GPU pair that has the fewest; 0 is a pair without any."""
    matrix = _matrix(handed)
    pairs = {f"{a}-{b}": _nvlinks(matrix[a][b]) for a in _gpus(matrix) for b in _gpus(matrix) if a < b}
    if not pairs:
        raise NotMeasuredError("fewer than two GPUs")
    least = min(pairs, key=lambda pair: pairs[pair])
    return Found(Decimal(pairs[least]), least)


def _nvlinks(link: str) -> int:
    return int(link[2:]) if link.startswith("NV") else 0


def _gpus(matrix: Matrix) -> list[str]:
    return [name for name in matrix if name.startswith("GPU")]


def _matrix(handed: Handed) -> Matrix:
    """Read the matrix up to its legend; the legend says that it is whole."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", handed.text("nvidia_topo"))
    lines = text.splitlines()
    if END not in text:
        handed.garbled()
    names = re.findall(r"\b(?:GPU|NIC)\d+\b", lines[0])
    rows = {row[0]: row[1:] for line in lines[1:] if (row := line.split()) and re.fullmatch(r"(GPU|NIC)\d+", row[0])}
    if sorted(rows) != sorted(names) or len(set(names)) != len(names):
        handed.garbled()
    matrix = {name: dict(zip(names, rows[name], strict=False)) for name in names}
    for a in names:
        for b in names:
            if not LINK.fullmatch(matrix[a][b]) or matrix[a][b] != matrix[b][a] or (a == b) != (matrix[a][b] == "X"):
                handed.garbled()
    return matrix


TOOL = Tool(
    "nvidia-smi topo",
    "nvidia_topo",
    "nvidia-smi topo -m",
    (
        Metric("gpudirect.affinity_mismatches", "count", affinity_mismatches),
        Metric("gpu.nvlinks_min", "count", nvlinks_min),
    ),
)
