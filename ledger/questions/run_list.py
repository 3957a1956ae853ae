"""Runs of software as lists show them, and what one run left: its output and what check mode had shown."""

from __future__ import annotations

from datetime import datetime
from json import dumps
from typing import Any, NamedTuple

from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import RUN_NOT_DONE
from steps.stamps import instant, moment

_RUNS = """
SELECT r.id, r.activity, coalesce(json_extract(a.plan, '$.title'), ''), coalesce(a.phase, ''), r.attempt, r.host, r.status, r.summary,
  r.started_at, r.settled_at, r.simulated, r.items,
  CASE WHEN r.status IN ('failed', 'interrupted')
    THEN (SELECT count(*) FROM item_result i WHERE i.run = r.id AND i.status IN (SELECT value FROM json_each(:not_done)))
    ELSE 0 END
FROM run r LEFT JOIN activity a ON a.id = r.activity WHERE (:run IS NULL OR r.id = :run)
ORDER BY CASE r.status WHEN 'running' THEN 0 WHEN 'failed' THEN 1 ELSE 2 END, r.started_at DESC, r.id DESC"""
_OUTPUT = """
SELECT e.digest FROM event v JOIN evidence_item e ON e.seq = v.seq
WHERE v.subject = :activity AND v.kind = 'run.settled' AND e.kind = 'run-log'
  AND CASE WHEN json_valid(v.payload) THEN json_extract(v.payload, '$.run') END = :run"""
_DIFFERENCES = """
SELECT summary, differences FROM preview WHERE activity = :activity AND attempt = :attempt"""


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


class PreviewOf(NamedTuple):
    """What check mode had shown before a run: a summary, and the digest of the differences."""

    summary: str
    differences: str


def run_list(snapshot: Snapshot, run: str | None = None) -> list[RunListRow]:
    """Return all runs, or one: those that run first, then those that failed, then the others, each with the newest first."""
    found = snapshot.ask(_RUNS, run=run, not_done=dumps(sorted(RUN_NOT_DONE)))
    return [_row(*columns) for columns in found]


def output_of(snapshot: Snapshot, row: RunListRow) -> str | None:
    """Return the digest of the output that a run left as evidence. None before it is settled, and if it left none."""
    found = snapshot.column(_OUTPUT, activity=row.activity, run=row.id)
    return next(iter(found), None)


def preview_before(snapshot: Snapshot, row: RunListRow) -> PreviewOf | None:
    """Return what check mode showed in the attempt of a run. None if nobody looked."""
    found = snapshot.first(_DIFFERENCES, activity=row.activity, attempt=row.attempt)
    return None if found is None else PreviewOf(*found)


def _row(*columns: Any) -> RunListRow:
    row = RunListRow._make(columns)
    started, settled = moment(columns[8]), instant(columns[9])
    return row._replace(started_at=started, settled_at=settled, simulated=bool(row.simulated))
