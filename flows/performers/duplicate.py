"""A step that the list of 195 steps names twice: it is done when the steps that do its work are done."""

from __future__ import annotations

from flows.engine.performer import Outcome
from flows.engine.state import Engine
from ledger.questions.case import activity
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.rules.activity import Activity, State
from ledger.subjects.work.kinds.duplicate_settled import settle_duplicate


def is_due(snapshot: Snapshot, row: Activity) -> bool:
    """Return whether every activity that completes this one is done. True where no other completes it."""
    others = [activity(snapshot, name) for name in row.plan.completed_by]
    return all(other is not None and other.state is State.DONE for other in others)


def complete_duplicate(engine: Engine, row: Activity) -> Outcome:
    """Record that an activity is done by the result of the others."""
    settle_duplicate(engine.ledger, ENGINE, row.id)
    return Outcome("Done", f"completed by {', '.join(row.plan.completed_by)}")
