"""What several kinds of event have in common: a reading is kept, an activity reaches its next state."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import bindparam, select
from sqlmodel import col

from ledger.events import Event
from ledger.payloads import Left, Reading
from ledger.projector.base import Projection
from ledger.refresh import refresh
from ledger.tables import Activity, EvidenceItem, Measurement, Ncr, Site

_UNANSWERED = select(Ncr).where(
    col(Ncr.activity) == bindparam("activity"), col(Ncr.closed_at).is_(None), col(Ncr.due).is_(None)
)
"""Asked whenever something is done; put together once."""


def add_reading(p: Projection, event: Event, reading: Reading, ordinal: int, *, ncr: str | None = None) -> None:
    """Keep one reading for the activity's present attempt; `ncr` is what a failed one stands under."""
    row = p.activity(event.subject)
    p.keep(
        Measurement,
        seq=event.seq,
        ordinal=ordinal,
        activity=row.id,
        attempt=row.attempt,
        metric=reading.metric,
        item=reading.item,
        value=reading.value,
        unit=reading.unit,
        source=reading.source,
        instrument=reading.instrument,
        note=reading.note,
        person=event.actor,
        at=event.effective_at,
        ncr=ncr,
    )


def add_evidence(p: Projection, event: Event, shown: Left, ordinal: int) -> None:
    """Lay a file on the table for the activity's present attempt."""
    row = p.activity(event.subject)
    p.keep(
        EvidenceItem,
        seq=event.seq,
        ordinal=ordinal,
        activity=row.id,
        attempt=row.attempt,
        kind=shown.evidence,
        name=shown.name,
        digest=shown.digest,
        size=shown.size,
        person=event.actor,
        at=event.effective_at,
    )


def reach(p: Projection, row: Activity, result: str, event: Event) -> None:
    """Put the activity in the state that was decided; done closes its non-conformances."""
    row.state = result
    if result == "done":
        row.done_at = event.effective_at
        row.finished_at = row.finished_at or event.effective_at
        row.started_at = row.started_at or event.effective_at
        row.simulated = row.simulated or p.row(Site, 1).rehearsal
        hold_for_its_time(row, event)
        _close_ncrs(p, row, event)
    refresh(p.unflushed, [row.id])


def hold_for_its_time(row: Activity, event: Event) -> None:
    """Note from which event on and until when an approval holds, where the policy gives it an end."""
    if row.valid_days is not None:
        row.valid_since = event.seq
        row.valid_until = event.effective_at + timedelta(days=row.valid_days)


def _close_ncrs(p: Projection, row: Activity, event: Event) -> None:
    """Close what a done activity has answered; what a person set a day for stays open until it is closed."""
    for ncr in p.unflushed.scalars(_UNANSWERED, {"activity": row.id}).all():
        ncr.closed_at = event.effective_at
        ncr.disposition = "accepted under waiver" if row.waived else f"accepted at attempt {row.attempt}"
