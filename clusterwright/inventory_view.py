"""Planned nodes and the inventory's hosts, side by side: on the terminal, and as one document."""

from __future__ import annotations

from collections import Counter
from typing import Any

from clusterwright.output import say, table
from steps.design.matching import Matching


def print_matching(matching: Matching) -> None:
    """Print every pair and by what it was matched, then what is left over on either side."""
    said = "dealt in order of the inventory: no name, serial number or BMC address of a host is a planned node's"
    keys = Counter(key for pair in matching.pairs for key in pair.by)
    by = said if matching.in_order else ", ".join(f"{count:,} by {key}" for key, count in keys.items())
    say(f"{len(matching.pairs):,} nodes have a host: {by}")
    table(
        ("planned node", "pod", "host", "matched by", ""),
        [
            (
                pair.node.name,
                pair.node.pod,
                pair.host.name,
                ", ".join(pair.by),
                _doubt(pair.node.serial, pair.host.serial) if pair.other_serial else "",
            )
            for pair in matching.pairs
        ],
    )
    if matching.nodes_left:
        table(("planned node without host", "pod", "BMC address", "serial number"), matching.nodes_left)
    if matching.hosts_left:
        table(("host without planned node", "BMC address", "serial number", "stated by"), matching.hosts_left)
    if matching.ambiguous:
        rows = [(number, shared) for number, found in enumerate(matching.ambiguous, 1) for shared in found.because]
        table(("", "ambiguous"), rows)


def as_document(matching: Matching) -> dict[str, Any]:
    """Give a matching as plain data with stable keys."""
    return {
        "in_order": matching.in_order,
        "pairs": [
            {
                "node": pair.node.name,
                "pod": pair.node.pod,
                "host": pair.host.name,
                "by": pair.by,
                "other_serial": pair.other_serial,
            }
            for pair in matching.pairs
        ],
        "nodes_without_host": matching.nodes_left,
        "hosts_without_node": matching.hosts_left,
        "ambiguous": [
            {
                "nodes": [node.name for node in found.nodes],
                "hosts": [host.name for host in found.hosts],
                "because": [{**shared._asdict(), "hosts": shared.hosts} for shared in found.because],
            }
            for found in matching.ambiguous
        ],
    }


def faults(matching: Matching) -> list[str]:
    """Give what does not match, counted."""
    counts = {
        "planned nodes without host": len(matching.nodes_left),
        "hosts without planned node": len(matching.hosts_left),
        "ambiguous": len(matching.ambiguous),
        "serial numbers that are not those on record": sum(pair.other_serial for pair in matching.pairs),
    }
    return [f"{what} {count:,}" for what, count in counts.items() if count]


def _doubt(recorded: str | None, stated: str | None) -> str:
    return f"on record is serial number {recorded}, the inventory says {stated}"
