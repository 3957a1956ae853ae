"""Work for people: say who is asked, and let go. Their answer comes through the ledger."""

from __future__ import annotations

from flows.performer import Outcome
from ledger.rules.activity import Activity


def asked_role(row: Activity) -> str:
    """Give who is asked: who signs a gate, who does the work of anything else."""
    return " or ".join(row.plan.policy.roles) if row.plan.kind == "gate" else row.plan.role


def ask_person(row: Activity) -> Outcome:
    """Show in the dashboard who is waited for; the ledger already lists it in their inbox."""
    signers = " or ".join(row.plan.policy.roles)
    if row.plan.kind == "gate":
        return Outcome("Awaiting sign-off", f"{signers} decides: clusterwright sign {row.id}", asked=True)
    who = row.assignee or row.plan.role
    return Outcome("Waits for a person", f"{who} starts it, {signers} signs: clusterwright start {row.id}", asked=True)
