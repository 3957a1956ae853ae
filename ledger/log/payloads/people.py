"""Keys, delegations and redacted names."""

from __future__ import annotations

from datetime import datetime

from ledger.log.payloads.base import Decided


class PersonRedacted(Decided):
    """A person is shown by their id alone from here on; the documents with their name were taken away."""

    kind = "person.redacted"
    person: str
    reason: str
    role: str


class KeyRevoked(Decided):
    """A person's key no longer counts: what it signs after `since` does not hold."""

    kind = "key.revoked"
    person: str
    key: str
    since: datetime
    reason: str
    role: str


class Delegated(Decided):
    """A person lets another act in one of their roles for a time."""

    kind = "authority.delegated"
    delegation: str
    role: str
    to: str
    since: datetime
    until: datetime
    reason: str


class Withdrawn(Decided):
    """A delegation ends before its time."""

    kind = "authority.withdrawn"
    delegation: str
    role: str
    reason: str
