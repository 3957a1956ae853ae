"""Automation as it stands: what runs now, and what failed and waits for somebody, each with its hosts."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import words
from steps.stamps import moment

_NOW = """
SELECT a.id, json_extract(a.plan, '$.title'), r.id, r.status = 'running', r.started_at, coalesce(r.summary, ''), coalesce(c.hosts, '[]'),
  (SELECT count(*) FROM item_result i WHERE i.run = r.id),
  (SELECT count(*) FROM item_result i WHERE i.run = r.id AND i.status IN ('failed', 'unreachable'))
FROM activity a JOIN run r ON r.activity = a.id AND r.attempt = a.attempt LEFT JOIN claim c ON c.run = r.id
WHERE r.status = 'running' OR (a.state IN ('failed', 'checked_not_met')
  AND r.id = (SELECT max(l.id) FROM run l WHERE l.activity = a.id AND l.attempt = a.attempt))
ORDER BY r.status = 'running', r.started_at DESC"""


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
    return [_run(*row) for row in snapshot.ask(_NOW)]


def _run(
    activity: str,
    title: str,
    run: str,
    is_running: int,
    started_at: str,
    summary: str,
    claimed: str,
    results: int,
    failed: int,
) -> RunNow:
    return RunNow(
        activity,
        title,
        run,
        bool(is_running),
        moment(started_at),
        summary,
        hosts=max(len(words(claimed)), results),
        failed=failed,
    )
