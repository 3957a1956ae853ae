"""What several kinds of event have in common: a reading is kept, an activity reaches its next state."""

from __future__ import annotations

from sqlalchemy import select
from sqlmodel import col

from ledger.events import Event
from ledger.payloads import Reading
from ledger.projector.base import Projection
from ledger.refresh import refresh
from ledger.tables import Activity, Measurement, Ncr, Site


def add_reading(p: Projection, event: Event, reading: Reading, ordinal: int) -> None:
    """Keep one reading for the activity's present attempt."""
    row = p.activity(event.subject)
    p.session.add(
        Measurement(
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
        )
    )


def reach(p: Projection, row: Activity, result: str, event: Event) -> None:
    """Put the activity in the state that was decided; done closes its non-conformances."""
    row.state = result
    if result == "done":
        row.done_at = event.effective_at
        row.finished_at = row.finished_at or event.effective_at
        row.started_at = row.started_at or event.effective_at
        row.simulated = row.simulated or p.session.get_one(Site, 1).rehearsal
        _close_ncrs(p, row, event)
    p.session.flush()
    refresh(p.session, [row.id])


def _close_ncrs(p: Projection, row: Activity, event: Event) -> None:
    """Close what a done activity has answered; what a person set a day for stays open until it is closed."""
    unanswered = select(Ncr).where(col(Ncr.activity) == row.id, col(Ncr.closed_at).is_(None), col(Ncr.due).is_(None))
    for ncr in p.session.scalars(unanswered).all():
        ncr.closed_at = event.effective_at
        ncr.disposition = "accepted under waiver" if row.waived else f"accepted at attempt {row.attempt}"
