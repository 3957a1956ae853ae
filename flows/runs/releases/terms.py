"""The terms of a release: which hosts, how many, and everything that Ansible will read, by digest; and whether one covers a run."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from flows.runs.bundle.digest import run_digest, same_playbook, why_lapsed
from flows.runs.inventory.sources import kept_inventory
from flows.runs.process.place import playbooks_folder
from ledger.questions.activities import hosts_of
from ledger.questions.case import require_activity
from ledger.questions.records import live_releases, runs
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.subjects.runs.rules import release_for
from schedule.errors import NotSatisfiedError
from steps.catalog.terms import CHANGING


class Terms(NamedTuple):
    """What a person releases."""

    effect: str
    playbook: str
    digest: str
    hosts: tuple[str, ...]


def release_terms(snapshot: Snapshot, activity: str) -> Terms:
    """Return what a release of an activity would cover now. Raise where there is nothing to release."""
    row = require_activity(snapshot, activity)
    plan = row.plan
    if plan.playbook is None:
        raise NotSatisfiedError(f"{activity} needs no release: nothing runs for it")
    if plan.effect is None or plan.effect not in CHANGING:
        raise NotSatisfiedError(f"{activity} needs no release: it only reads")
    inventory = kept_inventory(snapshot.site_dir)
    digest = run_digest(playbooks_folder() / plan.playbook, inventory) if inventory else ""
    hosts = hosts_left(snapshot, row, digest) if digest else ()
    if not hosts:
        raise NotSatisfiedError(
            f"{activity} cannot be released: the inventory names no host of {plan.unit} for {plan.playbook}",
            hint=f"clusterwright why {activity}",
        )
    return Terms(plan.effect, plan.playbook, digest, hosts)


def not_released(snapshot: Snapshot, row: Activity, hosts: Collection[str], digest: str) -> NotSatisfiedError | None:
    """Return why no release covers a run of an activity on these hosts. None if one does, or if the run needs none.

    `digest` is that of what the run would read.
    """
    live = live_releases(snapshot, row.id, row.attempt)
    try:
        release_for(row, live, hosts, digest)
    except NotSatisfiedError as refused:
        lapsed = why_lapsed(live[0].playbook_digest, digest) if live else ""
        return NotSatisfiedError(f"{refused.what}{f' ({lapsed})' if lapsed else ''}", hint=refused.hint)
    return None


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
