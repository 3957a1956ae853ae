"""What a playbook's result says to the ledger: results a host, readings a metric, the log as evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from flows.ansible.run import PlaybookResult
from flows.engine_state import Engine
from ledger.entries import Artifact, ItemResult, Measured, RunOutcome
from ledger.evidence import store as evidence
from ledger.rules.activity import Activity
from steps.schedule.noted import noted_before

STATUS: dict[str, Literal["ok", "failed", "interrupted"]] = {
    "ok": "ok",
    "failed": "failed",
    "cancelled": "interrupted",
    "error": "failed",
}


def outcome_of(engine: Engine, row: Activity, result: PlaybookResult, digest: str, log: Path) -> RunOutcome:
    """Turn what a playbook did into what the ledger judges; a stopped run is interrupted, not failed."""
    measured = _measured(engine, row, result)
    kept = evidence.store(engine.site_dir, log) if log.exists() and log.stat().st_size else None
    summary = result.message or f"{_counted(len(result.hosts), 'host')}, {_counted(len(measured), 'reading')}"
    read = {m.metric for m in measured if m.value is not None}
    if lacking := [c.metric for c in engine.activities[row.id].criteria if c.metric not in read]:
        summary += f"; not measured: {', '.join(lacking)}"
    return RunOutcome(
        status=STATUS[result.status],
        results=(
            *(ItemResult(h.host, h.status, h.duration_s, h.failed_task) for h in result.hosts),
            *_not_there(engine, row, result),
        ),
        measurements=tuple(measured),
        summary=summary,
        artifacts=(Artifact(kept, "run-log", f"{row.plan.step}.log"),) if kept else (),
        playbook_digest=digest,
    )


def _measured(engine: Engine, row: Activity, result: PlaybookResult) -> list[Measured]:
    if not result.raw:
        return []
    from steps.acceptance.measuring import measure  # parsers are many; a run that read nothing needs none

    activity = engine.activities[row.id]
    judged = [c.metric for c in activity.criteria]
    also = noted_before(row.plan.step, judged) if activity.also_reads is None else activity.also_reads
    metrics = [*judged, *(read.metric for read in also)]
    return [
        Measured(m.metric, m.value, m.unit, item=m.item, source=m.source, note=m.note)
        for host, raw in result.raw.items()
        for m in measure(metrics, host, raw, engine.design_at(row.plan.unit))
    ]


def _not_there(engine: Engine, row: Activity, result: PlaybookResult) -> list[ItemResult]:
    """Give the planned nodes that the inventory has no host for, where nodes were played: without them it is not done."""
    unit = next(u for u in engine.plan.units if u.id == row.plan.unit)
    if not any(host.host in unit.hosts for host in result.hosts):
        return []
    return [ItemResult(node, "skipped", failed_task="no host of the inventory is this node") for node in unit.unmatched]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
