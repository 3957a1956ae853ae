"""People, and their roles, names, keys and delegations."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.log.chain import Event
from ledger.rules.access import ENGINE
from ledger.rules.rows import ADOPTION, REPLACED
from ledger.rules.version import WHO_AND_WHEN
from ledger.state.projection import Handlers, Projection, stored
from ledger.subjects.people.payloads import Delegated, KeyRevoked, PersonRedacted, Withdrawn
from ledger.subjects.plan.applying import columns_from
from ledger.subjects.plan.payloads import Genesis, PlanAdopted
from ledger.trust.ssh import plain_key

REVOKED = "revoked"

_ENDS_LATER = "SELECT person, key FROM signer_key WHERE reason = :reason AND until > :now ORDER BY seq"
_END = "UPDATE signer_key SET until = :now WHERE person = :person AND key = :key AND until > :now"


def enrol_owner(p: Projection, event: Event, payload: Genesis) -> None:
    """Enrol the owner's key, valid from the first event on."""
    if payload.owner_key is not None:
        _enrol(p, event, payload.owner, plain_key(payload.owner_key))


def revise_people(p: Projection, event: Event, payload: PlanAdopted) -> None:
    """Put the plan's people in force, with their roles, names and keys."""
    p.run("DELETE FROM person")
    p.run("DELETE FROM person_role")
    for person in p.plan(payload.document).people:
        p.add("person", **columns_from("person", person))
        for role in dict.fromkeys(person.roles):
            p.add("person_role", person=person.id, role=role)
    _name_people(p, payload)
    _revise_keys(p, event, payload)


def _name_people(p: Projection, payload: PlanAdopted) -> None:
    """Read the names of a plan's people from their documents. A redacted person keeps their id for a name.

    A plan of the first release has the names itself.
    """
    redacted = dict(p.ask("SELECT id, redacted FROM person_name"))
    for person in p.plan(payload.document).people:
        digest = (payload.people or {}).get(person.id)
        name = person.name if payload.people is None else digest and p.files.name_in(digest)
        if person.id not in redacted:
            p.add("person_name", id=person.id, name=name or person.id)
        elif not redacted[person.id]:
            p.update("person_name", person.id, name=name or person.id)


def _revise_keys(p: Projection, event: Event, payload: PlanAdopted) -> None:
    """Make the keys of a plan's people and of the engine valid from its adoption on, and end the validity of keys that it no longer names.

    A key that was revoked stays invalid.
    """
    plan = p.plan(payload.document)
    wanted = {person.id: plain_key(person.ssh_key) for person in plan.people if person.ssh_key}
    if plan.engine_key:
        wanted[ENGINE] = plain_key(plan.engine_key)
    _end_others(p, event, wanted)
    for person, key in p.ask("SELECT person, key FROM signer_key WHERE until IS NULL ORDER BY seq"):
        if wanted.get(person) == key:
            del wanted[person]
        else:
            p.run(
                "UPDATE signer_key SET until = :until, reason = :reason"
                " WHERE person = :person AND key = :key AND until IS NULL",
                until=stored(event.recorded_at + ADOPTION),
                reason=REPLACED,
                person=person,
                key=key,
            )
    revoked = set(p.ask("SELECT person, key FROM signer_key WHERE reason = :reason", reason=REVOKED))
    for person, key in wanted.items():
        if (person, key) not in revoked:
            _enrol(p, event, person, key)


def _end_others(p: Projection, event: Event, keys: Mapping[str, str]) -> None:
    """End the keys of people that were revoked for a later time, except the one that is named for each of them.

    Only before version 4 of the rules could a key be revoked for a later time.
    """
    if p.rules < WHO_AND_WHEN:
        return
    now = stored(event.recorded_at)
    for person, key in p.ask(_ENDS_LATER, reason=REVOKED, now=now):
        if keys.get(person, key) != key:
            p.run(_END, person=person, key=key, now=now)


def _enrol(p: Projection, event: Event, person: str, key: str) -> None:
    p.add(
        "signer_key",
        seq=event.seq,
        person=person,
        key=key,
        since=event.recorded_at,
    )


def revoke_key(p: Projection, event: Event, payload: KeyRevoked) -> None:
    """End the validity of a revoked key. An earlier end stays."""
    p.run(
        "UPDATE signer_key SET until = :until, reason = :reason"
        " WHERE person = :person AND key = :key AND (until IS NULL OR until > :until)",
        until=stored(payload.since),
        reason=REVOKED,
        person=payload.person,
        key=payload.key,
    )
    _end_others(p, event, {payload.person: payload.key})


def hide_name(p: Projection, person: str) -> None:
    """Replace a person's name by their id. A later plan does not bring the name back."""
    p.run(
        "INSERT INTO person_name (id, name, redacted) VALUES (:person, :person, 1)"
        " ON CONFLICT (id) DO UPDATE SET name = :person, redacted = 1",
        person=person,
    )


def delegate(p: Projection, event: Event, payload: Delegated) -> None:
    """Add a delegation."""
    p.record("delegation", event, payload, id=payload.delegation)


def withdraw(p: Projection, event: Event, payload: Withdrawn) -> None:
    """Note that a delegation was ended early."""
    p.update("delegation", payload.delegation, withdrawn_at=event.effective_at)


HANDLERS: Handlers = {
    Genesis: enrol_owner,
    PlanAdopted: revise_people,
    KeyRevoked: revoke_key,
    PersonRedacted: lambda p, _, said: hide_name(p, said.person),
    Delegated: delegate,
    Withdrawn: withdraw,
}
