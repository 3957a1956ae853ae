"""People, and what waits for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from ledger.access import roles_for
from ledger.reads.connected import text_of, words
from ledger.reads.explaining import ExplainingReads
from ledger.reads.record_rows import DelegationRow, OverrideRow
from ledger.reads.records import moment_of
from ledger.reads.rows import ActivityRow, InboxRow, NameRow, PersonRow
from ledger.reads.supplies import SupplyReads
from steps.stamps import instant
from ledger.transitions import State


class PeopleReads(ExplainingReads, SupplyReads):
    """Questions about people and their inboxes."""

    def people(self) -> list[PersonRow]:
        """Give everyone in force."""
        return self._people("1")

    def person_name(self, person: str) -> NameRow | None:
        """Give what a person is called who is or was in force."""
        row = self.row("SELECT id, name, redacted FROM person_name WHERE id = ?", person)
        return None if row is None else NameRow(row[0], row[1], bool(row[2]))

    def person_for_account(self, account: str) -> list[PersonRow]:
        """Give the people an operating-system account stands for."""
        return self._people("p.account = ?", account)

    def roles_of(self, person: str, now: datetime) -> set[str]:
        """Give the roles in which a person may act now: their own, and those lent to them."""
        lent = (
            "SELECT d.role FROM delegation d JOIN person_role r ON r.person = d.person AND r.role = d.role"
            ' WHERE d."to" = ? AND d.since <= ? AND d.until > ? AND coalesce(d.withdrawn_at, ?) >= ?'
        )
        at = text_of(now)
        own = self.rows("SELECT role FROM person_role WHERE person = ?", person)
        return {row[0] for row in (*own, *self.rows(lent, person, at, at, at, at))}

    def delegations(self) -> list[DelegationRow]:
        """Give every delegation, oldest first."""
        found = self.rows(
            'SELECT id, person, "to", role, since, until, withdrawn_at, reason FROM delegation ORDER BY id'
        )
        return [
            DelegationRow(r[0], r[1], r[2], r[3], moment_of(r[4]), moment_of(r[5]), instant(r[6]), r[7]) for r in found
        ]

    def overrides(self) -> list[OverrideRow]:
        """Give every activity that passed against its policy."""
        found = self.rows("SELECT activity, attempt, person, role, reason, lacking, at FROM override ORDER BY seq")
        return [OverrideRow(r[0], r[1], r[2], r[3], r[4], words(r[5]), moment_of(r[6])) for r in found]

    def inbox(self, person: str, now: datetime) -> list[InboxRow]:
        """Give what waits for a person, what was waiting longest first."""
        mine = self.roles_of(person, now)
        rows = [*self._to_sign(person, mine, now), *self._to_decide(mine, now)]
        rows += [*self._to_do(person, mine, now), *self._to_order(mine, now), *self._to_change(person, mine)]
        return sorted(rows, key=lambda r: (r.since is None, r.since, r.activity))

    def _people(self, where: str, *values: str) -> list[PersonRow]:
        found = self.rows(
            "SELECT p.id, (SELECT name FROM person_name n WHERE n.id = p.id), p.organisation, p.account,"  # noqa: S608  our own text
            " (SELECT group_concat(role, ' ') FROM person_role r WHERE r.person = p.id)"
            f" FROM person p WHERE {where} ORDER BY p.rowid",
            *values,
        )
        return [PersonRow(row[0], row[1], tuple((row[4] or "").split()), row[2], row[3]) for row in found]

    def _to_sign(self, person: str, mine: set[str], now: datetime) -> Iterator[InboxRow]:
        waiting = self.activities(now, state=State.AWAITING_SIGN_OFF)
        waiting += [r for r in self._stale(now) if r.state is State.DONE]
        waiting += [r for r in self.ready(now) if r.kind == "gate" and not r.completed_by]
        for row in waiting:
            role = next((r for r in row.roles if r in mine), None)
            if role is None or not self._may_sign(row, person):
                continue
            missing = self.missing_evidence(row.id)
            since = row.finished_at if row.state is not State.READY else row.ready_from
            yield InboxRow(row.id, row.title, "sign", role, since, missing)

    def _may_sign(self, row: ActivityRow, person: str) -> bool:
        """Neither who did the work, nor who has signed already."""
        found = self.row("SELECT performers, separation FROM activity WHERE id = ?", row.id)
        assert found is not None
        separated = found[1] == "performer-may-not-approve" or "attested" in row.flags
        if separated and person in words(found[0]):
            return False
        return (
            self.row(
                "SELECT 1 FROM sign_off s JOIN activity a ON a.id = s.activity"
                " AND a.attempt = s.attempt WHERE s.activity = ? AND s.person = ?"
                " AND s.decision = 'approved' AND s.seq > max(coalesce(a.stale_since, 0), coalesce(a.valid_since, 0))",
                row.id,
                person,
            )
            is None
        )

    def _stale(self, now: datetime) -> list[ActivityRow]:
        """Give what was approved and is to be approved again: stale, or its time is over."""
        stale = self.rows("SELECT id FROM activity WHERE stale_since IS NOT NULL AND state = 'done'")
        found = [row for (name,) in stale if (row := self.activity(name, now)) is not None]
        return [*found, *(row for row in self.approved_until(now, now) if "stale" not in row.flags)]

    def _to_decide(self, mine: set[str], now: datetime) -> Iterator[InboxRow]:
        for state in (State.FAILED, State.CHECKED_NOT_MET):
            for row in self.activities(now, state=state):
                role = next((r for r in (*row.roles, row.role, "owner-pm") if r in mine), None)
                if role is not None:
                    yield InboxRow(row.id, row.title, "decide", role, row.finished_at, ())

    def _to_do(self, person: str, mine: set[str], now: datetime) -> Iterator[InboxRow]:
        for row in self.ready(now):
            if row.completed_by or row.kind == "gate":
                continue
            action = self._next_action(row)
            wanted = roles_for("release", policy=row.roles) if action == "release" else (row.role,)
            if action is None or not _is_for(row, person, mine, wanted) or not self._belongs(row, person):
                continue
            role = next((r for r in wanted if r in mine), row.role)
            yield InboxRow(row.id, row.title, action, role, row.ready_from, ())
        for row in self.activities(now, state=State.IN_PROGRESS):
            if _is_for(row, person, mine, (row.role,)) and self._belongs(row, person):
                yield InboxRow(row.id, row.title, "finish", row.role, row.started_at, ())

    def _next_action(self, row: ActivityRow) -> str | None:
        """Give what a person does to move a ready activity on; None where software does it."""
        if row.kind in {"procure", "field"}:
            return "start"
        if row.kind in {"automate", "verify"} and (row.playbook is None or self.plays_nobody(row.id)):
            return "attest"
        if row.effect in {"change", "destructive"} and not self.has_live_release(row.id):
            return "release"
        if row.kind == "compute" and self.lacking_facts(row.id):
            return "fact"
        return None

    def _to_order(self, mine: set[str], now: datetime) -> Iterator[InboxRow]:
        found = self.rows(
            "SELECT o.id, o.title, o.ready_from, a.role FROM order_line o JOIN activity a"
            " ON a.id = o.step || '@' || o.unit WHERE o.placed_at IS NULL AND o.in_plan"
            " AND a.state <> 'not_applicable' ORDER BY o.ordinal"
        )
        for name, title, ready_from, role in found:
            since = None if ready_from is None else datetime.fromisoformat(ready_from)
            if role in mine and since is not None and since <= now:
                yield InboxRow(name, title, "order", role, since, ())

    def _to_change(self, person: str, mine: set[str]) -> Iterator[InboxRow]:
        """Give the change orders that wait for a decision, but not to who asked for them."""
        role = next((r for r in roles_for("decide_change") if r in mine), None)
        for change in self.changes():
            if role is not None and change.state == "open" and change.asked_by != person:
                yield InboxRow(change.subject, f"{change.id}: {change.reason}", "change", role, change.asked_at, ())

    def _belongs(self, row: ActivityRow, person: str) -> bool:
        """Say whether work given to an organisation, and to nobody of it, may be this person's."""
        if not row.organisation or row.assignee is not None:
            return True
        mine = self.row("SELECT organisation FROM person WHERE id = ?", person)
        return mine is not None and mine[0].casefold() == row.organisation.casefold()


def _is_for(row: ActivityRow, person: str, mine: set[str], wanted: tuple[str, ...]) -> bool:
    """Say whether it is theirs: an assigned activity is its assignee's, another anyone's with the role."""
    if row.assignee is not None:
        return row.assignee == person
    return any(role in mine for role in wanted)
