"""The two lints: of a whole catalog with the design of each preset, and of one step.

The designs are checked only if the entries have no findings: every design would report the same fault again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from schedule.errors import Place
from steps.catalog.lint.bases import basis_findings, times_of
from steps.catalog.lint.designs import network_findings
from steps.catalog.lint.durations import duration_findings
from steps.catalog.lint.entry import entry_findings
from steps.catalog.lint.fields import field_findings
from steps.catalog.lint.formulas import formula_findings, unit_findings, unknown_units
from steps.catalog.lint.metrics import metric_findings
from steps.catalog.lint.moves import moved_findings
from steps.catalog.lint.report import Installed, LintFinding, LintReport
from steps.catalog.lint.settings import setting_findings
from steps.catalog.loader import Catalog, Entry, require, shipped_folder
from steps.catalog.moved import moved
from steps.catalog.schema import Step
from steps.catalog.terms import Mapping as UnitMapping
from steps.catalog.terms import Scope
from steps.design.design import Design
from steps.planning.network.basis import Basis, basis_of
from steps.yaml_lines import load

SEED_STEPS = tuple(f"{n:03}" for n in range(1, 196))
HOLD_POINTS = tuple(f"H{n:02}" for n in range(1, 67))

Designs = Mapping[str, Design]
"""Designs by the name of their preset."""


def lint(catalog: Catalog, installed: Installed, designs: Designs) -> LintReport:
    """Return the findings for a whole catalog, and for the network of each design by name."""
    report = LintReport()
    report.findings += _present(catalog)
    report.findings += field_findings(installed.source)
    report.findings += setting_findings(catalog, installed.source)
    for entry in catalog.values():
        _look_at(entry, catalog, installed, report)
    report.findings += _spread(catalog)
    report.findings += moved_findings(catalog, moved())
    report.findings += _barriers(catalog, report)
    if not report.findings:
        for name, design in designs.items():
            report.findings += unit_findings(design, catalog.values())
            report.findings += network_findings(name, design, catalog, report)
    return report


def lint_step(catalog: Catalog, step: str, installed: Installed, designs: Designs) -> LintReport:
    """Return the findings for one step, its links and its formulas in each design.

    Only `lint` finds what shows in a whole network: circles, missing receipts, and links that wait for all pods.
    """
    entry = require(catalog, step)
    report = LintReport()
    _look_at(entry, catalog, installed, report)
    if not report.findings:
        for design in designs.values():
            report.findings += unit_findings(design, [entry])
    report.findings = list(dict.fromkeys(report.findings))
    return report


def _look_at(entry: Entry, catalog: Catalog, installed: Installed, report: LintReport) -> None:
    report.findings += formula_findings(entry)
    report.findings += unknown_units(entry)
    report.findings += entry_findings(entry, catalog, installed)
    report.findings += duration_findings(entry)
    report.findings += metric_findings(entry, installed.source)
    report.findings += basis_findings(entry, catalog)
    sources = list(_sources(entry.step))
    report.figures += len(sources)
    report.assumptions += sum(basis_of(source) is Basis.ASSUMPTION for source in sources)


def _sources(step: Step) -> Iterator[str]:
    """Yield the source of every figure of a step."""
    for time in times_of(step):
        yield time.source
    if step.crew.room:
        yield step.crew.room.source
    if step.duration.outdoors:
        yield step.duration.outdoors.source
    for criterion in step.accept:
        yield criterion.source
    policy = step.sign_off.policy
    if policy.witness:
        yield policy.witness.notice.source
    if policy.valid_for:
        yield policy.valid_for.source
    if step.waves:
        yield step.waves.source


def _present(catalog: Catalog) -> Iterator[LintFinding]:
    for wanted in (*SEED_STEPS, *HOLD_POINTS):
        if wanted not in catalog:
            yield LintFinding("all-steps", f"step {wanted} is missing", Place(str(shipped_folder())))


def _spread(catalog: Catalog) -> Iterator[LintFinding]:
    """Yield a finding if two thirds of the steps share one duration: then nobody estimated them."""
    shapes: Counter[tuple[object, ...]] = Counter()
    for entry in catalog.values():
        fixed, rate = entry.step.duration.fixed, entry.step.duration.rate
        shapes[(fixed.points, fixed.unit, rate)] += 1
    for shape, count in shapes.most_common(1):
        if count * 3 >= len(catalog) * 2:
            message = f"{count} steps share the duration {shape[:2]}"
            yield LintFinding("durations", message, Place(str(shipped_folder())))


def _barriers(catalog: Catalog, report: LintReport) -> Iterator[LintFinding]:
    """Compare the links that wait for all pods with barriers.yaml, which lists each of them with its reason."""
    path = shipped_folder() / "barriers.yaml"
    listed, _ = load(path)
    found: set[str] = set()
    for entry in catalog.values():
        for index, link in enumerate(entry.step.links):
            of_pods = link.after in catalog and catalog[link.after].step.scope is Scope.POD
            if link.map is not UnitMapping.ALL or not of_pods or entry.local:
                continue
            name = f"{link.after} -> {entry.step.id}"
            found.add(name)
            if name not in listed:
                message = f"waits for all pods of {link.after}, and barriers.yaml does not list it"
                yield LintFinding("barrier", message, entry.place("links", index))
    for name in sorted(set(listed) - found):
        yield LintFinding("barrier", f"lists {name}, which is not a link", Place(str(path)))
    report.barriers = sorted(found)
