"""Compute steps: worked out from the plan in force, from facts where they need them, or from the ledger.

What was worked out is compared with the step's criteria and kept as evidence. A step that lacks a fact about the facility is
not begun. It waits, names the fact, and is looked at again when one is recorded.
"""

from __future__ import annotations

import logging
from functools import partial

from flows.dashboard.artifacts import publish_calculation
from flows.engine.performer import Job, Outcome, known_already, settled
from flows.engine.state import Engine
from flows.performers.as_built import AS_BUILT
from flows.performers.calculated import document, keep, shown
from flows.performers.lease import claim_here
from ledger.entries import Claim, RunOutcome
from ledger.questions.facts import FactNeedRow, fact_mark, fact_needs, how_to_record, lacking_facts
from ledger.questions.records import evidence
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import may_finish, why
from ledger.rules.activity import Activity
from ledger.subjects.runs.decisions import settle
from ledger.subjects.runs.payloads import RunSettled
from steps.acceptance.measured import Measured
from steps.design.calculations.calculation import Calculation
from steps.planning.activity import PlanCriterion

engine_log = logging.getLogger("clusterwright.flows")

SOURCE = "design of the plan in force"
RECORDS = "the ledger's record"
NAMED = 5
"""How many activities a sentence names."""


def compute_mark(snapshot: Snapshot, row: Activity) -> str:
    """Return what makes a compute step worth another look: a new fact, or that nothing holds back its end any more."""
    fact = fact_mark(snapshot, row)
    marks = [f"facts {fact}"] if fact else []
    if not may_finish(snapshot, row):
        marks.append("held back")
    return " ".join(marks)


def prepare_compute(engine: Engine, snapshot: Snapshot, row: Activity) -> Job:
    """Return what works out every metric that it can, or says what the step waits for."""
    waits = _waits(snapshot, row)
    return partial(_compute, engine, row) if waits is None else known_already(waits)


def _waits(snapshot: Snapshot, row: Activity) -> Outcome | None:
    """Return what a step waits for before it is begun: facts about the facility, or the end of other steps."""
    if lacking := lacking_facts(snapshot, row):
        needs = [f"{need.name} in {need.unit_of_measure} ({need.meaning})" for need in lacking]
        return Outcome("Waits for facts", f"{'; '.join(needs)}: {how_to_record(row.id, lacking)}", asked=True)
    if unmet := [wait.predecessor for wait in why(snapshot, row.id).unmet]:
        names = ", ".join(unmet[:NAMED]) + (" ..." if len(unmet) > NAMED else "")
        return Outcome("Waits for others", f"its end waits for {len(unmet)}: {names}")
    return None


def _compute(engine: Engine, row: Activity) -> Outcome:
    held = claim_here(engine, row.id)
    if held is None:
        return Outcome("Taken", "another engine computes it")
    calculation = None
    try:
        calculation, outcome = _worked_out(engine, row, held)
    except Exception as error:  # noqa: BLE001  settled as failed: a claim is never left behind
        engine_log.exception("calculation_broke_off activity=%s run=%s", row.id, held.run)
        outcome = RunOutcome("failed", summary=f"the calculation broke off: {error}")
    event = engine.unwritten.until_kept(
        lambda: settle(engine.ledger, held.owner, row.id, outcome, attempt=held.attempt, revision=engine.revision)
    )
    assert isinstance(event.payload, RunSettled)
    if calculation is not None and event.payload.status == "ok":
        publish_calculation(engine.activities[row.id], calculation, outcome.summary)
    return settled(event.payload.result, event.payload.summary)


def _worked_out(engine: Engine, row: Activity, held: Claim) -> tuple[Calculation, RunOutcome]:
    """Work it out from the record as it is after the claim, with every fact that was recorded by then."""
    activity, as_built = engine.activities[row.id], AS_BUILT.get(row.plan.step)
    calculation = None
    with engine.snapshot() as snapshot:
        needs = fact_needs(snapshot, row)
        facts = {need.name: need.known.value for need in needs if need.known is not None}
        mine = [e for e in evidence(snapshot, row.id) if e.attempt == held.attempt]
        if as_built is not None:
            calculation = as_built(engine, snapshot, activity, facts)
    if calculation is None:
        calculation = engine.calculator.of(activity, facts)
    source = _source(calculation, needs)
    measured = tuple(_reading(criterion, calculation, source) for criterion in activity.criteria)
    site_dir = engine.site_dir
    kept = keep(site_dir, activity, calculation, document(engine, activity, calculation, needs))
    artifacts = [*kept, *shown(site_dir, needs, {e.digest for e in mine})]
    summary = _summary(measured, calculation)
    outcome = RunOutcome("ok", measurements=measured, summary=summary, artifacts=tuple(artifacts))
    return calculation, outcome


def _summary(measured: tuple[Measured, ...], calculation: Calculation) -> str:
    lacking = [m.metric for m in measured if m.value is None]
    count = len(measured) - len(lacking)
    summary = f"{count} of {len(measured)} criteria worked out, {len(calculation.results)} figures"
    if lacking:
        summary += f"; not measured: {', '.join(lacking)}; a person looks, then attests or waives"
    return summary


def _source(calculation: Calculation, needs: list[FactNeedRow]) -> str:
    said = RECORDS if calculation.records else SOURCE
    events = sorted({need.known.seq for need in needs if need.known is not None})
    return f"{said}; facts of event {', '.join(map(str, events))}" if events else said


def _reading(criterion: PlanCriterion, calculation: Calculation, source: str) -> Measured:
    figure = calculation.result(criterion.metric)
    if figure is None:
        note = "no calculation has this figure"
        return Measured(criterion.metric, None, criterion.unit, source=source, note=note)
    return Measured(criterion.metric, figure.value, figure.unit, source=source, note=figure.source)
