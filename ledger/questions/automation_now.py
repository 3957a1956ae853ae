"""Automation as it stands: what runs now, and what failed and waits for somebody, each with its hosts."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot, rows_of, table

_RESULTS = "(SELECT count(*) FROM item_result i WHERE i.run = t.id)"
_FAILED = "(SELECT count(*) FROM item_result i WHERE i.run = t.id AND i.status IN ('failed', 'unreachable'))"
_NOW = """
JOIN activity a ON t.activity = a.id AND t.attempt = a.attempt LEFT JOIN claim c ON c.run = t.id
WHERE t.status = 'running' OR (a.state IN ('failed', 'checked_not_met')
  AND t.id = (SELECT max(l.id) FROM run l WHERE l.activity = a.id AND l.attempt = a.attempt))
ORDER BY t.status = 'running', t.started_at DESC"""


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


def automation_now(snapshot: Snapshot) -> list[RunNow]:
    """Return what failed and then what runs, the newest first."""
    return rows_of(snapshot, RunNow, _NOW)
