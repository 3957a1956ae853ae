"""Work for people: say who is asked, and let go. Their answer comes through the ledger."""

from __future__ import annotations

from flows.engine_state import Engine, Outcome
from ledger.reads import ActivityRow


def ask_person(engine: Engine, row: ActivityRow) -> Outcome:
    """Show in the dashboard who is waited for; the ledger already lists it in their inbox."""
    signers = " or ".join(row.roles)
    if row.kind == "gate":
        return Outcome("Waits for a decision", f"{signers} decides: clusterwright sign {row.id}")
    return Outcome("Waits for a person", f"{row.assignee or row.role} starts it, {signers} signs: {row.id}")
