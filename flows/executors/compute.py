"""Compute steps: worked out from the plan in force, from facts where they need them, or from the ledger.

What was worked out is measured against the step's criteria and kept as evidence. A step that lacks a fact about
the facility is not begun: it waits, says which, and is looked at again as soon as one is recorded.
"""

from __future__ import annotations

import gzip
import json
import logging
from datetime import datetime
from pathlib import Path
from typing import Any

from flows.artifacts import publish_calculation
from flows.engine_state import Engine
from flows.executors.as_built import AS_BUILT
from flows.executors.lease import claim_here
from flows.performer import Outcome, settled
from ledger.decisions.runs import settle
from ledger.entries import Artifact, Claim, Measured, RunOutcome
from ledger.evidence.store import is_intact, store
from ledger.log.payloads.runs import RunSettled
from ledger.questions.case import require_activity
from ledger.questions.facts import FactNeedRow, fact_mark, fact_needs, how_to_record, lacking_facts
from ledger.questions.records import evidence
from ledger.questions.why import may_finish, why
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity
from steps.design.calculations.calculation import Calculation, Figure
from steps.schedule.activity import PlanActivity, PlanCriterion
from steps.value import value_text

engine_log = logging.getLogger("clusterwright.flows")

SOURCE = "design of the plan in force"
RECORDS = "the ledger's record"
PLAIN_BYTES = 16 * 1024 * 1024
"""A sheet larger than this is kept compressed: the schedule of a hundred thousand GPUs has 30 MB."""


def compute_mark(site_dir: Path, row: Activity, now: datetime) -> str:
    """Give what makes a compute step worth another look: a new fact, or that nothing holds back its end."""
    with open_snapshot(site_dir, now) as snapshot:
        mark, free = fact_mark(snapshot, row), may_finish(snapshot, require_activity(snapshot, row.id))
    return " ".join([*([f"facts {mark}"] if mark else []), *([] if free else ["held back"])])


def compute(engine: Engine, row: Activity) -> Outcome:
    """Work out every metric that follows; what does not is not measured, and a person decides."""
    if waits := _waits(engine, row):
        return waits
    held = claim_here(engine, row.id)
    if held is None:
        return Outcome("Taken", "another engine computes it")
    calculation = None
    try:
        calculation, outcome = _worked_out(engine, row, held)
    except Exception as error:  # noqa: BLE001  settled as failed: a claim is never left behind
        engine_log.exception("calculation_broke_off activity=%s run=%s", row.id, held.run)
        outcome = RunOutcome("failed", summary=f"the calculation broke off: {error}")
    event = settle(engine.ledger, held.owner, row.id, outcome, attempt=held.attempt, revision=engine.revision)
    assert isinstance(event.payload, RunSettled)
    if calculation is not None and event.payload.status == "ok":
        publish_calculation(engine.activities[row.id], calculation, outcome.summary)
    return settled(event.payload.result, event.payload.summary)


def _waits(engine: Engine, row: Activity) -> Outcome | None:
    """Give what a compute step waits for before it is begun: facts about the facility, or the end of others."""
    with open_snapshot(engine.site_dir, engine.clock()) as snapshot:
        lacking = lacking_facts(snapshot, row)
        unmet = () if lacking else why(snapshot, row.id).unmet
    if lacking:
        said = "; ".join(f"{need.name} in {need.unit_of_measure} ({need.meaning})" for need in lacking)
        return Outcome("Waits for facts", f"{said}: {how_to_record(row.id, lacking)}", asked=True)
    if unmet:
        names = ", ".join(each.predecessor for each in unmet[:5]) + (" ..." if len(unmet) > 5 else "")
        return Outcome("Waits for others", f"its end waits for {len(unmet)}: {names}")
    return None


