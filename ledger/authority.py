"""In which roles a person may act: their own, and those that others let them act in for a time."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import bindparam, or_, select
from sqlmodel import Session, col

from ledger.tables import Delegation, PersonRole

_LENT = (
    select(col(Delegation.role), col(Delegation.id))
    .join(
        PersonRole,
        (col(PersonRole.person) == col(Delegation.person)) & (col(PersonRole.role) == col(Delegation.role)),
    )
    .where(
        col(Delegation.to) == bindparam("person"),
        col(Delegation.since) <= bindparam("now"),
        col(Delegation.until) > bindparam("now"),
        or_(col(Delegation.withdrawn_at).is_(None), col(Delegation.withdrawn_at) > bindparam("now")),
    )
    .order_by(col(Delegation.id))
)
_OWN = select(col(PersonRole.role)).where(col(PersonRole.person) == bindparam("person"))


def roles_at(session: Session, person: str, at: datetime) -> dict[str, str | None]:
    """Give a person's roles at a time, each with the delegation it comes from; none for their own.

    A delegation counts while the one who gave it still holds the role.
    """
    asked = {"person": person, "now": at}
    given = session.execute(_LENT, asked).all()
    own = session.scalars(_OWN, asked).all()
    lent: dict[str, str | None] = {role: delegation for role, delegation in given}  # noqa: C416  rows are not pairs to mypy
    return lent | dict.fromkeys(own, None)
