"""Show the bounds of an activity's run, and where each comes from.

They are how many hosts are played at once, how often a connection is tried again, and how long a connection, a task and the run may
take. `runs` in site.yaml changes them. With waves they are those of each wave.

Example:
    clusterwright limits 034@pod-001

"""

from pathlib import Path

from clusterwright.commands.asking import Asking
from clusterwright.commands.options import ActivityId
from clusterwright.planning import site_at
from flows.runs.bundle.digest import run_digest
from flows.runs.inventory.sources import kept_inventory
from flows.runs.limits.extents import extent_of
from flows.runs.limits.limits import Limit, limits_of
from flows.runs.process.place import playbooks_folder
from flows.runs.releases.terms import hosts_left
from ledger.questions.case import require_activity
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from schedule.errors import NotSatisfiedError


def limits(ask: Asking, activity: ActivityId) -> None:
    with ask.record() as snapshot:
        found = _bounds(ask.folder, snapshot, require_activity(snapshot, activity))
        rows = [(name, *limit) for name, limit in found.items()]
        ask.table(snapshot, rows, ("bound", "value", "from"), lambda row: row, document=lambda: found, right=[1])


def _bounds(folder: Path, snapshot: Snapshot, row: Activity) -> dict[str, Limit]:
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
