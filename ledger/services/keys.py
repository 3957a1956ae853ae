"""Keys are revoked by the owner or by whoever holds them; enrolment is the adoption of a plan that names them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlmodel import col

from ledger.access import Who
from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import KeyRevoked
from ledger.services.permitting import may
from ledger.tables import SignerKey
from steps.errors import InputError, NotSatisfiedError


def revoke_key(
    ledger: Ledger, actor: str, person: str, reason: str, *, since: datetime | None = None, at: datetime | None = None
) -> Event:
    """Let a person's key count no longer, from now or from when it was lost; what it signed before still holds."""
    if not reason.strip():
        raise InputError("revoking a key needs a reason", hint="give --reason")
    with ledger.write() as writing:
        under = may(writing, actor, "revoke_key", person, theirs={person})
        held = writing.session.scalars(
            select(SignerKey).where(col(SignerKey.person) == person, col(SignerKey.until).is_(None))
        ).first()
        if held is None:
            raise NotSatisfiedError(f"{person} has no key that counts")
        payload = KeyRevoked(
            person=person,
            key=held.key,
            since=since or writing.when(at),
            reason=reason,
            role="owner" if under == Who.OWNER else "holder",
        )
        return writing.append(actor, payload, subject=f"key/{person}", at=at)
