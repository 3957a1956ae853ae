"""Appending: the next place in the chain, the event and everything it changes, in one transaction.

The caller holds the write lock (BEGIN IMMEDIATE), so the head cannot move between reading and writing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select
from sqlmodel import Session, col

from ledger.events import FIRST_HASH, Draft, Event, canonical, event_hash
from ledger.payloads import PlanAdopted
from ledger.projector import apply
from ledger.projector.base import Projection
from ledger.projector.keeping import keep, write_kept
from ledger.refresh import put_off
from steps.stamps import instant, stamp
from ledger.tables import EventRow, PlanRevision
from steps.errors import UnreachableError

CLOCK_TOLERANCE = timedelta(minutes=5)
"""How far a machine's clock may be behind the last event: machines differ, and time services step."""


def machine_clock() -> datetime:
    """Give this machine's time in UTC; a shared ledger goes by its server's instead."""
    return datetime.now(UTC)


_REVISION = select(func.coalesce(func.max(col(PlanRevision.revision)), 0)).scalar_subquery()
_HEAD = (
    select(col(EventRow.seq), col(EventRow.hash), col(EventRow.recorded_at), _REVISION)
    .order_by(col(EventRow.seq).desc())
    .limit(1)
)
"""Run on the connection: the session's own bookkeeping costs more than this; see `benchmarks/ledger_append.py`."""


def append(
    session: Session, site_dir: Path, *drafts: Draft, machine: Callable[[], datetime] = machine_clock
) -> list[Event]:
    """Record events in order, apply each to the projections, and give them back with their places."""
    session.flush()  # the connection's own statement does not see what is pending
    write_kept(session)
    seq, last, before, revision = session.connection().execute(_HEAD).one_or_none() or (0, FIRST_HASH, None, 0)
    now = _not_before(machine(), None if before is None else instant(before))
    recorded = []
    with put_off(session), session.no_autoflush:
        projection = Projection(session, site_dir)
        if len(drafts) > 1:
            projection.read_ahead(draft.subject for draft in drafts)
        for draft in drafts:
            seq += 1
            if isinstance(draft.payload, PlanAdopted):
                revision = draft.payload.revision
            event, columns = _sealed(draft, seq, revision, last, now)
            keep(session, EventRow, **columns)
            apply(projection, event)
            last = event.hash
            recorded.append(event)
    return recorded


def _not_before(now: datetime, before: datetime | None) -> datetime:
    """Give the machine's time, never before the last event's; a clock that is far behind is refused."""
    if before is None or now >= before:
        return now
    if before - now > CLOCK_TOLERANCE:
        raise UnreachableError(
            f"this machine's clock says {now:%Y-%m-%d %H:%M}Z; the last event was recorded at {before:%Y-%m-%d %H:%M}Z",
            hint="set the clock (chronyc tracking); nothing was recorded",
        )
    return before


def _sealed(draft: Draft, seq: int, revision: int, last: str, now: datetime) -> tuple[Event, dict[str, object]]:
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
