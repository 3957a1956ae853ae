"""The terms of a release: which hosts, how many, and which playbook by digest."""

from typing import NamedTuple

from clusterwright.planning import playbooks_folder
from flows.ansible.digest import playbook_digest
from ledger.questions.activities import hosts_of
from ledger.questions.case import require_activity
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import CHANGING
from steps.errors import NotSatisfiedError


class Terms(NamedTuple):
    """What a person releases."""

    effect: str
    playbook: str
    digest: str
    hosts: tuple[str, ...]


def release_terms(snapshot: Snapshot, activity: str) -> Terms:
    """Return what a release of an activity would cover now. Raise where there is nothing to release."""
    plan = require_activity(snapshot, activity).plan
    if plan.playbook is None:
        raise NotSatisfiedError(f"{activity} needs no release: nothing runs for it")
    if plan.effect is None or plan.effect not in CHANGING:
        raise NotSatisfiedError(f"{activity} needs no release: it only reads")
    digest = playbook_digest(playbooks_folder() / plan.playbook)
    hosts = hosts_of(snapshot, activity, digest)
    if not hosts:
        raise NotSatisfiedError(
            f"{activity} cannot be released: the inventory names no host of {plan.unit} for {plan.playbook}",
            hint=f"clusterwright why {activity}",
        )
    return Terms(plan.effect, plan.playbook, digest, hosts)
