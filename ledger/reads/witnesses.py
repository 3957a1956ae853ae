"""Witness points: what the witnesses were told, and who came."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.reads.connected import Connected, words
from ledger.reads.records import moment_of
from steps.stamps import instant


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


class AttendanceRow(NamedTuple):
    """A role that is invited: `noted` where somebody recorded who came, `witness` is nobody where that role did not."""

    role: str
    noted: bool
    witness: str | None
    note: str
    by: str | None
    at: datetime | None


class WitnessReads(Connected):
    """Questions about witnesses of one activity, in its present attempt."""

    def invitation(self, name: str) -> InvitationRow | None:
        """Give the invitation that counts: the latest."""
        r = self.row(
            'SELECT i.activity, i.attempt, i.roles, i."on", i.earliest, i.agreed, i.person, i.at FROM invitation i'
            " JOIN activity a ON a.id = i.activity AND a.attempt = i.attempt WHERE i.activity = ? ORDER BY i.seq DESC",
            name,
        )
        if r is None:
            return None
        return InvitationRow(
            r[0], r[1], words(r[2]), moment_of(r[3]), moment_of(r[4]), bool(r[5]), r[6], moment_of(r[7])
        )

    def attendances(self, name: str) -> list[AttendanceRow]:
        """Give every role that is invited, with who came."""
        invited = self.row("SELECT witnesses, attempt FROM activity WHERE id = ?", name)
        if invited is None:
            return []
        noted = {
            r[0]: AttendanceRow(r[0], True, r[1], r[2], r[3], instant(r[4]))
            for r in self.rows(
                "SELECT role, witness, note, person, at FROM attendance WHERE activity = ? AND attempt = ?",
                name,
                invited[1],
            )
        }
        return [noted.get(role, AttendanceRow(role, False, None, "", None, None)) for role in words(invited[0])]
