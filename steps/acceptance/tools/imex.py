"""The memory service (IMEX) of an NVLink domain over several trays: nvidia-imex-ctl -N -j.

The tool lists every tray of the domain with its state and its connections to all of them, as the tray that was asked sees it.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

OUTPUT = "imex"
SHOWN = 5


def nodes_not_ready(handed: Handed) -> Found:
    """Count trays that are not ready or not connected with one that is, and those by which the domain differs from a rack."""
    document = handed.document(OUTPUT)
    nodes: dict[str, dict[str, Any]] = document["nodes"]
    if not nodes:
        raise NotMeasuredError("the domain has no trays")
    ready = [number for number, node in nodes.items() if node["status"] == "READY"]
    bad = [str(node["host"]) for number, node in nodes.items() if number not in ready or not _reaches(node, ready)]
    domain = document["status"]
    if domain != "UP" and not bad:
        bad = [f"the domain is {domain}"]
    different = abs(len(nodes) - _trays_of_a_rack(handed, len(nodes)))
    words = [", ".join(bad[:SHOWN]), f"the domain has {len(nodes)} trays" if different else ""]
    return Found(Decimal(len(bad) + different), "; ".join(filter(None, words)))


def _reaches(node: dict[str, Any], others: list[str]) -> bool:
    return all(node["connections"][other]["status"] == "CONNECTED" for other in others)


def _trays_of_a_rack(handed: Handed, otherwise: int) -> int:
    """Return how many trays the design has in a domain."""
    design = handed.design
    if "domain_gpus" not in design:
        return otherwise
    gpus = min(int(design["domain_gpus"]), int(design["gpus_in_pod"]))
    return gpus // int(design["gpus_per_node"])


TOOL = Tool(
    "nvidia-imex-ctl",
    OUTPUT,
    "nvidia-imex-ctl -N -j",
    (Metric("imex.nodes_not_ready", "count", nodes_not_ready),),
)
