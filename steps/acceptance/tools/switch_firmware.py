"""Releases of all switches, as the role `switch_firmware` hands them over, against those that are pinned."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

OUTPUT = "switch_firmware"
SHOWN = 5
UNTRIED = (
    "no switch was rolled back from this release: state switch_firmware_former_images; where all switches have the release, bring one"
    " to its former release, and play this again"
)
"""The first switch that is behind is rolled back. Where none is, nobody can say what was before."""


def versions(handed: Handed) -> Found:
    """Return how many versions a component has at most over all switches, the pinned one among them."""
    document = _asked(handed)
    by_component: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for switch, pinned in document["pinned"].items():
        for component, version in pinned.items():
            by_component[component][version].append("pinned")
            by_component[component][document["found"][switch][component]].append(switch)
    component, found = max(by_component.items(), key=lambda each: len(each[1]))
    note = f"{len(document['found'])} switches as pinned" if len(found) == 1 else _words(component, found)
    return Found(Decimal(len(found)), note)


def rollback_tested(handed: Handed) -> Found:
    """Return whether a switch was rolled back from the release that is pinned."""
    document = _asked(handed)
    tried = [record for record in document["rolled_back"] if record["from"] in document["pinned"].values()]
    note = f"to {', '.join(map(str, tried[0]['to'].values()))}" if tried else UNTRIED
    return Found(bool(tried), note)


def _asked(handed: Handed) -> dict[str, Any]:
    """Return what all switches have. One that did not answer, or of which nothing is pinned, leaves nothing to say of all."""
    document: dict[str, Any] = handed.document(OUTPUT)
    if silent := [switch for switch, found in document["found"].items() if not found]:
        raise NotMeasuredError(f"the controller does not answer: {', '.join(silent[:SHOWN])}")
    if unpinned := [switch for switch in document["found"] if not document["pinned"][switch]]:
        raise NotMeasuredError(f"state firmware_baseline in the inventory: {', '.join(unpinned[:SHOWN])}")
    if not document["found"]:
        raise NotMeasuredError("the inventory has no switches")
    return document


def _words(component: str, found: dict[str, list[str]]) -> str:
    """Return the versions of a component, and where each is."""
    where = (f"{version} ({', '.join(dict.fromkeys(switches))})" for version, switches in sorted(found.items()))
    return f"{component}: {'; '.join(where)}"


TOOL = Tool(
    "switch firmware",
    OUTPUT,
    "playbooks/networking/061_switch_firmware.yml",
    (
        Metric("switch.firmware_versions", "count", versions),
        Metric("switch.rollback_tested", "bool", rollback_tested),
    ),
)
