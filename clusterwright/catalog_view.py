"""Steps of the catalog and the findings of its lint, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from clusterwright.output import Cells, Document, clean, table

if TYPE_CHECKING:
    from steps.catalog.lint.report import LintReport
    from steps.catalog.loader import Entry
    from steps.catalog.schema import Criterion, Estimate, SignOff, Step


LINK_COLUMNS = ("waits for", "delivery", "type", "map", "where", "reason")
CRITERION_COLUMNS = ("metric", "limit", "each", "where", "read by", "source", "corrects")


def entry_document(entry: Entry) -> Document:
    """Return a step with every key of its file, and what the site changed about it."""
    changed = {"overridden": list(entry.overridden), "override_reason": entry.override_reason}
    return entry.step.model_dump(mode="json") | {"local": entry.local} | changed


def print_entry(entry: Entry) -> None:
    """Print a step: what it is in words, then its links and its criteria as tables."""
    step = entry.step
    print(clean("\n".join(_head(entry))))
    if step.links:
        links = [(one.after, one.supply, one.type, one.map, one.when, one.reason) for one in step.links]
        table(LINK_COLUMNS, links, title="Links")
    if step.accept:
        table(CRITERION_COLUMNS, [_criterion(c) for c in step.accept], title="Criteria")


def _head(entry: Entry) -> Iterator[str]:
    step = entry.step
    yield f"{step.id}  {step.title}"
    yield f"{step.phase} · {step.section} · {step.kind} · {step.scope} · {entry.path}"
    yield f"\n{step.description}"
    if step.why:
        yield f"Why: {step.why}"
    if step.seed_says:
        yield seed_line(step.seed_says)
    yield ""
    if entry.overridden:
        yield f"changed here: {', '.join(entry.overridden)}, because: {entry.override_reason}"
    if isinstance(step.applies, str):
        yield f"applies where {step.applies}; elsewhere {step.not_applicable_because}"
    yield f"duration {_estimate(step.duration.fixed)}"
    if step.duration.rate and step.items:
        yield f"  and for {step.items.count} {step.items.of}: {_estimate(step.duration.rate)}"
    yield f"crew {step.crew.size} x {step.crew.role}"
    if room := step.crew.room:
        yield f"  side by side: {room.value:g} {room.unit}, of {room.of} ({room.source})"
    for supply in step.supplies:
        yield f"buys {supply.title} from {supply.supplier}: {_estimate(supply.lead_time)}"
    yield from _software(step)
    yield from _sign_off(step.sign_off)
    yield from _also(step)


def _software(step: Step) -> Iterator[str]:
    for alternative in step.alternatives:
        yield f"playbook {alternative.playbook or 'none'} where {alternative.when}"
    if step.playbook:
        yield f"playbook {step.playbook}, effect: {step.effect}"
    if step.waves:
        yield f"waves of {step.waves.size} hosts, first {step.waves.canary} ({step.waves.source})"
    if step.together:
        yield f"a retry plays all hosts again: {step.together}"


def _sign_off(asked: SignOff) -> Iterator[str]:
    policy = asked.policy
    yield sign_off_words(policy.quorum, policy.roles, asked.needed, asked.evidence)
    if policy.valid_for:
        held = policy.valid_for
        yield f"  the approval holds for {held.value:g} x {held.unit} ({held.source})"
    if policy.witness:
        notice, roles = policy.witness.notice, ", ".join(policy.witness.roles)
        yield f"  witnessed by {roles}, invited {notice.value:g} x {notice.unit} before ({notice.source})"


def _also(step: Step) -> Iterator[str]:
    if step.also_reads:
        yield f"also reads {', '.join(f'{read.metric} in {read.unit}' for read in step.also_reads)}"
    if step.on_fail:
        yield f"a failure asks for: {step.on_fail.severity}; non-conformance of class {step.on_fail.ncr}"
    if step.outputs:
        yield f"leaves {', '.join(step.outputs)}"
    if step.errata:
        yield f"corrects {', '.join(step.errata)} (docs/reference/seed-numbers.md)"
    yield f"sources {'; '.join(step.sources.documents) or 'none'}"


def sign_off_words(quorum: int, roles: Sequence[str], needed: str, evidence: Sequence[str]) -> str:
    """Return who signs, how many of them, when, and the kinds of evidence that they want to see."""
    when = "always" if needed == "always" else "if a person did the work"
    shown = f", with evidence {', '.join(evidence)}" if evidence else ""
    return f"signed by {quorum} of {', '.join(roles)}, {when}{shown}"


def seed_line(said: str) -> str:
    """Return what the list of 195 steps says of a step, as a line."""
    return f"The list of 195 steps says: {said}"


def _estimate(e: Estimate) -> str:
    low, likely, high = e.points
    range_ = f"{likely:g}" if low == high else f"{low:g}, {likely:g} or {high:g}"
    return f"{range_} {e.unit} ({e.source})"


def _criterion(c: Criterion) -> Cells:
    from steps.acceptance.readers import READERS  # the readers of every tool, which `show` does without

    fleet = f", within {c.fleet_z:g} robust deviations" if c.fleet_z is not None else ""
    value = f"{c.value:g} {c.unit}" if isinstance(c.value, float) else str(c.value).lower()
    limit = f"{c.op} {value}{fleet}"
    reader = "a person" if c.by_hand else "software" if c.metric in READERS else "a calculator"
    return c.metric, limit, c.each, c.when, reader, c.source, c.erratum


def report_document(report: LintReport, steps: int) -> Document:
    """Return what a lint found, with stable keys."""
    return {
        "steps": steps,
        "findings": [vars(finding) | {"place": str(finding.place)} for finding in report.findings],
        "figures": report.figures,
        "assumption_share": round(report.assumption_share, 4),
        "barriers": report.barriers,
        "activities": report.activities,
        "start_without_predecessor": report.free_starts,
    }


def print_report(report: LintReport, steps: int) -> None:
    """Print each finding as `file:line: key: what is wrong (rule); what to do`, then what was counted."""
    for f in report.findings:
        print(clean(f"{f.place}: {f.message} ({f.rule}){'; ' if f.hint else ''}{f.hint}"))
    figures = f"{report.figures} ({report.assumption_share:.0%} marked assumption)"
    barriers = f"links that wait for all pods: {len(report.barriers)}"
    found = len(report.findings)
    print(f"{found} finding{'' if found == 1 else 's'}; steps: {steps}, figures: {figures}, {barriers}")
