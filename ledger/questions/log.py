"""The events themselves, and the forecasts that were published."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, NamedTuple

from ledger.questions.snapshot import Snapshot
from steps.stamps import moment

_EVENTS = """
SELECT seq, recorded_at, effective_at, actor, kind, schema_version, subject, plan_revision, payload, hash FROM event
WHERE seq > :after AND (:subject IS NULL OR subject = :subject) ORDER BY seq LIMIT :limit"""
_FIRST = """
SELECT min(seq) FROM (
  SELECT seq FROM event WHERE (:subject IS NULL OR subject = :subject) ORDER BY seq DESC LIMIT :limit)"""


class EventRow(NamedTuple):
    """An event as recorded."""

    seq: int
    recorded_at: datetime
    effective_at: datetime
    actor: str
    kind: str
    schema_version: int
    subject: str
    plan_revision: int
    payload: dict[str, Any]
    hash: str


class ForecastRow(NamedTuple):
    """A published forecast."""

    seq: int
    at: datetime
    by: str
    finish: datetime
    phases: dict[str, str]
    note: str


def events(
    snapshot: Snapshot, after: int = 0, limit: int | None = None, *, subject: str | None = None
) -> list[EventRow]:
    """Return events after a place in the chain, oldest first."""
    wanted = {"after": after, "subject": subject, "limit": -1 if limit is None else limit}
    return [_event(*row) for row in snapshot.db.execute(_EVENTS, wanted)]


def last_events(
    snapshot: Snapshot,
    limit: int,
    *,
    subject: str | None = None,
) -> list[EventRow]:
    """Return the newest events, oldest of them first, without reading those before."""
    first = snapshot.db.execute(_FIRST, {"subject": subject, "limit": limit}).fetchone()[0]
    return events(snapshot, (first or 1) - 1, subject=subject)


def mentions(snapshot: Snapshot, name: str) -> list[int]:
    """Return the numbers of the events in which somebody wrote a name. They cannot be changed."""
    if not name.strip():
        return []
    found = snapshot.db.execute("SELECT seq FROM event WHERE instr(payload, ?) > 0 ORDER BY seq", [name])
    return [seq for (seq,) in found]


def naming_plans(snapshot: Snapshot) -> list[int]:
    """Return the plan revisions whose document holds names itself, as those of the first release do."""
    named = "SELECT plan_revision FROM event WHERE kind = 'plan.adopted' AND schema_version = 1 ORDER BY seq"
    return [revision for (revision,) in snapshot.db.execute(named)]


def forecasts(snapshot: Snapshot) -> list[ForecastRow]:
    """Return published forecasts, newest first."""
    found = snapshot.db.execute("SELECT seq, at, person, finish, phases, note FROM forecast ORDER BY seq DESC")
    return [
        ForecastRow(seq, moment(at), person, moment(finish), json.loads(phases), note)
        for seq, at, person, finish, phases, note in found
    ]


def _event(
    seq: int,
    recorded: str,
    effective: str,
    actor: str,
    kind: str,
    version: int,
    *rest: Any,
) -> EventRow:
    """Return an event's row. The first release held the signer's name in its payload, which is not for screens."""
    subject, revision, text, digest = rest
    payload: dict[str, Any] = json.loads(text)
    if version == 1 and kind in {"activity.signed", "activity.rejected"}:
        payload.pop("name", None)
    return EventRow(
        seq,
        moment(recorded),
        moment(effective),
        actor,
        kind,
        version,
        subject,
        revision,
        payload,
        digest,
    )
