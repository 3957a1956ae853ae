"""Whose work it is: an activity or an order belongs to an organisation, and only its people report on it.

The owner's roles may always: what a contractor does not write down, the project still has to. Approving is
not reporting; who signs is the policy's to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlmodel import col

from ledger.authority import roles_at
from ledger.payloads import OrganisationAssigned
from ledger.tables import OrderLine, Person
from ledger.writing import ENGINE, Writing
from steps.errors import InputError, NotSatisfiedError

if TYPE_CHECKING:
    from ledger.database import Ledger
    from ledger.events import Event

OWNER_ROLES = ("owner-pm", "sponsor")
"""Roles that may report any organisation's work."""

BUYING_ROLES = (*OWNER_ROLES, "procurement-lead", "buyer")
"""Roles that may write down what a supplier says, and give work to an organisation."""


def assign_organisation(
    ledger: Ledger, actor: str, subject: str, organisation: str, *, at: datetime | None = None
) -> Event:
    """Give an activity or an order to an organisation; an empty name takes it back.

    An activity goes to an organisation that has people at the site; a supplier need not have any.
    """
    wanted = organisation.strip()
    with ledger.write() as writing:
        writing.holds(actor, BUYING_ROLES, f"give {subject} to an organisation")
        if "#" in subject:
            if writing.session.get(OrderLine, subject) is None:
                raise InputError(f"there is no order {subject!r}", hint="`clusterwright orders` lists them")
        else:
            subject = writing.activity(subject).id
            wanted = wanted and known_organisation(writing, wanted)
        return writing.append(actor, OrganisationAssigned(organisation=wanted), subject=subject, at=at)


def known_organisation(writing: Writing, wanted: str) -> str:
    """Give an organisation's name as the site writes it; one that nobody belongs to is refused."""
    known = sorted(set(writing.session.scalars(select(col(Person.organisation)).where(col(Person.organisation) != ""))))
    for name in known:
        if is_same(name, wanted):
            return name
    raise InputError(
        f"nobody at this site belongs to {wanted!r}",
        hint=f"organisations: {', '.join(known) or 'none'}; `organisation` of a person in site.yaml",
    )


def refuse_outsider(
    writing: Writing, actor: str, organisation: str, subject: str, roles: Sequence[str] = OWNER_ROLES
) -> None:
    """Refuse to let one organisation report what was given to another."""
    if not organisation or actor == ENGINE:
        return
    person = writing.person(actor)
    if is_same(person.organisation, organisation) or roles_at(writing.session, actor, writing.when(None)).keys() & set(
        roles
    ):
        return
    raise NotSatisfiedError(
        f"{subject} is {organisation}'s, and {actor} ({person.organisation or 'no organisation'}) may not report on it",
        hint=f"people of {organisation} may, or the roles {', '.join(roles)}",
    )


def is_same(one: str, other: str) -> bool:
    """Say whether two names are one organisation's, however they are typed."""
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
