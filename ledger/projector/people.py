"""What people are called, as adopted plans name them, until they are redacted."""

from __future__ import annotations

from sqlmodel import Session

from ledger.events import Event
from ledger.names import name_in
from ledger.payloads import PersonRedacted, PlanAdopted
from ledger.projector.base import Handler, Projection
from ledger.tables import PersonName
from steps.schedule.plan import Plan


def call_people(p: Projection, plan: Plan, payload: PlanAdopted) -> None:
    """Take over the names of a plan's people; plans of the first release hold them themselves."""
    for person in plan.people:
        digest = (payload.people or {}).get(person.id)
        said = person.name if payload.people is None else digest and name_in(p.site_dir, digest)
        row = p.session.get(PersonName, person.id)
        if row is None:
            p.session.add(PersonName(id=person.id, name=said or person.id))
        elif not row.redacted:
            row.name = said or person.id


def redact_name(session: Session, person: str) -> None:
    """Let a person be called by their id for good."""
    row = session.get(PersonName, person) or PersonName(id=person, name=person)
    row.name, row.redacted = person, True
    session.add(row)


def _redacted(p: Projection, event: Event, payload: PersonRedacted) -> None:  # noqa: ARG001
    redact_name(p.session, payload.person)


HANDLERS: dict[str, Handler] = {PersonRedacted.kind: _redacted}
