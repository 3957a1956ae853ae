"""A look at what an automated step would change, before anybody releases it."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from pathlib import Path

from clusterwright.planning import playbooks_folder
from clusterwright.releasing import release_terms
from flows.ansible.previewing import Differences, look
from flows.ansible.run import RunSpec, require_ansible
from flows.ansible.sources import kept_inventory
from flows.ansible.variables import variables_of
from ledger.decisions.runs import record_preview
from ledger.evidence.plans import read_plan
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.writing import Ledger
from steps.errors import NotSatisfiedError


def preview(folder: Path, activity: str) -> Differences:
    """Run an activity's playbook in check mode and keep what it showed, for those who release it."""
    terms = release_terms(folder, activity)
    inventory = kept_inventory(folder)
    if inventory is None:
        raise NotSatisfiedError(f"there is no inventory to preview {activity} on", hint="`inventory` in site.yaml")
    require_ansible()
    with open_snapshot(folder) as reader:
        state = require_activity(reader, activity).state
        plan = read_plan(reader)
    if state is not State.READY:
        raise NotSatisfiedError(
            f"{activity} is {state.value}: there is nothing to release", hint=f"clusterwright why {activity}"
        )
    planned = next(a for a in plan.activities if a.id == activity)
    runs = folder.resolve() / ".clusterwright" / "runs"
    seen = look(
        RunSpec(
            playbook=playbooks_folder() / terms.playbook,
            inventory=inventory,
            hosts=terms.hosts,
            extra_vars=variables_of(plan, planned),
            work_dir=runs / f"preview-{uuid.uuid4().hex[:12]}",
            log=runs / "preview.log",
        )
    )
    with Ledger.open(folder, clock=lambda: datetime.now(UTC)) as ledger:
        record_preview(
            ledger,
            activity,
            hosts=terms.hosts,
            playbook_digest=terms.digest,
            differences=seen.text,
            summary=seen.summary,
        )
    return seen
