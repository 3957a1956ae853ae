"""The network of steps: one node for each step, and one link for each pair of them, whatever the number of units."""

from __future__ import annotations

from typing import Any

from steps.planning.activity import WORKING
from steps.planning.network.parts import Expansion

Record = dict[str, Any]


def step_graph(found: Expansion) -> tuple[list[Record], list[Record]]:
    """Return the steps and the links between them; a step, its orders and their deliveries are one node.

    `lag` is in hours of `lag_unit`; `delivery` names the supply line that a link waits for.
    """
    nodes: dict[str, Record] = {}
    for node in found.nodes.values():
        step = node.entry.step
        if step.id not in nodes or node.applies:
            nodes[step.id] = {
                "step": step.id,
                "title": step.title,
                "phase": step.phase.value,
                "kind": step.kind.value,
                "scope": step.scope.value,
                "applies": node.applies,
                "not_applicable_because": node.not_applicable_because,
                "supplies": [s.item for s in step.supplies],
            }
    links: dict[tuple[str, str, str], Record] = {}
    for link in found.links:
        before, after = _step(link.before), _step(link.after)
        if before == after:
            continue
        key = (before, after, link.type.value)
        held = links.get(key)
        if held is None or link.lag_h > held["lag"]:
            links[key] = {
                "from": before,
                "to": after,
                "type": link.type.value,
                "lag": link.lag_h,
                "lag_unit": "working hours" if link.lag_calendar == WORKING else "elapsed hours",
                "map": link.map.value,
                "reason": link.reason,
                "bridged": [_step(activity) for activity in link.bridged],
                "delivery": link.before.partition("#")[2].partition("/")[0] or None,
            }
    return list(nodes.values()), list(links.values())


def _step(end: str) -> str:
    return end.partition("@")[0]
