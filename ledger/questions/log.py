"""Events as they were recorded, and published forecasts."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from ledger.questions.snapshot import Snapshot, rows_of, table

_EVENTS = "WHERE t.seq > :after AND (:subject IS NULL OR t.subject = :subject) ORDER BY t.seq LIMIT :limit"
_FIRST = """
SELECT min(seq) FROM (
  SELECT seq FROM event WHERE (:subject IS NULL OR subject = :subject) ORDER BY seq DESC LIMIT :limit)"""


@table("event")
class EventRow(NamedTuple):
    """An event as it was recorded. A time is None if it cannot be read, and a payload that cannot be read has no fields."""

    seq: int
    recorded_at: datetime | None
    effective_at: datetime | None
    actor: str
    kind: str
    schema_version: int
    subject: str
    plan_revision: int
    payload: dict[str, Any]
    hash: str


@table("forecast", by="t.person")
class ForecastRow(NamedTuple):
    """A published forecast."""

    seq: int
    at: datetime
    by: str
    finish: datetime
    phases: dict[str, str]
    note: str


def events(
    snapshot: Snapshot,
    after: int = 0,
    limit: int | None = None,
    *,
    subject: str | None = None,
) -> list[EventRow]:
    """Return the events after the one with the number `after`, oldest first."""
    most = -1 if limit is None else limit
    found = rows_of(snapshot, EventRow, _EVENTS, after=after, subject=subject, limit=most)
    return [_without_name(event) for event in found]


def last_events(
    snapshot: Snapshot,
    limit: int,
    *,
    subject: str | None = None,
) -> list[EventRow]:
    """Return the last `limit` events, oldest first. Earlier ones are not read."""
    (first,) = snapshot.first(_FIRST, subject=subject, limit=limit)
    return events(snapshot, (first or 1) - 1, subject=subject)


def mentions(snapshot: Snapshot, name: str) -> list[int]:
    """Return the numbers of the events whose text contains a name. Events cannot be changed, so the name stays in them."""
    if not name.strip():
        return []
    return snapshot.column("SELECT seq FROM event WHERE instr(payload, :name) > 0 ORDER BY seq", name=name)


def naming_plans(snapshot: Snapshot) -> list[int]:
    """Return the plan revisions whose own document has people's names. Only the first release wrote such documents."""
    named = "SELECT plan_revision FROM event WHERE kind = 'plan.adopted' AND schema_version = 1 ORDER BY seq"
    return snapshot.column(named)


def forecasts(snapshot: Snapshot) -> list[ForecastRow]:
    """Return published forecasts, newest first."""
    return rows_of(snapshot, ForecastRow, "ORDER BY t.seq DESC")


def _without_name(event: EventRow) -> EventRow:
    """Remove the signer's name from the payload, where the first release stored it. It may have been redacted since."""
    if event.schema_version == 1 and event.kind in {"activity.signed", "activity.rejected"}:
        event.payload.pop("name", None)
    return event
