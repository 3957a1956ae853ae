"""What was recorded about activities and runs, row by row."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from ledger.reads.connected import Connected, words
from ledger.reads.record_rows import (
    AttestationRow,
    ClaimRow,
    CommentRow,
    EvidenceRow,
    ItemRow,
    MeasurementRow,
    NcrRow,
    PreviewRow,
    PunchRow,
    ReleaseRow,
    RequestRow,
    RunRow,
    SignerKeyRow,
    SignOffRow,
    WaiverRow,
)
from steps.stamps import day, instant
from steps.value import text_value

_NEVER = datetime.min.replace(tzinfo=UTC)


def moment_of(text: str | None) -> datetime:
    """Give the instant of a stamp that is always there."""
    return instant(text) or _NEVER


class RecordReads(Connected):
    """Questions about single records."""

    def measurements(self, name: str) -> list[MeasurementRow]:
        """Give every measurement of an activity, all attempts, oldest first."""
        found = self.rows(
            "SELECT seq, activity, attempt, metric, item, value, unit, source, instrument, note,"
            " person, at FROM measurement WHERE activity = ? ORDER BY seq, ordinal",
            name,
        )
        return [MeasurementRow._make((*r[:5], text_value(r[5]), *r[6:11], moment_of(r[11]))) for r in found]

    def evidence(self, name: str) -> list[EvidenceRow]:
        """Give the evidence laid on the table for an activity, all attempts."""
        found = self.rows(
            "SELECT seq, activity, attempt, kind, name, digest, size, person, at"
            " FROM evidence_item WHERE activity = ? ORDER BY seq, ordinal",
            name,
        )
        return [EvidenceRow._make((*r[:8], moment_of(r[8]))) for r in found]

    def signer_keys(self) -> list[SignerKeyRow]:
        """Give every key that counts or counted, in the order of enrolment."""
        found = self.rows("SELECT person, key, since, until, reason FROM signer_key ORDER BY seq, person")
        return [SignerKeyRow(r[0], r[1], moment_of(r[2]), instant(r[3]), r[4]) for r in found]

    def sign_offs(self, name: str | None = None) -> list[SignOffRow]:
        """Give approvals and rejections of an activity, or of all."""
        found = self._about(
            "SELECT seq, activity, attempt, person, coalesce((SELECT name FROM person_name n WHERE n.id = person), person),"
            " role, decision, meaning, comment, assurance, at, witnessed FROM sign_off",
            name,
            "seq",
        )
        return [SignOffRow._make((*r[:10], moment_of(r[10]), r[11])) for r in found]

    def runs(self, name: str | None = None) -> list[RunRow]:
        """Give the runs of an activity, or of all, oldest first."""
        found = self._about(
            "SELECT id, activity, attempt, owner, host, status, result, summary, started_at,"
            " settled_at, playbook_digest, simulated, items FROM run",
            name,
            "started_at, id",
        )
        return [RunRow._make((*r[:8], moment_of(r[8]), instant(r[9]), r[10], bool(r[11]), r[12])) for r in found]

    def items(self, run: str) -> list[ItemRow]:
        """Give what a run did, host by host."""
        found = self.rows(
            "SELECT run, host, status, duration_s, failed_task FROM item_result WHERE run = ? ORDER BY host",
            run,
        )
        return [ItemRow(r[0], r[1], r[2], float(r[3]), r[4]) for r in found]

    def ncrs(self, open_only: bool = False, name: str | None = None) -> list[NcrRow]:
        """Give non-conformances, oldest first."""
        found = self.rows(
            "SELECT id, activity, attempt, ncr_class, reason, opened_by, opened_at, closed_at,"
            " disposition, decided, owner, due,"
            " (SELECT count(*) FROM (SELECT attempt FROM sign_off s WHERE s.activity = ncr.activity"
            "   AND s.attempt > ncr.attempt AND (ncr.closed_at IS NULL OR s.at <= ncr.closed_at)"
            "  UNION SELECT attempt FROM run u WHERE u.activity = ncr.activity AND u.status IN ('ok', 'failed')"
            "   AND u.attempt > ncr.attempt AND (ncr.closed_at IS NULL OR u.settled_at <= ncr.closed_at)))"
            " + (SELECT count(*) FROM (SELECT c.seq FROM item_check f JOIN item_check c ON c.activity = f.activity"
            "   AND c.attempt = f.attempt AND c.item = f.item AND c.seq > f.seq WHERE f.ncr = ncr.id"
            "   AND (ncr.closed_at IS NULL OR c.at <= ncr.closed_at)"
            "  UNION SELECT m.seq FROM measurement f JOIN measurement m ON m.activity = f.activity"
            "   AND m.attempt = f.attempt AND m.metric = f.metric AND m.item = f.item AND m.seq > f.seq"
            "   WHERE f.ncr = ncr.id AND (ncr.closed_at IS NULL OR m.at <= ncr.closed_at)))"
            " FROM ncr WHERE (closed_at IS NULL OR NOT ?)"
            " AND (? IS NULL OR activity = ?) ORDER BY id",
            open_only,
            name,
            name,
        )
        return [NcrRow._make((*r[:6], moment_of(r[6]), instant(r[7]), *r[8:11], day(r[11]), r[12])) for r in found]

    def punch(self, today: date, organisation: str | None = None) -> list[PunchRow]:
        """Give what is left to make good, by trade, class and due date; a waiver of an earlier attempt is spent."""
        found = self.rows(
            "SELECT n.id, 'ncr', n.activity, n.ncr_class, a.role, n.owner, n.due,"
            " CASE WHEN n.decided = '' THEN n.reason ELSE n.decided || ': ' || n.reason END"
            " FROM ncr n JOIN activity a ON a.id = n.activity"
            " WHERE n.closed_at IS NULL AND (?1 IS NULL OR a.organisation = ?1)"
            " UNION ALL SELECT w.id, 'waiver', w.activity, a.ncr_class, a.role, w.person, w.due, w.metric || ': ' || w.reason"
            " FROM waiver w JOIN activity a ON a.id = w.activity AND a.attempt = w.attempt"
            " WHERE (?1 IS NULL OR a.organisation = ?1)",
            organisation,
        )
        dues = [(r, day(r[6])) for r in found]
        rows = [PunchRow._make((*r[:6], due, due is not None and due < today, r[7])) for r, due in dues]
        return sorted(rows, key=lambda p: (p.trade, p.ncr_class, p.due or date.max, p.id))

    def comments(self, name: str) -> list[CommentRow]:
        """Give what people wrote about an activity."""
        found = self.rows(
            "SELECT seq, activity, person, text, at FROM comment WHERE activity = ? ORDER BY seq",
            name,
        )
        return [CommentRow._make((*r[:4], moment_of(r[4]))) for r in found]

    def waivers(self, name: str | None = None) -> list[WaiverRow]:
        """Give waivers, which are punch items, by due date."""
        found = self._about(
            "SELECT id, activity, attempt, metric, reason, due, person, role, at FROM waiver",
            name,
            "due, id",
        )
        return [WaiverRow._make((*r[:5], day(r[5]) or _NEVER.date(), r[6], r[7], moment_of(r[8]))) for r in found]

    def attestations(self, name: str | None = None) -> list[AttestationRow]:
        """Give every attestation ever made."""
        found = self._about(
            "SELECT seq, activity, attempt, person, reason, digests, at FROM attestation",
            name,
            "seq",
        )
        return [AttestationRow._make((*r[:5], words(r[5]), moment_of(r[6]))) for r in found]

    def requests(self, open_only: bool = True) -> list[RequestRow]:
        """Give what front ends asked for; what is not answered, unless all are wanted."""
        found = self.rows(
            "SELECT id, activity, action, person, at, answered_at, answer FROM request"
            " WHERE (answered_at IS NULL OR NOT ?) ORDER BY id",
            open_only,
        )
        return [RequestRow._make((*r[:4], moment_of(r[4]), instant(r[5]), r[6])) for r in found]

    def preview(self, name: str) -> PreviewRow | None:
        """Give what check mode showed last in the present attempt; None where nobody looked."""
        r = self.row(
            "SELECT p.hosts, p.playbook_digest, p.summary, p.differences, p.at FROM preview p"
            " JOIN activity a ON a.id = p.activity AND a.attempt = p.attempt WHERE a.id = ?",
            name,
        )
        return None if r is None else PreviewRow._make((words(r[0]), *r[1:4], moment_of(r[4])))

    def releases(self, name: str | None = None) -> list[ReleaseRow]:
        """Give releases; `live` ones are of the present attempt and not used up."""
        found = self.rows(
            "SELECT r.id, r.activity, r.attempt, r.hosts, r.count, r.playbook_digest, r.person,"
            " r.role, r.at, r.consumed_by, r.consumed_by IS NULL AND r.attempt = a.attempt"
            " FROM release r JOIN activity a ON a.id = r.activity"
            " WHERE (? IS NULL OR r.activity = ?) ORDER BY r.id",
            name,
            name,
        )
        return [ReleaseRow._make((*r[:3], words(r[3]), *r[4:8], moment_of(r[8]), r[9], bool(r[10]))) for r in found]

    def claims(self) -> list[ClaimRow]:
        """Give who runs what now."""
        found = self.rows(
            "SELECT activity, attempt, run, owner, lease_until, host, boot_id, pid, pgid, hosts"
            " FROM claim ORDER BY activity"
        )
        return [ClaimRow._make((*r[:4], moment_of(r[4]), *r[5:9], words(r[9]))) for r in found]

    def serials(self, tranche: str) -> tuple[str, ...]:
        """Give the serial numbers that came with a delivery."""
        found = self.rows("SELECT serials FROM delivery WHERE tranche = ? ORDER BY seq", tranche)
        return tuple(serial for row in found for serial in words(row[0]))

    def _about(self, sql: str, name: str | None, order: str) -> list[tuple[Any, ...]]:
        where = " WHERE (? IS NULL OR activity = ?) ORDER BY "
        return self.rows(sql + where + order, name, name)
