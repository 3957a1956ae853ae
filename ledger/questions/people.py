"""People: those in the plan in force, their roles and accounts, their names, and delegations."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot, one_of, rows_of, table

_ON_RECORD = """
SELECT organisation FROM person UNION SELECT organisation FROM activity
UNION SELECT organisation FROM order_line UNION SELECT supplier_name FROM order_line"""
_OWN = "SELECT role FROM person_role WHERE person = :person"
_ROLES = "(SELECT json_group_array(r.role) FROM person_role r WHERE r.person = t.id)"
_VOID = """
t.withdrawn_at IS NOT NULL OR NOT EXISTS
  (SELECT 1 FROM person_role r JOIN person p ON p.id = t."to" WHERE r.person = t.person AND r.role = t.role)"""


@table("person", name="(SELECT n.name FROM person_name n WHERE n.id = t.id)", roles=_ROLES)
class PersonRow(NamedTuple):
    """A person in the plan in force. `account` is that of the operating system or the database."""

    id: str
    name: str
    roles: tuple[str, ...]
    organisation: str
    account: str | None


@table("person_name")
class NameRow(NamedTuple):
    """A person's name. Once it is redacted, `name` is their id."""

    id: str
    name: str
    redacted: bool


@table("delegation", is_void=_VOID)
class DelegationRow(NamedTuple):
    """A role that a person delegated to another one, from `since` until `until`.

    `is_void` is true if it was withdrawn, if the role is not the person's any more, or if one of the two has left the site.
    """

    id: str
    person: str
    to: str
    role: str
    since: datetime
    until: datetime
    withdrawn_at: datetime | None
    reason: str
    is_void: bool


def people(snapshot: Snapshot) -> list[PersonRow]:
    """Return everybody in the plan in force."""
    return rows_of(snapshot, PersonRow, "ORDER BY t.rowid")


def person_for_account(snapshot: Snapshot, account: str) -> list[PersonRow]:
    """Return the people in the plan in force who have this account of the operating system or the database."""
    return rows_of(snapshot, PersonRow, "WHERE t.account = :account ORDER BY t.rowid", account=account)


def own_roles(snapshot: Snapshot, person: str) -> set[str]:
    """Return a person's own roles, without those that are delegated to them."""
    return set(snapshot.column(_OWN, person=person))


def holders(snapshot: Snapshot, role: str) -> set[str]:
    """Return the people whose own role this is."""
    return set(snapshot.column("SELECT person FROM person_role WHERE role = :role", role=role))


def organisations(snapshot: Snapshot) -> list[str]:
    """Return the organisations to which people in the plan in force belong, in alphabetical order."""
    return sorted(snapshot.column("SELECT DISTINCT organisation FROM person WHERE organisation <> ''"))


def organisations_on_record(snapshot: Snapshot) -> list[str]:
    """Return every organisation that people, activities or orders have, suppliers among them, in alphabetical order."""
    return sorted(filter(None, snapshot.column(_ON_RECORD)))


def person_name(snapshot: Snapshot, person: str) -> NameRow | None:
    """Return the name of a person who is or was in a plan in force. None for anybody else."""
    return one_of(snapshot, NameRow, "WHERE t.id = :person", person=person)


def names(snapshot: Snapshot) -> list[NameRow]:
    """Return the names of everybody who is or was in a plan in force."""
    return rows_of(snapshot, NameRow, "ORDER BY t.id")


def delegations(snapshot: Snapshot) -> list[DelegationRow]:
    """Return every delegation, oldest first."""
    return rows_of(snapshot, DelegationRow, "ORDER BY t.id")