def _worked_out(engine: Engine, row: Activity, held: Claim) -> tuple[Calculation, RunOutcome]:
    activity = engine.activities[row.id]
    with open_snapshot(engine.site_dir, engine.clock()) as snapshot:
        needs = fact_needs(snapshot, row)
        there = {e.digest for e in evidence(snapshot, row.id) if e.attempt == held.attempt}
    facts = {need.name: need.known.value for need in needs if need.known is not None}
    as_built = AS_BUILT.get(activity.step)
    calculation = as_built(engine, activity, facts) if as_built else engine.calculator.of(activity, facts)
    source = _source(calculation, needs)
    measured = tuple(
        _measured(criterion, calculation.result(criterion.metric), source) for criterion in activity.criteria
    )
    lacking = [m.metric for m in measured if m.value is None]
    summary = (
        f"{len(measured) - len(lacking)} of {len(measured)} criteria worked out, {len(calculation.results)} figures"
    )
    if lacking:
        summary += f"; not measured: {', '.join(lacking)}; a person looks, then attests or waives"
    document = _document(engine, activity, calculation, needs)
    artifacts = [*_kept(engine.site_dir, activity, calculation, document), *_shown(engine.site_dir, needs, there)]
    return calculation, RunOutcome("ok", measurements=measured, summary=summary, artifacts=tuple(artifacts))


def _source(calculation: Calculation, needs: list[FactNeedRow]) -> str:
    said = RECORDS if calculation.records else SOURCE
    events = sorted({need.known.seq for need in needs if need.known is not None})
    return f"{said}; facts of event {', '.join(map(str, events))}" if events else said


def _measured(criterion: PlanCriterion, figure: Figure | None, source: str) -> Measured:
    if figure is None:
        return Measured(criterion.metric, None, criterion.unit, source=source, note="nothing here gives this figure")
    return Measured(criterion.metric, figure.value, figure.unit, source=source, note=figure.source)


def _document(
    engine: Engine, activity: PlanActivity, calculation: Calculation, needs: list[FactNeedRow]
) -> dict[str, Any]:
    """Give the calculation whole: what went in, what came out and how, what is doubtful. The same input, the same text."""
    return {
        "activity": activity.id,
        "title": activity.title,
        "site": engine.plan.site,
        "plan_revision": engine.revision,
        "inputs": _figures(calculation.inputs),
        "facts": {
            need.name: {
                "value": value_text(need.known.value),
                "unit": need.unit_of_measure,
                "by": need.known.by,
                "event": need.known.seq,
                "evidence": list(need.known.evidence),
            }
            for need in needs
            if need.known is not None
        },
        "results": _figures(calculation.results),
        "criteria": [
            {"metric": c.metric, "op": c.op, "value": value_text(c.value), "unit": c.unit, "source": c.source}
            for c in activity.criteria
        ],
        "findings": [finding._asdict() | {"numbers": dict(finding.numbers)} for finding in calculation.findings],
        "records": calculation.records,
    }


def _figures(figures: list[Figure]) -> dict[str, dict[str, str | None]]:
    return {f.name: {"value": value_text(f.value), "unit": f.unit, "from": f.source} for f in figures}


def _kept(site_dir: Path, activity: PlanActivity, calculation: Calculation, document: dict[str, Any]) -> list[Artifact]:
    """Keep the document and the sheets; the document is the first evidence the policy asks for that no sheet is."""
    sheets = {sheet.evidence for sheet in calculation.sheets}
    left = [kind for kind in activity.policy.evidence if kind not in sheets]
    kind = calculation.evidence or (left[0] if left else "calculation")
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    kept = [Artifact(store(site_dir, text.encode()), kind, f"{activity.step}-{activity.unit}.json")]
    for sheet in calculation.sheets:
        content, name = sheet.write().encode(), sheet.name
        if len(content) > PLAIN_BYTES:
            content, name = gzip.compress(content, mtime=0), f"{name}.gz"
        kept.append(Artifact(store(site_dir, content), sheet.evidence, name))
    return kept


def _shown(site_dir: Path, needs: list[FactNeedRow], there: set[str]) -> list[Artifact]:
    """Give what shows the facts, as evidence of this attempt too: it was laid on the table once, for all of them."""
    shown: dict[str, Artifact] = {}
    for need in needs:
        for digest in need.known.evidence if need.known is not None else ():
            if digest not in there and is_intact(site_dir, digest):
                shown.setdefault(digest, Artifact(digest, need.evidence, f"{need.name}, event {need.known.seq}"))  # type: ignore[union-attr]  # known above
    return list(shown.values())
