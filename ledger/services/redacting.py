"""A person's name is taken out of the record; what they did stays, under their id."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlmodel import col

from ledger import names
from ledger.access import Who
from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import PersonRedacted, PlanAdopted
from ledger.schema import write_anew
from ledger.services.permitting import may
from ledger.tables import EventRow, PersonName
from steps.errors import InputError, NotSatisfiedError


def redact(ledger: Ledger, actor: str, person: str, reason: str, *, at: datetime | None = None) -> Event:
    """Record that a person is shown by their id alone; `take_away` then removes what names them."""
    if not reason.strip():
        raise InputError(
            "redacting a name needs a reason", hint="give --reason; it stays on record, so name nobody in it"
        )
    with ledger.write() as writing:
        held = writing.session.get(PersonName, person)
        if held is None:
            known = ", ".join(writing.session.scalars(select(col(PersonName.id)).order_by(col(PersonName.id))))
            raise InputError(f"nobody at this site is or was called {person!r}", hint=f"people: {known}")
        under = may(writing, actor, "redact", person, theirs={person})
        role = "the person" if under == Who.THEIRS else under
        if held.redacted:
            raise NotSatisfiedError(f"the name of {person} is redacted already")
        payload = PersonRedacted(person=person, reason=reason, role=role)
        return writing.append(actor, payload, subject=f"person/{person}", at=at)


def take_away(ledger: Ledger) -> int:
    """Remove the documents that name people who are redacted; give how many there were.

    It is called once the decision stands, and again whenever a removal was cut short.
    """
    with ledger.write() as writing:
        redacted = writing.session.scalars(select(col(PersonName.id)).where(col(PersonName.redacted))).all()
        digests = [digest for person in redacted for digest in names.documents_of(ledger.site_dir, person)]
        names.forget(ledger.site_dir, digests)
    if redacted:
        write_anew(ledger.engine)
    return len(digests)


def mentions(ledger: Ledger, name: str) -> list[int]:
    """Give the numbers of the events in which somebody wrote a name; they cannot be changed."""
    if not name.strip():
        return []
    with ledger.write() as writing:
        found = select(col(EventRow.seq)).where(func.instr(col(EventRow.payload), name) > 0)
        return list(writing.session.scalars(found.order_by(col(EventRow.seq))))


def naming_plans(ledger: Ledger) -> list[int]:
    """Give the plan revisions whose document holds names itself, as those of the first release do."""
    with ledger.write() as writing:
        found = select(col(EventRow.plan_revision)).where(
            col(EventRow.kind) == PlanAdopted.kind, col(EventRow.schema_version) == 1
        )
        return list(writing.session.scalars(found.order_by(col(EventRow.seq))))
