"""What people found the facility to be; a result that rested on another value is opened again."""

from __future__ import annotations

from sqlalchemy import bindparam, select
from sqlmodel import Session, col

from ledger import payloads as say
from ledger.events import Event
from ledger.projector.base import Handler, Projection
from ledger.projector.finishing import add_evidence
from ledger.projector.reopening import mark_resting, open_again
from ledger.refresh import refresh
from ledger.tables import Activity, Fact, FactNeed

_ASKED = select(col(FactNeed.name)).where(col(FactNeed.activity) == bindparam("activity"))
"""Asked at every claim, on the connection: the plan alone answers it, and most activities rest on no fact."""


def _recorded(p: Projection, event: Event, payload: say.FactsRecorded) -> None:
    for again in payload.reopened:
        open_again(p, again.activity, again.why)
    changed = mark_resting(p, [again.activity for again in payload.reopened], event.seq)
    for ordinal, fact in enumerate(payload.facts):
        p.keep(
            Fact,
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
    for ordinal, left in enumerate(payload.evidence):
        add_evidence(p, event, left, ordinal)
    refresh(p.unflushed, changed)


def who_said(session: Session, row: Activity) -> tuple[str, ...]:
    """Give who entered the facts that an activity rests on: they took part in its work, and do not approve it."""
    asked = session.connection().scalars(_ASKED, {"activity": row.id}).all()
    if not asked:
        return ()
    found = session.execute(
        select(col(Fact.name), col(Fact.person))
        .where(col(Fact.unit) == row.unit, col(Fact.name).in_(asked))
        .order_by(col(Fact.seq))
    )
    return tuple(dict.fromkeys(dict(tuple(pair) for pair in found).values()))


HANDLERS: dict[str, Handler] = {say.FactsRecorded.kind: _recorded}
