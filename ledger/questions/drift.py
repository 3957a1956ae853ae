"""Drift: which finished work of software can be looked at again, who released it, and on which hosts something differs since."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.case import require_activity, select
from ledger.questions.log import events
from ledger.questions.records import RunRow, SignOffRow, items, releases, runs, sign_offs
from ledger.questions.snapshot import Snapshot, rows_of, table
from ledger.rules.activity import Activity, State
from ledger.rules.rows import RUN_DONE, ReleaseRow
from schedule.errors import NotSatisfiedError
from steps.catalog.terms import Effect

STANDS = frozenset({State.DONE, State.AWAITING_SIGN_OFF})
"""States in which what a run has set is to stay as it is."""

_WORK = """
state IN ('done', 'awaiting_sign_off') AND kind = 'automate' AND NOT simulated AND (:name IS NULL OR id = :name)
AND EXISTS (SELECT 1 FROM run r WHERE r.activity = activity.id AND r.attempt = activity.attempt AND r.status = 'ok')"""
_DRIFTED = """
JOIN activity a ON a.id = t.activity AND a.attempt = t.attempt
WHERE a.state IN ('done', 'awaiting_sign_off') AND t.changed <> '[]' AND (:name IS NULL OR a.id = :name)
  AND t.at >= (SELECT max(r.settled_at) FROM run r WHERE r.activity = a.id AND r.attempt = a.attempt)
ORDER BY a.id"""


class Origin(NamedTuple):
    """What set the state of hosts: an activity, its last run, and who released and signed it."""

    row: Activity
    run: RunRow
    hosts: tuple[str, ...]
    release: ReleaseRow | None
    signed: tuple[SignOffRow, ...]


@table("preview", title="json_extract(a.plan, '$.title')", hosts="t.changed")
class DriftRow(NamedTuple):
    """A finding of the last look at an activity: the hosts on which something differs from what its run has set."""

    activity: str
    title: str
    hosts: tuple[str, ...]
    summary: str
    at: datetime


def to_look_at(snapshot: Snapshot, name: str | None = None) -> list[Activity]:
    """Return the finished activities whose runs have changed hosts, in the order of the plan; with a name, only that one."""
    found = (row for row in select(snapshot, _WORK, name=name) if row.plan.playbook)
    return [row for row in found if row.plan.effect is Effect.CHANGE]


def origin(snapshot: Snapshot, name: str) -> Origin:
    """Return what set the state of an activity's hosts. Raise where no run has done that, or where it may not be looked at."""
    found = to_look_at(snapshot, name)
    if not found:
        require_activity(snapshot, name)
        raise NotSatisfiedError(
            f"{name} cannot be looked at: no finished run of it has changed hosts", hint=f"clusterwright why {name}"
        )
    (row,) = found
    of_attempt = [run for run in runs(snapshot, name) if run.attempt == row.attempt]
    *_, run = (run for run in of_attempt if run.status == "ok")
    hosts = [item.host for item in items(snapshot, run.id) if item.status in RUN_DONE]
    used = (release for release in releases(snapshot, name) if release.consumed_by == run.id)
    signed = [one for one in sign_offs(snapshot, name) if one.attempt == row.attempt]
    return Origin(row, run, tuple(hosts), next(used, None), tuple(signed))


def run_at(snapshot: Snapshot, host: str, at: datetime) -> RunRow | None:
    """Return the run that worked on a host at a time. None if there was none."""
    for run in runs(snapshot):
        if run.settled_at is None or not run.started_at <= at <= run.settled_at:
            continue
        if host in {item.host for item in items(snapshot, run.id)}:
            return run
    return None


def hosts_claimed_since(snapshot: Snapshot, seq: int) -> set[str]:
    """Return the hosts of runs that began after the event with this number."""
    found: set[str] = set()
    for event in events(snapshot, seq):
        if event.kind == "run.claimed":
            found.update(event.payload["hosts"])
    return found


def drifted(snapshot: Snapshot, name: str | None = None) -> list[DriftRow]:
    """Return the activities of whose state the last look found differences, all or one."""
    return rows_of(snapshot, DriftRow, _DRIFTED, name=name)
