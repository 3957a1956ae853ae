"""A step the seed lists twice: done when the steps that do its work are done."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from flows.engine_state import Engine
from flows.performer import Outcome
from ledger.decisions.work import settle_duplicate
from ledger.questions.case import activity
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity, State

ENGINE = "engine"


def duplicates_done(site_dir: Path, row: Activity, now: datetime) -> bool:
    """Say whether every activity that completes this one is done."""
    with open_snapshot(site_dir, now) as snapshot:
        others = [activity(snapshot, name) for name in row.plan.completed_by]
    return bool(others) and all(other is not None and other.state is State.DONE for other in others)


def complete_duplicate(engine: Engine, row: Activity) -> Outcome:
    """Record that it is done by the others' result."""
    settle_duplicate(engine.ledger, ENGINE, row.id)
    return Outcome("Done", f"completed by {', '.join(row.plan.completed_by)}")
