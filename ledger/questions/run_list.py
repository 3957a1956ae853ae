"""Runs of software: as lists show them, those that run or wait for somebody, and what became of the last one of an activity."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.records import items, runs
from ledger.questions.snapshot import Snapshot, rows_of, table
from ledger.rules.rows import ItemRow
from ledger.subjects.runs.cause_rules import Cause, causes

_RESULTS = "(SELECT count(*) FROM item_result i WHERE i.run = t.id)"
_FAILED = "(SELECT count(*) FROM item_result i WHERE i.run = t.id AND i.status IN ('failed', 'unreachable'))"
_NOT_DONE = f"CASE WHEN t.status IN ('failed', 'interrupted') THEN {_FAILED} ELSE 0 END"
_RUNS = """
LEFT JOIN activity a ON a.id = t.activity WHERE (:run IS NULL OR t.id = :run)
ORDER BY CASE t.status WHEN 'running' THEN 0 WHEN 'failed' THEN 1 ELSE 2 END, t.started_at DESC, t.id DESC"""
_OUTPUT = """
SELECT e.digest FROM event v JOIN evidence_item e ON e.seq = v.seq
WHERE v.subject = :activity AND v.kind = 'run.settled' AND e.kind = 'run-log'
  AND CASE WHEN json_valid(v.payload) THEN json_extract(v.payload, '$.run') END = :run"""
_NOW = """
JOIN activity a ON t.activity = a.id AND t.attempt = a.attempt LEFT JOIN claim c ON c.run = t.id
WHERE t.status = 'running' OR (a.state IN ('failed', 'checked_not_met')
  AND t.id = (SELECT max(l.id) FROM run l WHERE l.activity = a.id AND l.attempt = a.attempt))
ORDER BY t.status = 'running', t.started_at DESC"""


@table(
    "run",
    title="coalesce(json_extract(a.plan, '$.title'), '')",
    phase="coalesce(a.phase, '')",
    hosts="t.items",
    not_done=_NOT_DONE,
)
class RunListRow(NamedTuple):
    """A run as lists show it. `hosts` counts those with a result, `not_done` those of them that failed or were not reached."""

    id: str
    activity: str
    title: str
    phase: str
    attempt: int
    host: str
    status: str
    summary: str
    started_at: datetime
    settled_at: datetime | None
    simulated: bool
    hosts: int
    not_done: int


@table(
    "run",
    title="json_extract(a.plan, '$.title')",
    run="t.id",
    is_running="t.status = 'running'",
    hosts=f"max(coalesce(json_array_length(c.hosts), 0), {_RESULTS})",
    failed=_FAILED,
)
class RunNow(NamedTuple):
    """A run that is at work, or the last one of an activity that failed. `failed` counts the hosts that failed or did not answer."""

    activity: str
    title: str
    run: str
    is_running: bool
    started_at: datetime
    summary: str
    hosts: int
    failed: int


class LastRun(NamedTuple):
    """The hosts of an activity's last run, failed ones first, and why hosts are not done."""

    run: str
    attempt: int
    causes: list[Cause]
    hosts: list[ItemRow]


def run_list(snapshot: Snapshot, run: str | None = None) -> list[RunListRow]:
    """Return all runs, or one: those that run first, then those that failed, then the others, each with the newest first."""
    return rows_of(snapshot, RunListRow, _RUNS, run=run)


def automation_now(snapshot: Snapshot) -> list[RunNow]:
    """Return what failed and then what runs, the newest first."""
    return rows_of(snapshot, RunNow, _NOW)


def output_of(snapshot: Snapshot, row: RunListRow) -> str | None:
    """Return the digest of the output that a run left as evidence. None before it is settled, and if it left none."""
    found = snapshot.column(_OUTPUT, activity=row.activity, run=row.id)
    return next(iter(found), None)


def last_run(snapshot: Snapshot, name: str) -> LastRun | None:
    """Return the last run of an activity that has ended. None if there is none."""
    ended = [run for run in runs(snapshot, name) if run.settled_at is not None]
    if not ended:
        return None
    run = ended[-1]
    hosts = items(snapshot, run.id)
    return LastRun(run.id, run.attempt, causes(hosts), hosts)
