"""What every projection works on: the open transaction, the evidence, and the rows it changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlmodel import Session

from ledger.events import Event
from ledger.tables import Activity
from steps.errors import UnreachableError


@dataclass(frozen=True)
class Projection:
    """A transaction over the projections, and where the evidence lies."""

    session: Session
    site_dir: Path

    def activity(self, name: str) -> Activity:
        """Give an activity's row; that it is there was checked before the event was recorded."""
        row = self.session.get(Activity, name)
        if row is None:
            raise UnreachableError(f"an event speaks of {name}, which no plan holds", hint="`clusterwright audit`")
        return row


Handler = Callable[[Projection, Event, Any], None]
"""Applies one kind of payload."""


def next_attempt(row: Activity, state: str) -> None:
    """Begin the next attempt: what the last one showed no longer counts."""
    row.attempt += 1
    row.state = state
    row.finished_at = None
    row.done_at = None
    row.performers = ()
    row.items_done = None
    row.percent = None
    row.stale_since = None
    row.waived = row.attested = row.simulated = row.before = False
    if state == "open":
        row.started_at = None
