"""What the ledger gets of a playbook's result: a result for each host, readings for each metric, the log as evidence."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from flows.engine.state import Engine
from flows.performers.reading import read_metrics
from flows.runs.results.per_host import HostResult, PlaybookResult, RunStatus
from ledger.entries import Artifact, ItemResult, RunOutcome
from ledger.evidence.store import store
from ledger.rules.activity import Activity
from ledger.rules.judgement import FAILED, judgements
from ledger.rules.rows import grouped
from ledger.subjects.runs.cause_rules import causes, in_short
from steps.acceptance.measured import Measured
from steps.design.calculated import design_at
from steps.planning.activity import PlanCriterion
from steps.planning.network.unjudged import noted_before
from steps.stamps import local_day

STATUS: dict[RunStatus, Literal["ok", "failed", "interrupted"]] = {
    "ok": "ok",
    "failed": "failed",
    "cancelled": "interrupted",
    "error": "failed",
}


def outcome_of(
    engine: Engine,
    row: Activity,
    result: PlaybookResult,
    log: Path,
) -> RunOutcome:
    """Return what the ledger judges of a playbook's run. A run that was stopped is interrupted, not failed."""
    measured = _measured(engine, row, result)
    results = (*map(_result, result.hosts), *_not_there(engine, row, result))
    return RunOutcome(
        status=STATUS[result.status],
        results=results,
        measurements=tuple(measured),
        summary=_summary(engine, row, result, results, measured),
        artifacts=_kept(engine, row, log),
        playbook_digest=result.digest,
    )


def _result(host: HostResult) -> ItemResult:
    return ItemResult(host.host, host.status, host.duration_s, host.failed_task, host.message)


def _summary(
    engine: Engine,
    row: Activity,
    result: PlaybookResult,
    results: tuple[ItemResult, ...],
    measured: list[Measured],
) -> str:
    """Return in one line what failed and why, before how many hosts and readings there are."""
    counts = f"{_counted(len(results), 'host')}, {_counted(len(measured), 'reading')}"
    found = causes(results)
    is_said = any(result.message in cause.message for cause in found)
    also = f"it also changed {', '.join(sorted(result.elsewhere))}" if result.elsewhere else ""
    parts = (in_short(found), "" if is_said else result.message, counts, also)
    summary = "; ".join(filter(None, parts))
    read = {m.metric for m in measured if m.value is not None}
    criteria = engine.activities[row.id].criteria
    if failing := _not_met(criteria, measured):
        summary += f"; not met: {', '.join(failing)}"
    if lacking := [c.metric for c in criteria if c.metric not in read]:
        summary += f"; not measured: {', '.join(lacking)}"
    return summary


def _not_met(criteria: Iterable[PlanCriterion], measured: Iterable[Measured]) -> list[str]:
    """Return the metrics that a host failed."""
    readings = grouped((m.metric, m) for m in measured)
    return [found.criterion.metric for found in judgements(criteria, readings) if found.judged.verdict == FAILED]


def _kept(engine: Engine, row: Activity, log: Path) -> tuple[Artifact, ...]:
    """Keep the run's log as evidence. Return nothing where it is empty."""
    if not log.exists() or not log.stat().st_size:
        return ()
    return (Artifact(store(engine.site_dir, log), "run-log", f"{row.plan.step}.log"),)


def _measured(engine: Engine, row: Activity, result: PlaybookResult) -> list[Measured]:
    activity, design = engine.activities[row.id], design_at(engine.plan, row.plan.unit)
    judged = [c.metric for c in activity.criteria]
    also = noted_before(row.plan.step, judged) if activity.also_reads is None else activity.also_reads
    metrics = [*judged, *(read.metric for read in also)]
    today = local_day(engine.clock(), engine.plan.time_zone)
    found: list[Measured] = []
    for host, raw in result.raw.items():
        found += read_metrics(metrics, host, raw, design, today=today)
    return found


def _not_there(engine: Engine, row: Activity, result: PlaybookResult) -> list[ItemResult]:
    """Return the planned nodes for which the inventory has no host, where nodes were played. They make the run incomplete."""
    unit = next(u for u in engine.plan.units if u.id == row.plan.unit)
    if not any(host.host in unit.hosts for host in result.hosts):
        return []
    why = "no host of the inventory is this node: add it to the inventory, and adopt the plan"
    return [ItemResult(node, "skipped", message=why) for node in unit.unmatched]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
