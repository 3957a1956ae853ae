"""What the record says of a plan that may replace the one in force. The preview and the adoption of a revision both ask here."""

from __future__ import annotations

from ledger.evidence.plans import read_plan
from ledger.questions.activities import standing
from ledger.questions.case import LookedUp, require_activity, select
from ledger.questions.orders import orders
from ledger.questions.snapshot import Snapshot
from ledger.rules.permission import Actor
from ledger.rules.version import FAULTS_AND_INVITATIONS, ITEMS_AND_WAIVERS
from ledger.subjects.plan.payloads import Lot
from ledger.subjects.plan.recutting_rules import recut
from ledger.subjects.plan.revision_rules import Consequences, OnRecord, consequences
from ledger.subjects.plan.taking_over_rules import TakenOver, taken_over
from ledger.subjects.plan.upgrading_rules import Upgrade
from steps.planning.plan import Plan

NOBODY = Actor("", None, {})


def consequences_of(snapshot: Snapshot, plan: Plan) -> Consequences:
    """Return which activities are affected once a plan replaces the one in force."""

    def record(name: str) -> OnRecord:
        case = LookedUp(snapshot, require_activity(snapshot, name), NOBODY)
        return OnRecord(case.readings, case.waived)

    (rules,) = snapshot.first("SELECT rules FROM site")
    dropped = select(snapshot, "NOT in_plan AND state <> 'open'") if rules >= FAULTS_AND_INVITATIONS else ()
    earlier = {row.id: row.plan for row in dropped}
    return consequences(read_plan(snapshot), plan, standing(snapshot), record, earlier)


def recut_by(snapshot: Snapshot, plan: Plan) -> list[Lot]:
    """Return what the deliveries hold of the placed orders that a plan cuts in another way."""
    (rules,) = snapshot.first("SELECT rules FROM site")
    return list(recut(plan, orders(snapshot))) if rules >= ITEMS_AND_WAIVERS else []


def taken_over_by(snapshot: Snapshot, plan: Plan) -> TakenOver:
    """Return what counts as done in a plan because it takes the place of what was done under the one in force."""
    held = read_plan(snapshot)
    if not Upgrade(held, plan).keeps:  # nothing is taken over, so the record need not be asked
        return TakenOver()
    rows = {row.id: row for row in select(snapshot, "state <> 'open'")}
    placed = {row.id: row for row in orders(snapshot)}
    return taken_over(held, plan, rows, placed)
