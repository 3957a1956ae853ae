"""Appending: the next place in the chain, the event and everything it changes, in one transaction.

The caller holds the write lock (BEGIN IMMEDIATE), so the head cannot move between reading and writing.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import func, insert, select
from sqlmodel import Session, col

from ledger.events import FIRST_HASH, Draft, Event, canonical, event_hash
from ledger.payloads import PlanAdopted
from ledger.projector import apply
from ledger.projector.base import Projection
from ledger.stamps import stamp
from ledger.tables import EventRow, PlanRevision


def append(session: Session, site_dir: Path, *drafts: Draft) -> list[Event]:
    """Record events in order, apply each to the projections, and give them back with their places."""
    projection = Projection(session, site_dir)
    seq, last = _head(session)
    revision = session.execute(select(func.max(PlanRevision.revision))).scalar() or 0
    recorded = []
    for draft in drafts:
        seq += 1
        if isinstance(draft.payload, PlanAdopted):
            revision = draft.payload.revision
        event, columns = _sealed(draft, seq, revision, last)
        session.execute(insert(EventRow), [columns])
        apply(projection, event)
        last = event.hash
        recorded.append(event)
    return recorded


def _head(session: Session) -> tuple[int, str]:
    row = session.execute(
        select(col(EventRow.seq), col(EventRow.hash)).order_by(col(EventRow.seq).desc()).limit(1)
    ).first()
    return (0, FIRST_HASH) if row is None else (row[0], row[1])


def _sealed(draft: Draft, seq: int, revision: int, last: str) -> tuple[Event, dict[str, object]]:
    now = datetime.now(UTC)
    columns: dict[str, object] = {
        "seq": seq,
        "recorded_at": stamp(now),
        "effective_at": stamp(draft.effective_at),
        "actor": draft.actor,
        "kind": draft.payload.kind,
        "schema_version": draft.payload.version,
        "subject": draft.subject,
        "plan_revision": revision,
        "payload": canonical(draft.payload),
        "prev_hash": last,
    }
    columns["hash"] = event_hash(columns)
    columns["signature"] = draft.signature
    event = Event(
        seq=seq,
        recorded_at=now,
        effective_at=draft.effective_at,
        actor=draft.actor,
        kind=draft.payload.kind,
        schema_version=draft.payload.version,
        subject=draft.subject,
        plan_revision=revision,
        payload=draft.payload,
        hash=str(columns["hash"]),
    )
    return event, columns
