"""The bounds that a run of an activity would have now."""

from pathlib import Path

from clusterwright.planning import site_at
from flows.runs.bundle.digest import run_digest
from flows.runs.inventory.sources import kept_inventory
from flows.runs.limits.extents import extent_of
from flows.runs.limits.limits import Limit, limits_of
from flows.runs.process.place import playbooks_folder
from flows.runs.releases.terms import hosts_left
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from schedule.errors import NotSatisfiedError


def bounds_of(folder: Path, snapshot: Snapshot, row: Activity) -> dict[str, Limit]:
    """Return each bound by its name. Raise where nothing runs for an activity, or on no host."""
    inventory = kept_inventory(folder)
    if row.plan.playbook is None or inventory is None:
        raise NotSatisfiedError(f"nothing runs for {row.id}", hint=f"clusterwright why {row.id}")
    playbook = playbooks_folder() / row.plan.playbook
    hosts = hosts_left(snapshot, row, run_digest(playbook, inventory))
    if not hosts:
        raise NotSatisfiedError(f"the inventory names no host for {row.id}", hint=f"clusterwright why {row.id}")
    settings = site_at(folder).runs
    return limits_of(settings, extent_of(settings, row.plan, hosts, playbook, inventory))._asdict()
