"""Work of people: show who is asked, and end. Their answer comes through the ledger."""

from __future__ import annotations

from flows.engine.performer import Outcome
from ledger.rules.activity import Activity
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
