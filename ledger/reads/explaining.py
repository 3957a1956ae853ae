"""Why an activity does not go on: links, criteria, what it still needs."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from ledger.access import Who
from ledger.class_a import OPEN_A
from ledger.judging import FAILED, NOT_MEASURED, Judged, Reading, judge
from ledger.reads.activities import ActivityReads
from ledger.reads.checks import ChecklistReads
from ledger.reads.connected import text_of, words
from ledger.reads.facts import FactReads, how_to_record
from ledger.reads.rows import ActivityRow, CriterionRow, FactNeedRow, LinkRow, Unmet, Why
from ledger.reads.witnesses import WitnessReads
from steps.stamps import instant
from ledger.transitions import State
from steps.value import text_value

_OTHER = (
    'SELECT l."before", l."after", l.type, l.lag_h, l.lag_calendar, l.reason, l.bridged,'
    " CASE WHEN o.id IS NOT NULL THEN"
    "   CASE WHEN o.placed_at IS NOT NULL THEN 'placed' ELSE 'not ordered' END"
    "  WHEN t.id IS NOT NULL THEN CASE WHEN t.received_at IS NOT NULL THEN 'received'"
    "   WHEN t.received_quantity <> '0' THEN 'partly received' ELSE 'not received' END"
    "  WHEN a.stale_since IS NOT NULL THEN 'stale'"
    "  WHEN a.hold_point AND a.state = 'done' AND a.valid_until <= :now AND :now <> '9999' THEN 'expired'"
    "  WHEN a.state <> 'open' THEN a.state"
    "  WHEN a.ready_from <= :now THEN 'ready' ELSE 'blocked' END,"
    " coalesce(a.title, o.title, ot.title, ''), l.satisfied_at"
    " FROM link l LEFT JOIN activity a ON a.id = {end}"
    " LEFT JOIN order_line o ON o.id = {end} LEFT JOIN tranche t ON t.id = {end}"
    " LEFT JOIN order_line ot ON ot.id = t.order_line WHERE {where} ORDER BY l.id"
)


EXPIRED = "expired"
"""How the other end of a link stands that is a hold point whose approval is over."""


class ExplainingReads(ActivityReads, FactReads, ChecklistReads, WitnessReads):
    """Questions about one activity's waits and criteria."""

    def predecessors(self, name: str, now: datetime | None = None) -> list[LinkRow]:
        """Give the links into an activity, with how the other end stands."""
        return self._links('l."before"', 'l."after" = :id', name, now)

    def successors(self, name: str, now: datetime | None = None) -> list[LinkRow]:
        """Give the links out of an activity, with how the other end stands."""
        return self._links('l."after"', 'l."before" = :id', name, now)

    def why(self, name: str, now: datetime) -> Why:
        """Say why an activity does not go on: what it waits for, and what it still needs."""
        row = self.require_activity(name, now)
        unmet: tuple[Unmet, ...] = ()
        # a calculation ends as soon as it begins: what holds its end holds it
        computes = row.state is State.READY and row.kind == "compute"
        if computes or row.state in {State.BLOCKED, State.IN_PROGRESS, State.ON_HOLD}:
            sides = {"S"} if row.state is State.BLOCKED else {"F"}
            links = [x for x in self.predecessors(name, now) if x.type[1] in sides]
            unmet = tuple(
                _unmet(x) for x in links if not x.satisfied_at or x.satisfied_at > now or _is_expired(x, row.state)
            )
        return Why(row.id, row.state, _sentence(row), unmet, tuple(self._needs(row)))

    def criteria(self, name: str) -> list[CriterionRow]:
        """Give every criterion of an activity with its verdict in this attempt."""
        found = self.rows(
            "SELECT metric, op, value, unit, each, source, fleet_z FROM criterion WHERE activity = ? ORDER BY ordinal",
            name,
        )
        readings: dict[str, list[Reading]] = {}
        by: dict[str, dict[str, None]] = {}
        for metric, item, value, unit, note, person in self.rows(
            "SELECT m.metric, m.item, m.value, m.unit, m.note, m.person FROM measurement m JOIN activity a"
            " ON a.id = m.activity AND a.attempt = m.attempt WHERE m.activity = ?"
            " ORDER BY m.seq, m.ordinal",
            name,
        ):
            readings.setdefault(metric, []).append(Reading(item, text_value(value), unit, note))
            if person != Who.ENGINE:
                by.setdefault(metric, {})[person] = None
        waived = {
            row[0]
            for row in self.rows(
                "SELECT w.metric FROM waiver w JOIN activity a ON a.id = w.activity"
                " AND a.attempt = w.attempt WHERE w.activity = ?",
                name,
            )
        }
        rows = []
        for metric, op, value, unit, each, source, fleet_z in found:
            limit = text_value(value)
            assert limit is not None
            told = readings.get(metric, [])
            spread = None if fleet_z is None else Decimal(fleet_z)
            verdict: Judged = judge(op, limit, unit, told, waived=metric in waived, fleet_z=spread)
            causes = _causes(metric) if verdict.verdict == FAILED else ()
            rows.append(
                CriterionRow(metric, op, limit, unit, each, source, *verdict, spread, causes, tuple(by.get(metric, ())))
            )
        return rows

    def missing_evidence(self, name: str) -> tuple[str, ...]:
        """Give the kinds of evidence the policy asks for and this attempt lacks."""
        found = self.row("SELECT evidence, attempt FROM activity WHERE id = ?", name)
        if found is None:
            return ()
        there = {
            row[0]
            for row in self.rows("SELECT kind FROM evidence_item WHERE activity = ? AND attempt = ?", name, found[1])
        }
        return tuple(kind for kind in words(found[0]) if kind not in there)

    def has_live_release(self, name: str) -> bool:
        """Say whether a release of this attempt waits to be used."""
        return (
            self.row(
                "SELECT 1 FROM release r JOIN activity a ON a.id = r.activity AND a.attempt = r.attempt"
                " WHERE r.activity = ? AND r.consumed_by IS NULL",
                name,
            )
            is not None
        )

    def lacks_preview(self, name: str) -> bool:
        """Say whether the policy wants what would change seen in check mode, and nobody could in this attempt."""
        return (
            self.row(
                "SELECT 1 FROM activity a LEFT JOIN preview p ON p.activity = a.id AND p.attempt = a.attempt"
                " WHERE a.id = ? AND a.preview AND p.activity IS NULL",
                name,
            )
            is not None
        )

    def plays_nobody(self, name: str) -> bool:
        """Say whether an activity has a playbook and a plan made with an inventory, of which no host is its."""
        planned = self.row("SELECT 1 FROM activity WHERE id = ? AND plays IS NOT NULL", name)
        return planned is not None and not self.hosts_of(name, "")

    def _needs(self, row: ActivityRow) -> list[str]:
        match row.state:
            case State.READY:
                return self._needs_to_start(row)
            case State.IN_PROGRESS:
                return [*self._open_items(row.id), *self._open_criteria(row.id), *self._open_a(row.id)]
            case State.AWAITING_SIGN_OFF:
                return self._needs_to_be_signed(row)
            case State.FAILED | State.CHECKED_NOT_MET:
                return self._needs_a_decision(row.id)
            case State.ON_HOLD:
                return [f"to be resumed: {row.last_note}"]
            case State.DONE if "expired" in row.flags:
                return [f"to be signed again by {_roles(row)}: its approval ended on {row.valid_until:%Y-%m-%d}"]
            case State.DONE if "stale" in row.flags:
                return [f"to be signed again by {_roles(row)}: what it rested on was opened again"]
            case _:
                return []

    def _needs_a_decision(self, name: str) -> list[str]:
        """Say what may be decided; where the run did all it could, a person may measure what it could not read."""
        unmet = self._unmet_criteria(name)
        decision = "a decision: retry, waive or attest"
        if any(c.verdict == NOT_MEASURED for c in unmet) and not self._failed_run(name):
            decision += ", or measure what was not"
        return [*map(_said, unmet), decision]

    def _failed_run(self, name: str) -> bool:
        """Say whether this attempt's run failed, as a whole or on a host."""
        return (
            self.row(
                "SELECT 1 FROM run r JOIN activity a ON a.id = r.activity AND a.attempt = r.attempt"
                " WHERE a.id = ? AND (r.status = 'failed' OR EXISTS (SELECT 1 FROM item_result i"
                "  WHERE i.run = r.id AND i.status IN ('failed', 'unreachable')))",
                name,
            )
            is not None
        )

    def _needs_to_start(self, row: ActivityRow) -> list[str]:
        needs = self._needs_witnesses(row)
        if row.completed_by:
            marks = ", ".join("?" * len(row.completed_by))
            done = {
                r[0]
                for r in self.rows(
                    f"SELECT id FROM activity WHERE id IN ({marks}) AND state = 'done'",  # noqa: S608
                    *row.completed_by,
                )
            }
            needs += [f"{name} to be done: it completes this" for name in row.completed_by if name not in done]
        elif row.kind == "gate":
            needs += [*self._open_criteria(row.id), *self._needs_to_be_signed(row)]
        elif row.kind in {"procure", "field"}:
            needs.append(f"to be started by {row.assignee or row.role}")
        elif row.kind == "compute":
            needs += self._needs_of_the_facility(row)
        elif row.kind in {"automate", "verify"} and row.playbook is None:
            needs.append("a person: not automated yet; do it and attest, or start and measure")
        elif self.plays_nobody(row.id):
            needs.append(
                f"hosts: the inventory names none of {row.unit} for {row.playbook};"
                " name them and adopt the plan, or do it and attest"
            )
        elif row.effect in {"change", "destructive"} and not self.has_live_release(row.id):
            if self.lacks_preview(row.id):
                needs.append(f"a look at what it would change: clusterwright preview {row.id}")
            needs.append(f"a release ({row.effect}) by {_roles(row)}")
        return needs

    def _needs_witnesses(self, row: ActivityRow) -> list[str]:
        """Say whom to invite, or what they were told."""
        if not row.witnesses:
            return []
        held = self.invitation(row.id)
        if held is None:
            return [f"witnesses invited: {', '.join(row.witnesses)} (clusterwright witness {row.id} --for DATE)"]
        waited = [a.role for a in self.attendances(row.id) if not a.noted]
        return [f"its witnesses, or {held.on:%Y-%m-%d %H:%M}Z: {', '.join(waited)}"] if waited else []

    def may_finish(self, name: str, now: datetime) -> bool:
        """Say whether nothing holds back the end of an activity (FF and SF links)."""
        found = self.row("SELECT finish_from <= ? FROM activity WHERE id = ?", text_of(now), name)
        return bool(found and found[0])

    def lacking_facts(self, name: str) -> list[FactNeedRow]:
        """Give the facts about the facility that an activity needs and nobody has recorded."""
        return [need for need in self.fact_needs(name) if need.known is None]

    def _needs_of_the_facility(self, row: ActivityRow) -> list[str]:
        lacking = self.lacking_facts(row.id)
        needs = [f"{need.name} in {need.unit_of_measure}: {need.meaning}" for need in lacking]
        return [*needs, f"from {row.role}: {how_to_record(row.id, lacking)}"] if lacking else []

    def _needs_to_be_signed(self, row: ActivityRow) -> list[str]:
        needs = [f"evidence: {kind}" for kind in self.missing_evidence(row.id)]
        needs += self._open_a(row.id)
        left = row.quorum - row.signed
        return [*needs, f"{left} of {row.quorum} signatures by {_roles(row)}"]

    def _open_items(self, name: str) -> list[str]:
        done = self.checklist(name)
        if done is None or not (done.open or done.failed):
            return []
        return [f"items: {done.open} of {done.items} {done.items_of} not checked, {done.failed} failed"]

    def _open_criteria(self, name: str) -> list[str]:
        return [_said(c) for c in self._unmet_criteria(name)]

    def _unmet_criteria(self, name: str) -> list[CriterionRow]:
        return [c for c in self.criteria(name) if c.verdict in {FAILED, NOT_MEASURED}]

    def _open_a(self, name: str) -> list[str]:
        """Name the open class A non-conformances that keep an activity from passing."""
        return [
            f"{ncr} (class A) closed{'' if where == name else f', of {where}'}: {reason}"
            for ncr, where, reason in self.open_a(name)
        ]

    def open_a(self, name: str) -> list[tuple[str, str, str]]:
        """Give the open class A that hold an activity back: id, where it was found, and why."""
        with self._explained():
            return [(r[0], r[1], r[2]) for r in self._db.execute(OPEN_A, {"id": name})]

    def _links(self, end: str, where: str, name: str, now: datetime | None) -> list[LinkRow]:
        with self._explained():
            found = self._db.execute(
                _OTHER.format(end=end, where=where),
                {"id": name, "now": "9999" if now is None else text_of(now)},
            ).fetchall()
        return [LinkRow._make((*row[:6], words(row[6]), row[7], row[8], instant(row[9]))) for row in found]


