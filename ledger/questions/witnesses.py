"""Witness points: the invitations of witnesses, and who came."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot, one_of, rows_of, table
from ledger.rules.activity import Activity

_THIS_ATTEMPT = "WHERE t.activity = :name AND t.attempt = :attempt"


@table("invitation", by="t.person")
class InvitationRow(NamedTuple):
    """An invitation of witnesses: their roles, the time of the activity (`on`), and the end of their notice (`earliest`)."""

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
    """A role that is invited. `noted` is true if somebody recorded who came. `witness` is None if nobody came."""

    role: str
    noted: bool
    witness: str | None
    note: str
    by: str | None
    at: datetime | None


def invitation(snapshot: Snapshot, row: Activity) -> InvitationRow | None:
    """Return the latest invitation of this attempt, which is the one that counts. None if nobody was invited."""
    latest = f"{_THIS_ATTEMPT} ORDER BY t.seq DESC"
    return one_of(snapshot, InvitationRow, latest, name=row.id, attempt=row.attempt)


def attendances(snapshot: Snapshot, row: Activity) -> list[AttendanceRow]:
    """Return every role that the policy invites, with the person who came in this attempt."""
    found = rows_of(snapshot, AttendanceRow, _THIS_ATTEMPT, name=row.id, attempt=row.attempt)
    noted = {attendance.role: attendance for attendance in found}
    witness = row.plan.policy.witness
    roles = witness.roles if witness else ()
    return [noted.get(role) or _not_noted(role) for role in roles]


def _not_noted(role: str) -> AttendanceRow:
    return AttendanceRow(role, noted=False, witness=None, note="", by=None, at=None)
