"""Events as a list shows them: newest first, each in a line, and no more of them read than asked for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from json import dumps
from typing import Any, NamedTuple

from ledger.questions.log import events
from ledger.questions.orders import said_by
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.stored_fields import fields_of
from ledger.subjects.orders.words import WORDS
from steps.stamps import minute, stamped

LONGEST = 4000
"""Of a payload with more characters, as a plan's, only the kind is shown."""

SHOWN = 200
"""How many characters of a summary are kept."""

_EVENTS = """
SELECT seq, recorded_at, effective_at, actor, kind, subject, coalesce(signature, '') <> '',
  CASE WHEN length(payload) <= :longest THEN payload ELSE '{}' END FROM event
WHERE seq > :after AND (:before IS NULL OR seq < :before) ORDER BY seq DESC LIMIT :most"""

FIRST = ("text", "reason", "comment", "note", "meaning", "result", "summary", "decision", "metric", "value", "name")
"""What says most of a payload comes first, where it is there."""

QUIET = frozenset(
    {"attempt", "role", "plan_revision", "nonce", "statement", "lease_s", "boot_id", "pid", "pgid", "digest"}
)
"""What a line leaves out."""

SIGNED = frozenset({"activity.signed", "activity.rejected"})
"""The first release wrote people's names into these events. A name may have been redacted since, so it is not shown."""


class JournalRow(NamedTuple):
    """An event in one line. `effective_at` is when it happened, `recorded_at` when it was entered; None if it cannot be read."""

    seq: int
    recorded_at: datetime | None
    effective_at: datetime | None
    actor: str
    kind: str
    subject: str
    is_signed: bool
    summary: str

    @property
    def words(self) -> str:
        """The kind as people read it: tranche received."""
        return self.kind.replace(".", " ").replace("_", " ")


def journal(
    snapshot: Snapshot,
    most: int,
    *,
    after: int = 0,
    before: int | None = None,
) -> list[JournalRow]:
    """Return the newest events after one and before another, newest first, and at most so many."""
    found = snapshot.ask(_EVENTS, most=most, after=after, before=before, longest=LONGEST)
    return [_row(columns) for columns in found]


def event_lines(snapshot: Snapshot, seq: int) -> list[str]:
    """Return everything about an event as lines: its columns, then its payload. Empty if there is no such event."""
    found = events(snapshot, seq - 1, 1)
    if not found or found[0].seq != seq:
        return []
    zone = site_of(snapshot).time_zone
    lines = []
    for name, value in found[0]._asdict().items():
        if name != "payload":
            said = f"{minute(value, zone)} {zone}" if isinstance(value, datetime) else value
            lines.append(f"{name.replace('_', ' '):15} {said}")
    signature = snapshot.first("SELECT signature FROM event WHERE seq = :seq", seq=seq)
    lines.append(f"{'signed':15} {'yes' if signature and signature[0] else 'no; the account says who'}")
    payload = dumps(found[0].payload, indent=2, ensure_ascii=False)
    return [*lines, "", *payload.splitlines()]


def _row(columns: tuple[Any, ...]) -> JournalRow:
    seq, recorded, effective, actor, kind, subject, is_signed, payload = columns
    return JournalRow(
        seq,
        stamped(recorded),
        stamped(effective),
        str(actor),
        str(kind),
        str(subject),
        bool(is_signed),
        _summary(str(kind), fields_of(payload)),
    )


def _summary(kind: str, payload: Mapping[str, Any]) -> str:
    """Return what an event says in a line: the sentence of an order's history, else its short values."""
    if kind in SIGNED:
        payload = {name: value for name, value in payload.items() if name != "name"}
    if kind in WORDS and payload:
        return said_by(kind, dict(payload))[:SHOWN]
    names = [name for name in FIRST if name in payload]
    names += [name for name in payload if name not in FIRST and name not in QUIET]
    said = (_said(name, payload[name]) for name in names)
    return " · ".join(filter(None, said))[:SHOWN]


def _said(name: str, value: Any) -> str:
    """Return a value with its name; of a list how many it has, of text what it says. Empty for what is not set."""
    if value is None or value in ("", [], {}, False):
        return ""
    if value is True:
        return name.replace("_", " ")
    if isinstance(value, list | dict):
        return f"{name.replace('_', ' ')}: {len(value)}"
    return str(value) if name in FIRST[:8] else f"{name.replace('_', ' ')} {value}"
