"""Whose work it is: an activity or an order belongs to an organisation, and only its people report on it.

The owner's roles may always: what a contractor does not write down, the project still has to. Approving is
not reporting; who signs is the policy's to say.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlmodel import col

from ledger.payloads import OrganisationAssigned
from ledger.services.permitting import is_same, may
from ledger.tables import OrderLine, Person
from ledger.writing import Writing
from steps.errors import InputError

if TYPE_CHECKING:
    from ledger.database import Ledger
    from ledger.events import Event


def assign_organisation(
    ledger: Ledger, actor: str, subject: str, organisation: str, *, at: datetime | None = None
) -> Event:
    """Give an activity or an order to an organisation; an empty name takes it back.

    An activity goes to an organisation that has people at the site; a supplier need not have any.
    """
    wanted = organisation.strip()
    with ledger.write() as writing:
        may(writing, actor, "assign_organisation", subject)
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
