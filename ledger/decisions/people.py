"""Decisions about people: delegate a role for a time, revoke a key, and remove a name from the record."""

from __future__ import annotations

from datetime import datetime

from ledger.evidence import names as documents
from ledger.log.chain import Event
from ledger.log.payloads.people import Delegated, KeyRevoked, PersonRedacted, Withdrawn
from ledger.questions.people import delegations, holders, names, person_name
from ledger.questions.records import next_id, valid_key
from ledger.rules.access import Who
from ledger.rules.permission import refuse_stranger
from ledger.rules.reasons import require_reason
from ledger.stores.sqlite import write_anew
from ledger.writing import Ledger
from steps.errors import InputError, NotSatisfiedError


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
    require_reason(reason, "a delegation")
    if until <= since:
        raise InputError(
            "a delegation ends after it begins",
            hint=f"it would run from {since:%Y-%m-%d} to {until:%Y-%m-%d}",
        )
    with ledger.write() as writing:
        asked = writing.at(at)
        writing.may(actor, "delegate", role, theirs=holders(asked, role))
        refuse_stranger(writing.actor(to))
        if to == actor:
            raise InputError("one cannot delegate to oneself")
        payload = Delegated(
            delegation=next_id(asked, "delegation", "D"),
            role=role,
            to=to,
            since=since,
            until=until,
            reason=reason,
        )
        return writing.append(actor, payload, subject=f"role/{role}", at=asked.now)


def withdraw(
    ledger: Ledger,
    actor: str,
    delegation: str,
    reason: str,
    *,
    at: datetime | None = None,
) -> Event:
    """End a delegation early. Only the person who made it and the owner may."""
    require_reason(reason, "withdrawing a delegation")
    with ledger.write() as writing:
        asked = writing.at(at)
        found = next((d for d in delegations(asked) if d.id == delegation), None)
        if found is None:
            raise InputError(f"there is no delegation {delegation!r}")
        writing.may(actor, "withdraw", delegation, theirs={found.person})
        if found.withdrawn_at is not None or found.until <= asked.now:
            raise NotSatisfiedError(f"{delegation} has ended already")
        payload = Withdrawn(delegation=delegation, role=found.role, reason=reason)
        return writing.append(actor, payload, subject=f"role/{found.role}", at=asked.now)


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
    require_reason(reason, "revoking a key")
    with ledger.write() as writing:
        asked = writing.at(at)
        under = writing.may(actor, "revoke_key", person, theirs={person})
        key = valid_key(asked, person)
        if key is None:
            raise NotSatisfiedError(f"{person} has no valid key")
        role = "owner" if under == Who.OWNER else "holder"
        payload = KeyRevoked(
            person=person,
            key=key,
            since=since or asked.now,
            reason=reason,
            role=role,
        )
        return writing.append(actor, payload, subject=f"key/{person}", at=asked.now)


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
    if not reason.strip():
        raise InputError(
            "redacting a name needs a reason",
            hint="add --reason; it stays in the record, so write no names in it",
        )
    with ledger.write() as writing:
        asked = writing.at(at)
        found = person_name(asked, person)
        if found is None:
            known = ", ".join(name.id for name in names(asked))
            raise InputError(f"nobody at this site is or was called {person!r}", hint=f"people: {known}")
        under = writing.may(actor, "redact", person, theirs={person})
        if found.redacted:
            raise NotSatisfiedError(f"the name of {person} is redacted already")
        role = "the person" if under == Who.THEIRS else under
        payload = PersonRedacted(person=person, reason=reason, role=role)
        return writing.append(actor, payload, subject=f"person/{person}", at=asked.now)


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
