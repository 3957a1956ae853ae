"""Events back into rows: the one way from the event table to the projections."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlmodel import Session

from ledger.events import HASHED, Event, read_payload
from ledger.projector import apply
from ledger.projector.base import Projection
from ledger.stamps import instant

COLUMNS = (*HASHED, "hash", "signature")
"""The columns of the event table, in the order in which they are read."""


def event_of(row: Mapping[str, Any]) -> Event:
    """Give the event of a stored row; text that does not read is refused in clear words."""
    recorded, effective = instant(row["recorded_at"]), instant(row["effective_at"])
    assert recorded is not None
    assert effective is not None
    return Event(
        seq=row["seq"],
        recorded_at=recorded,
        effective_at=effective,
        actor=row["actor"],
        kind=row["kind"],
        schema_version=row["schema_version"],
        subject=row["subject"],
        plan_revision=row["plan_revision"],
        payload=read_payload(row["kind"], row["schema_version"], row["payload"]),
        hash=row["hash"],
    )


class Replay:
    """The projections of an empty database, as event after event leaves them."""

    def __init__(self, session: Session, site_dir: Path) -> None:
        """Begin with nothing; documents come from the site's evidence."""
        self.projection = Projection(session, site_dir)

    def apply(self, event: Event) -> None:
        """Go one event on."""
        apply(self.projection, event)
