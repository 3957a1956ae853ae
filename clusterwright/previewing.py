"""A look at what an automated step would change, before anybody releases it."""

import uuid
from pathlib import Path

from flows.engine.reservations import in_turn
from flows.runs.allowing.asked import asked_by_playbook, require_allowed
from flows.runs.drift.preview import Differences, look, record
from flows.runs.inventory.sources import kept_inventory
from flows.runs.means import means_of
from flows.runs.process.place import playbooks_folder, runs_folder
from flows.runs.releases.terms import release_terms
from flows.runs.run import require_ansible
from ledger.entries import Wish
from ledger.evidence.plans import read_plan
from ledger.questions.case import require_activity
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.runs.queue_rules import float_of, wants
from ledger.trust.engine_key import require_key
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError, UnreachableError


def preview(folder: Path, activity: str) -> Differences:
    """Run an activity's playbook in check mode and keep what it showed, for those who release it."""
    with open_snapshot(folder) as snapshot:
        terms = release_terms(snapshot, activity)
        row, plan = require_activity(snapshot, activity), read_plan(snapshot)
        _require_engine_key(snapshot, activity)
    inventory = kept_inventory(folder)
    if inventory is None:
        raise NotSatisfiedError(f"there is no inventory to preview {activity} on", hint="`inventory` in site.yaml")
    require_ansible()
    require_allowed(folder, asked_by_playbook(playbooks_folder(), terms.playbook))
    if row.state is not State.READY:
        raise NotSatisfiedError(
            f"{activity} is {row.state.value}: there is nothing to release", hint=f"clusterwright why {activity}"
        )
    runs, means = runs_folder(folder), means_of(folder, inventory)
    work_dir, log = runs / f"preview-{uuid.uuid4().hex[:12]}", runs / "preview.log"
    spec = means.spec(plan, row.plan, terms.hosts, playbooks_folder(), inventory, work_dir, log)
    wish = Wish(row.id, row.attempt, wants(terms.hosts, row.plan.shares), float_of(row))
    with Ledger.open(folder) as ledger:
        with in_turn(ledger, wish):
            seen = look(spec)
        record(ledger, activity, terms.hosts, seen)
    return seen


def _require_engine_key(snapshot: Snapshot, activity: str) -> None:
    """Raise if the preview could not be recorded. On a signed site every preview is signed with the engine's key."""
    try:
        require_key(snapshot)
    except UnreachableError as error:
        raise UnreachableError(
            f"a preview is recorded with the engine's key: {error.what}",
            hint=f"call it as the account of the engine, or start `clusterwright up`: it looks at {activity} by itself",
        ) from None
