"""What a catalog must satisfy, beyond its schema: for itself, and for the design of each preset.

Findings are errors, or notes that are printed and counted. Nothing here changes an entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from steps.catalog.loader import Catalog, Entry, shipped_folder
from steps.catalog.terms import Kind, Mapping, Phase, Scope
from steps.design.design import Design
from steps.design.figures import choice_specs
from steps.design.values import DESIGN_VALUES
from steps.errors import InputError, Place
from steps.formula import comparisons, names
from steps.schedule.durations import duration_of, lead_of
from steps.schedule.expansion import Expansion, expand
from steps.schedule.network import Edge, Network, levels
from steps.yaml_lines import load

SEED_STEPS = tuple(f"{n:03}" for n in range(1, 196))
HOLD_POINTS = tuple(f"H{n:02}" for n in range(1, 38))
_READS = {Scope.SITE: {"site"}, Scope.HALL: {"site", "hall"}, Scope.POD: {"site", "hall", "pod"}}


@dataclass(frozen=True)
class Finding:
    """One fault: the rule, what is wrong, where and what to do."""

    rule: str
    message: str
    place: Place
    hint: str = ""


@dataclass
class Report:
    """What a lint found, and the shares it counted."""

    findings: list[Finding] = field(default_factory=list)
    figures: int = 0
    assumptions: int = 0
    barriers: list[str] = field(default_factory=list)
    free_starts: dict[str, list[str]] = field(default_factory=dict)
    activities: dict[str, int] = field(default_factory=dict)

    @property
    def assumption_share(self) -> float:
        """Share of figures marked `assumption`, 0 to 1."""
        return self.assumptions / self.figures if self.figures else 0.0


def lint(catalog: Catalog, roles: dict[str, dict[str, object]], designs: dict[str, Design], playbooks: Path) -> Report:
    """Give all findings for a catalog against its roles, playbooks and the designs of presets."""
    report = Report()
    report.findings += _present(catalog)
    for entry in catalog.values():
        report.findings += _entry_findings(entry, catalog, roles, playbooks)
        _count_figures(entry, report)
    report.findings += _spread(catalog)
    report.findings += _barriers(catalog, report)
    if not report.findings:
        for name, design in designs.items():
            report.findings += _design_findings(name, design, catalog, report)
    return report


def _present(catalog: Catalog) -> Iterator[Finding]:
    for wanted in (*SEED_STEPS, *HOLD_POINTS):
        if wanted not in catalog:
            yield Finding("all-steps", f"step {wanted} is missing", Place(str(shipped_folder())))


def _entry_findings(
    entry: Entry, catalog: Catalog, roles: dict[str, dict[str, object]], playbooks: Path
) -> Iterator[Finding]:
    yield from _formula_names(entry)
    yield from _role_findings(entry, roles)
    yield from _link_findings(entry, catalog)
    yield from _playbook_findings(entry, playbooks)
    step = entry.step
    for other in step.completed_by:
        if other not in {link.after for link in step.links}:
            message = f"completed by {other} without a link to it"
            yield Finding("duplicate", message, entry.place("completed_by"))
    if step.kind is Kind.PROCURE:
        for index, supply in enumerate(step.supplies):
            consumed = any(
                link.after == step.id and link.supply == supply.item for e in catalog.values() for link in e.step.links
            )
            if not consumed:
                message = f"nothing waits for the delivery of {supply.item}"
                yield Finding("supply", message, entry.place("supplies", index, "item"))


def _playbook_findings(entry: Entry, playbooks: Path) -> Iterator[Finding]:
    step = entry.step
    named: list[tuple[str | None, tuple[str | int, ...]]] = [(step.playbook, ("playbook",))]
    named += [(a.playbook, ("alternatives", i, "playbook")) for i, a in enumerate(step.alternatives)]
    for playbook, key in named:
        if playbook is None:
            continue
        if not (playbooks / playbook).exists():
            yield Finding("playbook", f"the playbook {playbook} does not exist", entry.place(*key))
        elif step.waves:
            plays, _ = load(playbooks / playbook)
            for single in {play["hosts"] for play in plays if "[" in play["hosts"]}:
                message = f"{playbook} has a play for {single} alone, which only one of the waves would run"
                yield Finding("waves", message, entry.place("waves"), "leave `waves` out")


def _formulas(entry: Entry) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    step = entry.step
    if isinstance(step.applies, str):
        yield step.applies, ("applies",)
    if step.items:
        yield step.items.count, ("items", "count")
    yield step.crew.count, ("crew", "count")
    for index, supply in enumerate(step.supplies):
        yield supply.quantity, ("supplies", index, "quantity")
    for index, criterion in enumerate(step.accept):
        if isinstance(criterion.value, str):
            yield criterion.value, ("accept", index, "value")
    for key in ("supplies", "links", "alternatives", "accept", "facts"):
        for index, conditional in enumerate(getattr(step, key)):
            if conditional.when:
                yield conditional.when, (key, index, "when")
    for name, formula in step.resources.items():
        yield formula, ("resources", name)


def _formula_names(entry: Entry) -> Iterator[Finding]:
    choices = choice_specs()
    for text, key in _formulas(entry):
        try:
            used = names(text)
        except InputError as error:
            yield Finding("formula", error.what, entry.place(*key), error.hint)
            continue
        for name in sorted(used):
            known = DESIGN_VALUES.get(name)
            if known is None:
                message = f"formula {text!r} reads {name!r}, which no design value is called"
                yield Finding("formula", message, entry.place(*key))
            elif known.level not in _READS[entry.step.scope]:
                message = f"a {entry.step.scope} step cannot read {name}, a value of a {known.level}"
                yield Finding("formula", message, entry.place(*key))
        for name, word in sorted(comparisons(text)):
            options = choices[name].options if name in choices else ()
            if options and word not in options:
                message = f"formula {text!r} asks for a {name} {word!r}, which no design has"
                yield Finding("formula", message, entry.place(*key), f"options: {', '.join(map(str, options))}")


def _role_findings(entry: Entry, roles: dict[str, dict[str, object]]) -> Iterator[Finding]:
    step = entry.step
    named = [(step.crew.role, ("crew", "role"))]
    named += [(s.supplier, ("supplies", i, "supplier")) for i, s in enumerate(step.supplies)]  # type: ignore[misc]
    for role, key in named:
        if role not in roles:
            yield Finding("role", f"the role {role!r} is not defined", entry.place(*key))
    policy = step.sign_off.policy
    for role in policy.roles:
        if role not in roles:
            yield Finding("role", f"the role {role!r} is not defined", entry.place("sign_off"))
        elif not roles[role]["signs"]:
            yield Finding("role", f"the role {role!r} does not sign", entry.place("sign_off"))
    for role in policy.witness.roles if policy.witness else ():
        if role not in roles:
            yield Finding("role", f"the role {role!r} is not defined", entry.place("sign_off"))
    if policy.quorum > len(policy.roles):
        message = f"a quorum of {policy.quorum} cannot be reached by one person a role"
        yield Finding("quorum", message, entry.place("sign_off"))


def _link_findings(entry: Entry, catalog: Catalog) -> Iterator[Finding]:
    order = list(Scope)
    for index, link in enumerate(entry.step.links):
        place = entry.place("links", index, "after")
        if link.after not in catalog:
            yield Finding("link", f"waits for {link.after}, which does not exist", place)
            continue
        other = catalog[link.after].step
        own, before = order.index(entry.step.scope), order.index(other.scope)
        fits = {
            Mapping.SAME: own == before or (link.supply is not None and before < own),
            Mapping.ENCLOSING: before < own,
            Mapping.FIRST: before > own,
            Mapping.ALL: before > own,
            Mapping.AS_THEY_COME: before > own,
        }[link.map]
        if not fits:
            message = (
                f"map {link.map} does not fit: {entry.step.id} is a {entry.step.scope}'s, {other.id} a {other.scope}'s"
            )
            yield Finding("link", message, place)
        if link.supply and link.supply not in {s.item for s in other.supplies}:
            message = f"step {other.id} has no supply line {link.supply!r}"
            yield Finding("supply", message, place)


def _count_figures(entry: Entry, report: Report) -> None:
    step = entry.step
    sources = [step.duration.fixed.source]
    sources += [step.duration.rate.source] if step.duration.rate else []
    sources += [s.lead_time.source for s in step.supplies]
    sources += [c.source for c in step.accept]
    sources += [link.lag.source for link in step.links if link.lag]
    policy = step.sign_off.policy
    sources += [policy.witness.notice.source] if policy.witness else []
    sources += [policy.valid_for.source] if policy.valid_for else []
    report.figures += len(sources)
    report.assumptions += sum(s.startswith("assumption") for s in sources)


def _spread(catalog: Catalog) -> Iterator[Finding]:
    """Most steps with one and the same duration would mean that nobody estimated them."""
    shapes = Counter(
        (e.step.duration.fixed.points, e.step.duration.fixed.unit, e.step.duration.rate) for e in catalog.values()
    )
    if not shapes:
        return
    (shape, count) = shapes.most_common(1)[0]
    if count * 3 >= len(catalog) * 2:
        yield Finding("durations", f"{count} steps share the duration {shape[:2]}", Place(str(shipped_folder())))


def _barriers(catalog: Catalog, report: Report) -> Iterator[Finding]:
    """Every link that waits for all pods is listed with its reason in barriers.yaml, and no other."""
    path = shipped_folder() / "barriers.yaml"
    listed, _ = load(path)
    found: set[str] = set()
    for entry in catalog.values():
        for index, link in enumerate(entry.step.links):
            is_pod = link.after in catalog and catalog[link.after].step.scope is Scope.POD
            if link.map is Mapping.ALL and is_pod and not entry.local:
                name = f"{link.after} -> {entry.step.id}"
                found.add(name)
                if name not in listed:
                    message = f"waits for all pods of {link.after}, and barriers.yaml does not list it"
                    yield Finding("barrier", message, entry.place("links", index))
    for name in sorted(set(listed) - found):
        yield Finding("barrier", f"lists {name}, which is no link", Place(str(path)))
    report.barriers = sorted(found)


def _design_findings(name: str, design: Design, catalog: Catalog, report: Report) -> Iterator[Finding]:
    yield from _unit_findings(design, catalog)
    try:
        found = expand(catalog, design, 8.0)
        for node in found.nodes.values():
            if node.applies:
                duration_of(node.entry.step, node.values, 8.0)
        for order in found.orders.values():
            lead_of(order.supply.lead_time)
        yield from _network_findings(name, design, found, report)
    except InputError as error:
        yield Finding("design", f"{name}: {error.what}", error.place or Place(name), error.hint)


def _unit_findings(design: Design, catalog: Catalog) -> Iterator[Finding]:
    from steps.catalog.units import check_formula, is_unit  # pint is slow to import

    at = {scope: next(u for u in design.units if u.kind is scope) for scope in Scope}
    for entry in catalog.values():
        step, values = entry.step, at[entry.step.scope].values | {"crews": 1}
        units: dict[str, str | None] = {c.value: c.unit for c in step.accept if isinstance(c.value, str)}
        for text, key in _formulas(entry):
            unit = None if key[0] == "resources" else units.get(text)
            try:
                if key[0] != "resources":
                    check_formula(text, values, unit)
            except InputError as error:
                yield Finding("unit", error.what, entry.place(*key), error.hint)
        for index, criterion in enumerate(step.accept):
            if not is_unit(criterion.unit):
                message = f"{criterion.unit!r} is not a unit"
                yield Finding("unit", message, entry.place("accept", index, "unit"))
        for index, fact in enumerate(step.facts):
            if not is_unit(fact.unit) or (fact.unit == "choice") is not bool(fact.options):
                message = f"{fact.name} is a number with a unit, or a choice among options"
                yield Finding("unit", message, entry.place("facts", index, "unit"))


def _network_findings(name: str, design: Design, found: Expansion, report: Report) -> Iterator[Finding]:
    ids = [n.id for n in found.nodes.values() if n.applies]
    report.activities[name] = len(ids)
    for order in found.orders.values():
        ids += [order.id, *(t.id for t in order.tranches)]
    index = {node: number for number, node in enumerate(ids)}
    edges = tuple(Edge(index[x.before], index[x.after]) for x in found.links)
    import numpy as np

    levels(Network(tuple(ids), np.zeros(len(ids)), np.zeros(len(ids), dtype=bool), edges))
    before: dict[str, set[str]] = {}
    for link in found.links:
        before.setdefault(link.after, set()).add(link.before)
    yield from _starts(name, found, before, report)
    yield from _received(name, design, found, before)


def _starts(name: str, found: Expansion, before: dict[str, set[str]], report: Report) -> Iterator[Finding]:
    free = [n for n in found.nodes.values() if n.applies and not before.get(n.id)]
    report.free_starts[name] = sorted({n.entry.step.id for n in free})
    for node in free:
        step = node.entry.step
        if not step.starts_freely and not step.links:
            message = f"{name}: nothing comes before {node.id}, and no reason is given"
            yield Finding("start", message, node.entry.place("id"), "give links, or `starts_freely`")


def _received(name: str, design: Design, found: Expansion, before: dict[str, set[str]]) -> Iterator[Finding]:
    """Hardware is handled only after a delivery or a receiving step, unless a decision says it is here."""
    if any(d.covers("H06", *_facts(found, "H06")) for d in design.decisions):
        return
    deliveries = {t.id for o in found.orders.values() for t in o.tranches}
    receiving = {n.id for n in found.nodes.values() if n.applies and n.entry.step.receives_hardware}
    memo: dict[str, bool] = {}

    def comes_after_receipt(node: str) -> bool:
        if node not in memo:
            memo[node] = False
            memo[node] = any(p in deliveries or p in receiving or comes_after_receipt(p) for p in before.get(node, ()))
        return memo[node]

    for node in found.nodes.values():
        step = node.entry.step
        if node.applies and step.handles_hardware and not comes_after_receipt(node.id):
            message = f"{name}: {node.id} handles hardware that nothing before it received"
            yield Finding("received", message, node.entry.place("links"))


def _facts(found: Expansion, step: str) -> tuple[Phase, Kind]:
    entry = next(n.entry for n in found.nodes.values() if n.entry.step.id == step)
    return entry.step.phase, entry.step.kind
