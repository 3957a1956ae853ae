"""People: who is in force, in which roles they may act, and what they are called."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot, one_of, rows_of, table

_OWN = "SELECT role FROM person_role WHERE person = :person"
_PEOPLE = """
SELECT p.id, (SELECT name FROM person_name n WHERE n.id = p.id),
  (SELECT group_concat(role, ' ') FROM person_role r WHERE r.person = p.id), p.organisation, p.account
FROM person p WHERE (:account IS NULL OR p.account = :account) ORDER BY p.rowid"""


class PersonRow(NamedTuple):
    """A person in force."""

    id: str
    name: str
    roles: tuple[str, ...]
    organisation: str
    account: str | None


@table("person_name")
class NameRow(NamedTuple):
    """What a person is called; their id once redacted."""

    id: str
    name: str
    redacted: bool


@table("delegation")
class DelegationRow(NamedTuple):
    """A role lent by a person to another for a time."""

    id: str
    person: str
    to: str
    role: str
    since: datetime
    until: datetime
    withdrawn_at: datetime | None
    reason: str


def people(snapshot: Snapshot) -> list[PersonRow]:
    """Return everyone in force."""
    return _people(snapshot, None)


def person_for_account(snapshot: Snapshot, account: str) -> list[PersonRow]:
    """Return the people for whom an account of the operating system or the database acts."""
    return _people(snapshot, account)


def _people(snapshot: Snapshot, account: str | None) -> list[PersonRow]:
    found = snapshot.db.execute(_PEOPLE, {"account": account})
    return [
        PersonRow(person, name, tuple((roles or "").split()), organisation, theirs)
        for person, name, roles, organisation, theirs in found
    ]


def own_roles(snapshot: Snapshot, person: str) -> set[str]:
    """Return the roles that a person holds, without those that are lent to them."""
    return {role for (role,) in snapshot.db.execute(_OWN, {"person": person})}


def holders(snapshot: Snapshot, role: str) -> set[str]:
    """Return whose own role it is."""
    return {person for (person,) in snapshot.db.execute("SELECT person FROM person_role WHERE role = ?", [role])}


def organisations(snapshot: Snapshot) -> list[str]:
    """Return the organisations to which people of the site belong."""
    found = snapshot.db.execute("SELECT DISTINCT organisation FROM person WHERE organisation <> ''")
    return sorted(name for (name,) in found)


def person_name(snapshot: Snapshot, person: str) -> NameRow | None:
    """Return what a person is called who is or was in force."""
    return one_of(snapshot, NameRow, "WHERE t.id = :person", person=person)


def names(snapshot: Snapshot) -> list[NameRow]:
    """Return what everybody is called who is or was in force."""
    return rows_of(snapshot, NameRow, "ORDER BY t.id")


def delegations(snapshot: Snapshot) -> list[DelegationRow]:
    """Return every delegation, oldest first."""
    return rows_of(snapshot, DelegationRow, "ORDER BY t.id")
