"""Whom the next attempt touches: all hosts, or those that are left of the attempt before it."""

from __future__ import annotations

from flows.runs.bundle.digest import same_playbook
from ledger.questions.activities import hosts_of
from ledger.questions.records import runs
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity


def hosts_left(snapshot: Snapshot, row: Activity, digest: str) -> tuple[str, ...]:
    """Return the hosts on which the next run of an activity works. `digest` is that of what it would read.

    Hosts that are done stay done while the playbook is the one that did them. A variable that was changed for another host does
    not bring them back: what is put right for one server must not begin the burn-in of all again.
    """
    if row.attempt > 1:
        done_by = [run.playbook_digest for run in runs(snapshot, row.id) if run.attempt == row.attempt - 1]
        if done_by and done_by[-1] is not None and same_playbook(done_by[-1], digest):
            return hosts_of(snapshot, row.id, done_by[-1])
    return hosts_of(snapshot, row.id, digest)
