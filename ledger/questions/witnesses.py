"""Witness points: what the witnesses were told, and who came."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot, one_of, rows_of, table
from ledger.rules.activity import Activity

_THIS_ATTEMPT = "WHERE t.activity = :name AND t.attempt = :attempt"


@table("invitation", by="t.person")
class InvitationRow(NamedTuple):
    """What witnesses were told: who they are, when it takes place, and until when their notice ran."""

    activity: str
    attempt: int
    roles: tuple[str, ...]
    on: datetime
    earliest: datetime
    agreed: bool
    by: str
    at: datetime


@table("attendance", noted="1", by="t.person")
class AttendanceRow(NamedTuple):
    """A role that is invited. `noted` says that somebody recorded who came; `witness` is None where nobody did."""

    role: str
    noted: bool
    witness: str | None
    note: str
    by: str | None
    at: datetime | None


def invitation(snapshot: Snapshot, row: Activity) -> InvitationRow | None:
    """Return the invitation that counts in this attempt: the latest."""
    latest = f"{_THIS_ATTEMPT} ORDER BY t.seq DESC"
    return one_of(snapshot, InvitationRow, latest, name=row.id, attempt=row.attempt)


def attendances(snapshot: Snapshot, row: Activity) -> list[AttendanceRow]:
    """Return every role that is invited, with who came in this attempt."""
    noted = {a.role: a for a in rows_of(snapshot, AttendanceRow, _THIS_ATTEMPT, name=row.id, attempt=row.attempt)}
    witness = row.plan.policy.witness
    roles = witness.roles if witness else ()
    return [noted.get(role, AttendanceRow(role, False, None, "", None, None)) for role in roles]
