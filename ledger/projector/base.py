"""What every projection works on: the open transaction, the evidence, and the rows it changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import select, text
from sqlmodel import Session, SQLModel, col

from ledger.events import Event
from ledger.projector.keeping import change, keep
from ledger.tables import Activity
from steps.errors import UnreachableError

Row = TypeVar("Row", bound=SQLModel)


class Projection:
    """A transaction over the projections, and where the evidence lies.

    The rows that handlers ask for here are held: a session forgets at once what nobody holds, and would read it again for
    every event. In a session that does not flush by itself, since nobody looks between its events, what handlers do to these
    rows is written when one of them needs the session itself, and at the end.
    """

    def __init__(self, session: Session, site_dir: Path) -> None:
        """Take an open transaction."""
        self.unflushed = session
        """The session for questions that do not hang on what held rows were changed to; kept rows are written before each."""
        self.site_dir = site_dir
        self._late = not session.autoflush
        self._held: dict[tuple[type[SQLModel], Any], SQLModel] = {}

    @property
    def session(self) -> Session:
        """The session, with everything written; what is changed through it is written with the event."""
        if not self.unflushed.autoflush:
            self.unflushed.flush()
            self.unflushed.autoflush = True
        return self.unflushed

    def settle(self) -> None:
        """End an event."""
        if self._late and self.unflushed.autoflush:
            self.unflushed.flush()
            self.unflushed.autoflush = False

    def activity(self, name: str) -> Activity:
        """Give an activity's row; that it is there was checked before the event was recorded."""
        row = self.unflushed.get(Activity, name)
        if row is None:
            raise UnreachableError(f"an event speaks of {name}, which no plan holds", hint="`clusterwright audit`")
        self._held[Activity, name] = row
        return row

    def read_ahead(self, names: Iterable[str]) -> None:
        """Read the activities that events are about at once; one by one takes three times as long."""
        named = select(text("value")).select_from(text("json_each(:named)")).params(named=json.dumps(list(names)))
        for row in self.unflushed.scalars(select(Activity).where(col(Activity.id).in_(named))):
            self._held[Activity, row.id] = row

    def row(self, table: type[Row], key: str | int) -> Row:
        """Give the row that an earlier event made, written or not."""
        row = self._held.get((table, key))
        if not isinstance(row, table) or row not in self.unflushed:
            row = self.unflushed.get_one(table, key)
            self._held[table, key] = row
        return row

    def keep(self, table: type[SQLModel], **columns: Any) -> None:
        """Add a row, every column by its name; what later events do to it goes through `change`, if anything."""
        keep(self.unflushed, table, **columns)

    def change(self, table: type[SQLModel], key: str, **columns: Any) -> None:
        """Change a kept row that has this id."""
        change(self.unflushed, table, key, **columns)


Handler = Callable[[Projection, Event, Any], None]
"""Applies one kind of payload."""


def next_attempt(row: Activity, state: str) -> None:
    """Begin the next attempt: what the last one showed no longer counts."""
    row.attempt += 1
    row.state = state
    for name, fresh in _FRESH.items():
        if getattr(row, name) != fresh:  # asking costs a tenth of setting, and a replay begins many attempts
            setattr(row, name, fresh)
    if state == "open":
        row.started_at = None


_FRESH: dict[str, Any] = {
    "finished_at": None,
    "done_at": None,
    "performers": (),
    "kept": (),
    "items_done": None,
    "percent": None,
    "stale_since": None,
    "valid_since": None,
    "valid_until": None,
    "waived": False,
    "attested": False,
    "simulated": False,
    "before": False,
}
