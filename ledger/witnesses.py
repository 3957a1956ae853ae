"""Who was invited to see an activity done and who came, as its sign-off says it and the audit asks it again."""

from __future__ import annotations

from sqlalchemy import select
from sqlmodel import Session, col

from ledger.payloads import Witnessed
from ledger.tables import Activity, Attendance, Invitation


def attendance(session: Session, row: Activity) -> dict[str, str | None]:
    """Give who came in this attempt, by role; roles of which nothing was noted are not there."""
    found = select(col(Attendance.role), col(Attendance.witness)).where(
        col(Attendance.activity) == row.id, col(Attendance.attempt) == row.attempt
    )
    return {role: witness for role, witness in session.execute(found)}  # noqa: C416  rows are not pairs to mypy


def witnesses_of(session: Session, row: Activity) -> tuple[Witnessed, ...]:
    """Give every role that was invited in this attempt, with who came; none where it was done before Clusterwright."""
    held = invitation(session, row) if row.witnesses else None
    if held is None:
        return ()
    came = attendance(session, row)
    return tuple(Witnessed(role=role, person=came.get(role)) for role in held.roles)


def invitation(session: Session, row: Activity) -> Invitation | None:
    """Give the invitation that counts: the latest of this attempt."""
    return session.scalars(
        select(Invitation)
        .where(col(Invitation.activity) == row.id, col(Invitation.attempt) == row.attempt)
        .order_by(col(Invitation.seq).desc())
        .limit(1)
    ).first()
