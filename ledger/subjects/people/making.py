"""Payloads about people's authority: delegations, revoked keys, and redacted names."""

from __future__ import annotations

from datetime import datetime

from ledger.questions.moment import Moment
from ledger.questions.people import delegations, holders, names, person_name
from ledger.questions.records import signer_keys, valid_key
from ledger.rules.access import Who
from ledger.rules.permission import refuse_stranger
from ledger.rules.text import require_reason
from ledger.rules.version import WHO_AND_WHEN
from ledger.subjects.again import Tables, about_site
from ledger.subjects.people.payloads import Delegated, KeyRevoked, PersonRedacted, Withdrawn
from schedule.errors import InputError, NotSatisfiedError
from steps.stamps import minute


def delegated(
    moment: Moment,
    actor: str,
    to: str,
    role: str,
    *,
    since: datetime,
    until: datetime,
    reason: str,
) -> Delegated:
    """Return the delegation of one of the actor's own roles to another person, who cannot delegate it again."""
    require_reason(reason, "a delegation")
    if until <= since:
        raise InputError(
            "a delegation ends after it begins",
            hint=f"it would run from {minute(since, moment.terms.zone)} to {minute(until, moment.terms.zone)}",
        )
    moment.may(actor, "delegate", role, theirs=holders(moment.snapshot, role))
    refuse_stranger(moment.actor(to))
    if to == actor:
        raise InputError("one cannot delegate to oneself")
    return Delegated(
        delegation=moment.next_id("delegation"),
        role=role,
        to=to,
        since=since,
        until=until,
        reason=reason,
    )


def withdrawn(moment: Moment, actor: str, delegation: str, reason: str) -> Withdrawn:
    """Return the early end of a delegation. Only the person who made it and the owner may end it."""
    require_reason(reason, "withdrawing a delegation")
    found = next((d for d in delegations(moment.snapshot) if d.id == delegation), None)
    if found is None:
        raise InputError(f"there is no delegation {delegation!r}")
    moment.may(actor, "withdraw", delegation, theirs={found.person})
    if found.withdrawn_at is not None or found.until <= moment.snapshot.now:
        raise NotSatisfiedError(f"{delegation} has ended already")
    return Withdrawn(delegation=delegation, role=found.role, reason=reason)


def key_revoked(
    moment: Moment,
    actor: str,
    person: str,
    reason: str,
    *,
    since: datetime | None = None,
) -> KeyRevoked:
    """Return the end of a person's key, from `since` on, for example the day on which it was lost. None means from now on.

    It ends now at the latest. What the key signed before `since` stays valid. What it signed later is not.

    Before version 4 of the rules a key could go on until a later time, and was revoked only once.
    """
    require_reason(reason, "revoking a key")
    under = moment.may(actor, "revoke_key", person, theirs={person})
    now = moment.snapshot.now
    if moment.rules < WHO_AND_WHEN:
        ends, key = since or now, valid_key(moment.snapshot, person)
    else:
        ends = min(since or now, now)
        key = _key_to_end(moment, person, ends)
    if key is None:
        raise NotSatisfiedError(f"{person} has no valid key")
    return KeyRevoked(
        person=person,
        key=key,
        since=ends,
        reason=reason,
        role="owner" if under == Who.OWNER else "holder",
    )


def _key_to_end(moment: Moment, person: str, ends: datetime) -> str | None:
    """Return the key that a person had at a time. If they had none then, it is their last key, and None if they never had any.

    Raise NotSatisfiedError if that key has ended by then.
    """
    keys = signer_keys(moment.snapshot, person)
    then = [key for key in keys if key.since <= ends and key.counts_after(ends)]
    if not keys:
        return None
    found = (then or keys)[-1]
    if found.until is not None and found.until <= ends:
        zone = moment.terms.zone
        raise NotSatisfiedError(
            f"the key of {person} ended on {minute(found.until, zone)} ({found.reason})",
            hint="a revocation is repeated for an earlier time only: --at",
        )
    return found.key


def person_redacted(moment: Moment, actor: str, person: str, reason: str) -> PersonRedacted:
    """Return that a person's name is redacted: from now on only their id is shown.

    This alone removes nothing. `decisions.people.take_away` removes the documents with the name.
    """
    if not reason.strip():
        raise InputError(
            "redacting a name needs a reason",
            hint="add --reason; it stays in the record, so write no names in it",
        )
    found = person_name(moment.snapshot, person)
    if found is None:
        known = ", ".join(name.id for name in names(moment.snapshot))
        raise InputError(f"nobody at this site is or was called {person!r}", hint=f"people: {known}")
    under = moment.may(actor, "redact", person, theirs={person})
    if found.redacted:
        raise NotSatisfiedError(f"the name of {person} is redacted already")
    role = "the person" if under == Who.THEIRS else under
    return PersonRedacted(person=person, reason=reason, role=role)


AGAIN: Tables = {
    Delegated: about_site(delegated),
    Withdrawn: about_site(withdrawn),
    KeyRevoked: about_site(key_revoked),
    PersonRedacted: about_site(person_redacted),
}
