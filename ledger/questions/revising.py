"""What the record says of a plan that may replace the one in force. The preview and the adoption of a revision both ask here."""

from __future__ import annotations

from ledger.evidence.plans import read_plan
from ledger.questions.activities import standing
from ledger.questions.case import LookedUp, require_activity
from ledger.questions.snapshot import Snapshot
from ledger.rules.permission import Actor
from ledger.rules.revision import Consequences, Measured, consequences
from steps.schedule.plan import Plan

NOBODY = Actor("", None, {})


def consequences_of(snapshot: Snapshot, plan: Plan) -> Consequences:
    """Return which activities are affected once a plan replaces the one in force."""

    def record(name: str) -> Measured:
        case = LookedUp(snapshot, require_activity(snapshot, name), NOBODY)
        return Measured(case.readings, case.waived)

    return consequences(read_plan(snapshot), plan, standing(snapshot), record)
