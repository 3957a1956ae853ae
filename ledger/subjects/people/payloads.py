"""Redacted names, revoked keys and delegations."""

from __future__ import annotations

from pydantic import AwareDatetime

from ledger.log.payload import Decided


class PersonRedacted(Decided):
    """A person's name was redacted. From now on only their id is shown. The documents with their name are removed after this."""

    kind = "person.redacted"
    about = "person/{0.person}"
    person: str
    reason: str
    role: str


class KeyRevoked(Decided):
    """A person's key was revoked. Signatures that it makes after `since` are invalid. Earlier signatures stay valid."""

    kind = "key.revoked"
    about = "key/{0.person}"
    person: str
    key: str
    since: AwareDatetime
    reason: str
    role: str


class Delegated(Decided):
    """A person delegated one of their roles to another person, from `since` until `until`."""

    kind = "authority.delegated"
    about = "role/{0.role}"
    delegation: str
    role: str
    to: str
    since: AwareDatetime
    until: AwareDatetime
    reason: str


class Withdrawn(Decided):
    """A delegation was ended early."""

    kind = "authority.withdrawn"
    about = "role/{0.role}"
    delegation: str
    role: str
    reason: str
