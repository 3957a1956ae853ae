"""The connections between GPUs and network cards: the matrix of nvidia-smi topo -m.

PIX and PXB mean that GPU and card share PCI Express bridges. NODE, PHB and SYS cross the processor, which halves the card's
bandwidth. A matrix that is not square and symmetric is garbled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from itertools import combinations, product

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

LINK = re.compile(r"X|SYS|NODE|PHB|PXB|PIX|NV\d{1,2}", re.ASCII)
ROW = re.compile(r"\s*(?:GPU|NIC)\d+\s")
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
    far = []
    for gpu in _gpus(matrix):
        links = {matrix[gpu][card] for card in cards}
        if not NEAR & links:
            far.append(gpu)
    return Found(Decimal(len(far)), ", ".join(far))


def nvlinks_min(handed: Handed) -> Found:
    """Return the NVLinks of the GPU pair that has the fewest; 0 if a pair has none."""
    matrix = _matrix(handed)
    ends = combinations(sorted(_gpus(matrix)), 2)
    pairs = {f"{a}-{b}": _nvlinks(matrix[a][b]) for a, b in ends}
    if not pairs:
        raise NotMeasuredError("fewer than two GPUs")
    least = min(pairs, key=lambda pair: pairs[pair])
    return Found(Decimal(pairs[least]), least)


def _nvlinks(link: str) -> int:
    return int(link[2:]) if link.startswith("NV") else 0


def _gpus(matrix: Matrix) -> list[str]:
    return [name for name in matrix if name.startswith("GPU")]


def _matrix(handed: Handed) -> Matrix:
    """Return the matrix above the legend; an output without the legend's last line was cut."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", handed.text("nvidia_topo"))
    lines = text.splitlines()
    if END not in text:
        handed.garbled()
    names = re.findall(r"\b(?:GPU|NIC)\d+\b", lines[0])
    split = [line.split() for line in lines[1:] if ROW.match(line)]
    rows = {row[0]: row[1:] for row in split}
    if sorted(rows) != sorted(names) or len(set(names)) != len(names):
        handed.garbled()
    matrix: dict[str, dict[str, str]] = {}
    for name in names:
        matrix[name] = dict(zip(names, rows[name], strict=False))
    if not all(_is_link(matrix, a, b) for a, b in product(names, names)):
        handed.garbled()
    return matrix


def _is_link(matrix: Matrix, a: str, b: str) -> bool:
    link = matrix[a][b]
    if not LINK.fullmatch(link) or link != matrix[b][a]:
        return False
    return (a == b) == (link == "X")


TOOL = Tool(
    "nvidia-smi topo",
    "nvidia_topo",
    "nvidia-smi topo -m",
    (
        Metric("gpudirect.affinity_mismatches", "count", affinity_mismatches),
        Metric("gpu.nvlinks_min", "count", nvlinks_min),
    ),
)
