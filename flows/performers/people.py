"""Work of people: show who is asked, and end. Their answer comes through the ledger.

A step that the list of 195 steps names twice is asked of nobody: it is done when the steps that do its work are done.
"""

from __future__ import annotations

from flows.engine.performer import Outcome
from flows.engine.state import Engine
from ledger.questions.case import activity
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.rules.activity import Activity, State
from ledger.subjects.work.kinds.duplicate_settled import settle_duplicate
from steps.catalog.terms import PEOPLES_WORK, Kind


def asked_role(row: Activity) -> str:
    """Return the role that is asked: those who sign a gate, or who does the work. Empty where people do not do it."""
    if row.plan.kind not in PEOPLES_WORK or row.plan.completed_by:
        return ""
    return _signers(row) if row.plan.kind is Kind.GATE else row.plan.role


def ask_person(row: Activity) -> Outcome:
    """Show in the dashboard who is waited for. The ledger lists the activity in their inbox already."""
    if row.plan.kind is Kind.GATE:
        return Outcome("Awaiting sign-off", f"{_signers(row)} decides: clusterwright sign {row.id}", asked=True)
    who = row.assignee or row.plan.role
    return Outcome(
        "Waits for a person", f"{who} starts it, {_signers(row)} signs: clusterwright start {row.id}", asked=True
    )


def _signers(row: Activity) -> str:
    return " or ".join(row.plan.policy.roles)


def is_due(snapshot: Snapshot, row: Activity) -> bool:
    """Return whether every activity that completes this one is done. True where no other completes it."""
    others = [activity(snapshot, name) for name in row.plan.completed_by]
    return all(other is not None and other.state is State.DONE for other in others)


def complete_duplicate(engine: Engine, row: Activity) -> Outcome:
    """Record that an activity is done by the result of the others."""
    settle_duplicate(engine.ledger, ENGINE, row.id)
    return Outcome("Done", f"completed by {', '.join(row.plan.completed_by)}")
