"""The network of a design: it can be expanded, it has no circle, and hardware arrives before it is handled."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from schedule.cpm.columns import Activities, Links
from schedule.cpm.compiled import compile_network
from schedule.cpm.shifts import continuous
from schedule.errors import InputError, Place
from steps.catalog.lint.report import LintFinding, LintReport
from steps.catalog.loader import Catalog
from steps.catalog.terms import Kind, Phase
from steps.design.design import Design
from steps.planning.network.durations import duration_of, lead_of
from steps.planning.network.expansion import expand
from steps.planning.network.parts import Expansion

HOURS_PER_DAY = 8.0
"""Hours of a working day; no finding depends on them."""

DELIVERED = "H06"
"""The hold point that receives hardware. If a design leaves it out, the hardware is there already."""


def network_findings(name: str, design: Design, catalog: Catalog, report: LintReport) -> Iterator[LintFinding]:
    """Yield what is wrong with the network of a design, and write its counts into the report."""
    try:
        found = expand(catalog, design, HOURS_PER_DAY)
        for node in found.nodes.values():
            if node.applies:
                duration_of(node.entry.step, node.values, HOURS_PER_DAY)
        for order in found.orders.values():
            lead_of(order.supply.lead_time, design.figures["lead_time_factor"])
        report.activities[name] = sum(node.applies for node in found.nodes.values())
        _refuse_circle(found)
        yield from _starts(name, found, report)
        yield from _received(name, design, found)
    except InputError as error:
        yield LintFinding("design", f"{name}: {error.what}", error.place or Place(name), error.hint)


def _refuse_circle(found: Expansion) -> None:
    """Raise if something waits for itself."""
    ids = [node.id for node in found.nodes.values() if node.applies]
    for order in found.orders.values():
        ids += [order.id, *(tranche.id for tranche in order.tranches)]
    index = {node: number for number, node in enumerate(ids)}
    before, after = (np.array([index[end] for end in ends], np.int32) for ends in _ends(found))
    none, nothing = np.zeros(len(ids), np.int64), np.zeros(len(before), np.int64)
    links = Links(before, after, nothing.astype(np.uint8), nothing, nothing.astype(np.int32))
    compile_network(Activities(ids, none, none.astype(np.int32)), links, (continuous(),))


def _ends(found: Expansion) -> tuple[list[str], list[str]]:
    return [link.before for link in found.links], [link.after for link in found.links]


def _starts(name: str, found: Expansion, report: LintReport) -> Iterator[LintFinding]:
    waiting = {link.after for link in found.links}
    nodes = [node for node in found.nodes.values() if node.applies]
    free = [node for node in nodes if node.id not in waiting]
    report.free_starts[name] = sorted({node.entry.step.id for node in free})
    for node in free:
        step = node.entry.step
        if not step.starts_freely and not step.links:
            message = f"{name}: nothing comes before {node.id}, and no reason is given"
            yield LintFinding("start", message, node.entry.place("id"), "add links, or `starts_freely`")


def _received(name: str, design: Design, found: Expansion) -> Iterator[LintFinding]:
    """Yield steps that handle hardware with no delivery and no receiving step before them."""
    if any(decision.covers(DELIVERED, *_kind_of(found, DELIVERED)) for decision in design.decisions):
        return
    arrived = _after_receipt(found)
    for node in found.nodes.values():
        if node.applies and node.entry.step.handles_hardware and node.id not in arrived:
            message = f"{name}: {node.id} handles hardware that nothing before it received"
            yield LintFinding("received", message, node.entry.place("links"))


def _after_receipt(found: Expansion) -> set[str]:
    """Return what comes after a delivery or a receiving step, directly or through other steps."""
    after: dict[str, list[str]] = {}
    for link in found.links:
        after.setdefault(link.before, []).append(link.after)
    front = [tranche.id for order in found.orders.values() for tranche in order.tranches]
    nodes = [node for node in found.nodes.values() if node.applies]
    front += [node.id for node in nodes if node.entry.step.receives_hardware]
    reached: set[str] = set()
    while front:
        for successor in after.get(front.pop(), ()):
            if successor not in reached:
                reached.add(successor)
                front.append(successor)
    return reached


def _kind_of(found: Expansion, step: str) -> tuple[Phase, Kind]:
    steps = (node.entry.step for node in found.nodes.values())
    one = next(other for other in steps if other.id == step)
    return one.phase, one.kind