def _said(c: CriterionRow) -> str:
    return f"{c.metric} {c.op} {c.value} {c.unit}: {c.verdict} ({c.measured})"


def _roles(row: ActivityRow) -> str:
    return " or ".join(row.roles)


def _is_expired(link: LinkRow, state: State) -> bool:
    """Say whether a link comes from a hold point whose approval is over: it holds back what has not started."""
    return state is State.BLOCKED and link.state == EXPIRED


def _causes(metric: str) -> tuple[str, ...]:
    from steps.acceptance.causes import likely_causes  # a table that only a failure needs

    return tuple(str(cause) for cause in likely_causes(metric))


def _unmet(link: LinkRow) -> Unmet:
    state = link.state
    if state in set(State):
        state = State(state).words
    if state == EXPIRED:
        state = "its approval has expired, to be signed again"
    elif link.satisfied_at is not None:
        state = f"over, its lag ends {link.satisfied_at:%Y-%m-%d %H:%M}Z"
    return Unmet(
        link.before,
        link.title,
        state,
        link.type,
        link.lag_h,
        link.reason,
        link.bridged,
        link.satisfied_at,
    )


def _sentence(row: ActivityRow) -> str:
    sentence = f"{row.state.words}: {row.state.sentence}"
    if row.state is State.NOT_APPLICABLE:
        return f"{row.state.words}: {row.na_reason}"
    if row.flags:
        sentence += " Flags: " + ", ".join(sorted(row.flags)) + "."
    return sentence
