"""What people found the facility to be; a result that rested on another value is opened again."""

from __future__ import annotations

from sqlalchemy import select
from sqlmodel import Session, col

from ledger import payloads as say
from ledger.events import Event
from ledger.projector.base import Handler, Projection
from ledger.projector.reopening import mark_resting, open_again
from ledger.refresh import refresh
from ledger.tables import Activity, EvidenceItem, Fact, FactNeed


def _recorded(p: Projection, event: Event, payload: say.FactsRecorded) -> None:
    for again in payload.reopened:
        open_again(p, again.activity, again.why)
    changed = mark_resting(p, [again.activity for again in payload.reopened], event.seq)
    attempt = p.activity(event.subject).attempt
    for ordinal, fact in enumerate(payload.facts):
        p.session.add(
            Fact(
                seq=event.seq,
                ordinal=ordinal,
                unit=payload.unit,
                name=fact.name,
                value=fact.value,
                unit_of_measure=fact.unit,
                source=payload.source,
                activity=event.subject,
                person=event.actor,
                at=event.effective_at,
            )
        )
    for ordinal, left in enumerate(payload.evidence):
        p.session.add(
            EvidenceItem(
                seq=event.seq,
                ordinal=ordinal,
                activity=event.subject,
                attempt=attempt,
                kind=left.evidence,
                name=left.name,
                digest=left.digest,
                size=left.size,
                person=event.actor,
                at=event.effective_at,
            )
        )
    p.session.flush()
    refresh(p.session, changed)


def who_said(session: Session, row: Activity) -> tuple[str, ...]:
    """Give who entered the facts that an activity rests on: they took part in its work, and do not approve it."""
    asked = select(col(FactNeed.name)).where(col(FactNeed.activity) == row.id)
    found = session.execute(
        select(col(Fact.name), col(Fact.person))
        .where(col(Fact.unit) == row.unit, col(Fact.name).in_(asked))
        .order_by(col(Fact.seq))
    )
    return tuple(dict.fromkeys(dict(tuple(pair) for pair in found).values()))


HANDLERS: dict[str, Handler] = {say.FactsRecorded.kind: _recorded}
