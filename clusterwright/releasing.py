"""The terms of a release: which hosts, how many, and which playbook by digest."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from clusterwright.planning import playbooks_folder
from ledger.questions.activities import hosts_of
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from steps.errors import NotSatisfiedError


class Terms(NamedTuple):
    """What a person releases."""

    effect: str
    playbook: str
    digest: str
    hosts: tuple[str, ...]


def release_terms(folder: Path, activity: str) -> Terms:
    """Give what a release of an activity would cover now."""
    from flows.ansible.digest import playbook_digest

    with open_snapshot(folder) as reader:
        row = require_activity(reader, activity)
        digest = playbook_digest(playbooks_folder() / row.plan.playbook) if row.plan.playbook else ""
        hosts = hosts_of(reader, activity, digest)
    if row.plan.effect not in {"change", "destructive"} or not row.plan.playbook:
        raise NotSatisfiedError(
            f"{activity} needs no release: " + ("it only reads" if row.plan.playbook else "nothing runs for it")
        )
    if not hosts:
        raise NotSatisfiedError(
            f"{activity} cannot be released: the inventory names no host of {row.plan.unit} for {row.plan.playbook}",
            hint=f"clusterwright why {activity}",
        )
    return Terms(row.plan.effect, row.plan.playbook, digest, hosts)
