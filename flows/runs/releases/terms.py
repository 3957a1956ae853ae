"""The terms of a release: which hosts, how many, and everything that Ansible will read, by digest."""

from __future__ import annotations

from typing import NamedTuple

from flows.runs.bundle.digest import run_digest
from flows.runs.inventory.sources import kept_inventory
from flows.runs.process.place import playbooks_folder
from flows.runs.retry_hosts import hosts_left
from ledger.questions.case import require_activity
from ledger.questions.snapshot import Snapshot
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
