"""Decisions about people: delegate a role for a time, revoke a key, and remove a name from the record."""

from __future__ import annotations

from datetime import datetime

from ledger.evidence import names as documents
from ledger.log.chain import Event
from ledger.making import people as made
from ledger.questions.people import names
from ledger.stores.sqlite import write_anew
from ledger.writing import Ledger


def delegate(
    ledger: Ledger,
    actor: str,
    to: str,
    role: str,
    *,
    since: datetime,
    until: datetime,
    reason: str,
    at: datetime | None = None,
) -> Event:
    """Delegate one of the actor's own roles to another person, from `since` until `until`. They cannot delegate it again."""
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = made.delegated(
            moment,
            actor,
            to,
            role,
            since=since,
            until=until,
            reason=reason,
        )
        return writing.record(moment, actor, payload, subject=f"role/{role}")


def withdraw(
    ledger: Ledger,
    actor: str,
    delegation: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """End a delegation early. Only the person who made it and the owner may."""
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = made.withdrawn(moment, actor, delegation, reason)
        return writing.record(moment, actor, payload, subject=f"role/{payload.role}")


def revoke_key(
    ledger: Ledger,
    actor: str,
    person: str,
    reason: str,
    *,
    since: datetime | None = None,
    at: datetime | None = None,
) -> Event:
    """Revoke a person's key from `since` on, for example from the day on which it was lost. None means from now on.

    What the key signed before that stays valid. What it signed later is not.
    """
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = made.key_revoked(moment, actor, person, reason, since)
        return writing.record(moment, actor, payload, subject=f"key/{person}")


def redact(
    ledger: Ledger,
    actor: str,
    person: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """Record that a person's name is redacted: from now on only their id is shown.

    This alone removes nothing. Call `take_away` afterwards: it removes the documents with the name.
    """
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = made.person_redacted(moment, actor, person, reason)
        return writing.record(moment, actor, payload, subject=f"person/{person}")


def take_away(ledger: Ledger) -> int:
    """Remove the documents that name redacted people, and write the ledger file anew without the names.

    Return how many documents were removed. Call it after `redact`, and again if a removal was interrupted.
    """
    with ledger.write() as writing:
        redacted = [name.id for name in names(writing.at()) if name.redacted]
        digests = [digest for person in redacted for digest in documents.documents_of(ledger.site_dir, person)]
        documents.forget(ledger.site_dir, digests)
    if redacted:
        write_anew(ledger.log.engine)
    return len(digests)
