"""Keys as the owner's adoptions and revocations leave them, statements as they come, and who must sign."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, insert, select
from sqlmodel import Session, col

from ledger.events import Event
from ledger.payloads import Decided, Genesis, KeyRevoked
from ledger.projector.base import Handler, Projection
from ledger.ssh import plain_key
from ledger.statements import read_statement
from ledger.tables import SignedPolicy, SignerKey, Statement
from steps.schedule.plan import Plan

ADOPTION = timedelta(seconds=1)
"""A key that an adoption replaces still counts for that adoption itself; OpenSSH's times are whole seconds."""


def enrol_owner(session: Session, event: Event, payload: Genesis) -> None:
    """Let the owner's key count from the first event on."""
    if payload.owner_key is not None:
        session.add(
            SignerKey(seq=event.seq, person=payload.owner, key=plain_key(payload.owner_key), since=event.recorded_at)
        )


def enrol(session: Session, event: Event, plan: Plan) -> None:
    """Let the keys of a plan's people count from its adoption, and those it no longer names until then."""
    wanted = {person.id: plain_key(person.ssh_key) for person in plan.people if person.ssh_key}
    for held in keys_in_force(session):
        if wanted.get(held.person) == held.key:
            del wanted[held.person]
        else:
            _end(held, event.recorded_at + ADOPTION, "no longer named by the plan")
    ended = {
        (row.person, row.key)
        for row in session.scalars(select(SignerKey).where(col(SignerKey.reason) == REVOKED)).all()
    }
    for person, key in wanted.items():
        if (person, key) not in ended:
            session.add(SignerKey(seq=event.seq, person=person, key=key, since=event.recorded_at))
    session.flush()


def require_signatures(session: Session, plan: Plan) -> None:
    """Keep which activities ask for a signature."""
    session.execute(delete(SignedPolicy))
    rows: list[dict[str, Any]] = [{"activity": a.id} for a in plan.activities if a.policy.assurance == "signed"]
    if rows:
        session.execute(insert(SignedPolicy), rows)


def keys_in_force(session: Session) -> list[SignerKey]:
    """Give the keys that count now."""
    return list(session.scalars(select(SignerKey).where(col(SignerKey.until).is_(None))).all())


def note_statement(p: Projection, event: Event) -> None:
    """Keep a statement's nonce, so that it is never used again."""
    if isinstance(event.payload, Decided) and event.payload.statement is not None:
        said = read_statement(event.payload.statement)["predicate"]
        p.keep(
            Statement,
            seq=event.seq,
            nonce=said["nonce"],
            subject=event.subject,
            person=event.actor,
            decision=said["decision"],
        )


REVOKED = "revoked"


def _end(held: SignerKey, until: datetime, reason: str) -> None:
    held.until = until
    held.reason = reason


def _revoked(p: Projection, event: Event, payload: KeyRevoked) -> None:  # noqa: ARG001
    for held in p.session.scalars(select(SignerKey).where(col(SignerKey.person) == payload.person)).all():
        if held.key == payload.key and (held.until is None or held.until > payload.since):
            _end(held, payload.since, REVOKED)
    p.session.flush()


HANDLERS: dict[str, Handler] = {KeyRevoked.kind: _revoked}
