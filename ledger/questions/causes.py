"""What became of each host in the last run of an activity, and why hosts are not done."""

from __future__ import annotations

from typing import NamedTuple

from ledger.questions.records import items, runs
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import ItemRow
from ledger.subjects.runs.cause_rules import Cause, causes


class LastRun(NamedTuple):
    """The hosts of an activity's last run, failed ones first, and why hosts are not done."""

    run: str
    attempt: int
    causes: list[Cause]
    hosts: list[ItemRow]


def last_run(snapshot: Snapshot, name: str) -> LastRun | None:
    """Return the last run of an activity that has ended. None if there is none."""
    ended = [run for run in runs(snapshot, name) if run.settled_at is not None]
    if not ended:
        return None
    run = ended[-1]
    hosts = items(snapshot, run.id)
    return LastRun(run.id, run.attempt, causes(hosts), hosts)
