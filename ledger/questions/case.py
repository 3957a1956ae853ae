"""What the rules need from the database: activities, the person who decides, and everything about one case.

A decision looks up its case in its own transaction, and a question in a snapshot. Both then ask the same rules. A value is read
when a rule first needs it, and then cached. See `ledger.rules.case.Case`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from ledger.questions.calendar import working_time_after
from ledger.questions.checks import latest_entries, planned_items
from ledger.questions.links import predecessors
from ledger.questions.meant import unknown_activity
from ledger.questions.records import next_id, preview
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.rules.activity import COLUMNS, OVER, Activity, State, seen_activity, words
from ledger.rules.case import Invited, OpenA, RunEnd
from ledger.rules.judgement import Judgement, Readings, judgements
from ledger.rules.permission import Actor, is_same
from ledger.rules.readiness import GO_LIVE, is_out_of_sequence, unmet
from ledger.rules.rows import CheckRow, PreviewRow, Unmet
from ledger.rules.version import ITEMS_AND_WAIVERS
from steps.acceptance.measured import Measured
from steps.stamps import moment, stamp
from steps.value import text_value

_SITE = """
SELECT owner, rehearsal, rules,
  coalesce((SELECT time_zone FROM plan_revision ORDER BY revision DESC LIMIT 1), time_zone) FROM site"""
_SELECT = f"SELECT id, {', '.join(COLUMNS)} FROM activity"  # noqa: S608  our names
_APPROVALS = "SELECT activity, attempt, seq, person FROM sign_off WHERE decision = 'approved'"
_LAPSED = """
WITH RECURSIVE lapsed(id) AS (
  SELECT l."after" FROM activity h CROSS JOIN link l ON l."before" = h.id
  WHERE h.valid_until <= :now AND h.hold_point AND +h.state = 'done' AND l.side = 'start'
  UNION SELECT l."after" FROM lapsed x CROSS JOIN activity n ON n.id = x.id AND n.na_decided
  CROSS JOIN link l ON l."before" = n.id WHERE l.side = 'start')
SELECT id FROM lapsed"""
"""Few approvals ever expire, and they have an index. The plus before `h.state` makes SQLite use it."""

_OPEN_A = f"""
WITH RECURSIVE
  held(id, step, unit, gates) AS (SELECT id, step, unit, kind = 'gate' OR hold_point FROM activity WHERE id = :name),
  open_a(id, activity, reason, unit) AS (
    SELECT n.id, n.activity, n.reason, a.unit FROM ncr n JOIN activity a ON a.id = n.activity
    WHERE n.ncr_class = 'A' AND n.closed_at IS NULL),
  beneath(id) AS (
    SELECT unit FROM held UNION SELECT u.id FROM unit u JOIN beneath b ON u.parent = b.id),
  earlier(id) AS (
    SELECT id FROM held WHERE gates AND EXISTS (SELECT 1 FROM open_a)
    UNION SELECT l."before" FROM link l JOIN earlier e ON l."after" = e.id)
SELECT o.id, o.activity, o.reason FROM open_a o, held h
WHERE o.activity = h.id OR h.step = '{GO_LIVE}' OR (h.gates
  AND o.unit IN (SELECT id FROM beneath) AND o.activity IN (SELECT id FROM earlier))
ORDER BY o.id"""  # noqa: S608  our own text
_LENT = """
SELECT d.role, d.id FROM delegation d JOIN person_role r ON r.person = d.person AND r.role = d.role
WHERE d."to" = :person AND d.since <= :now AND d.until > :now
  AND (d.withdrawn_at IS NULL OR d.withdrawn_at > :now) ORDER BY d.id"""
_OWN = "SELECT role FROM person_role WHERE person = :person"
_READS = """
SELECT metric, value, unit, item, source, note, person,
  coalesce((SELECT n.id FROM ncr n WHERE n.id = measurement.ncr AND n.accepts), '') FROM measurement
WHERE activity = :name AND attempt = :attempt ORDER BY seq, ordinal"""
_INVITED = """
SELECT roles, "on" FROM invitation WHERE activity = :name AND attempt = :attempt ORDER BY seq DESC LIMIT 1"""
_CAME = "SELECT role, witness FROM attendance WHERE activity = :name AND attempt = :attempt"
_LAST_RUN = "SELECT id, status FROM run WHERE activity = :name AND attempt = :attempt ORDER BY id DESC LIMIT 1"
_RUNNING = """
SELECT owner, id FROM run WHERE activity = :name AND attempt = :attempt AND status = 'running' ORDER BY id DESC"""
_HOSTS = "SELECT host, status FROM item_result WHERE run = ? ORDER BY host"
_USED_AS_IS = """
SELECT id FROM ncr WHERE activity = :name AND (decided = 'use-as-is' OR disposition = 'use-as-is')"""
_EVIDENCE = "SELECT kind, digest FROM evidence_item WHERE activity = :name AND attempt = :attempt ORDER BY seq, ordinal"
_WAIVED = "SELECT metric FROM waiver WHERE activity = :name AND attempt = :attempt"

FEW = 50
"""For so many activities the approvals of each are asked for. For more it is faster to read those of the whole site."""


def select(snapshot: Snapshot, where: str, **values: Any) -> list[Activity]:
    """Return the activities for which an SQL condition is true, in plan order, as they are seen at the snapshot's time."""
    found = snapshot.db.execute(f"{_SELECT} WHERE {where} ORDER BY ordinal", values).fetchall()
    if not found:
        return []
    waiting = lapsed(snapshot)
    belongs = dict(snapshot.db.execute("SELECT id, organisation FROM person"))
    there = organisations_there(snapshot)
    approved = _approved(snapshot, found)
    rows = []
    for name, *columns in found:
        row = seen_activity(columns, snapshot.now, lapsed=name in waiting)
        row.out_of_sequence = is_out_of_sequence(row, snapshot.now, lapsed=name in waiting)
        row.signed = len(valid(row, approved.get(name, ())))
        if row.assignee not in belongs:  # nobody, or somebody who has left the site
            row.assignee = None
        row.organisation = still_whose(row.organisation, row.state, there)
        row.whose = row.organisation or belongs.get(row.assignee or "", "")
        rows.append(row)
    return rows


def organisations_there(snapshot: Snapshot) -> frozenset[str] | None:
    """Return the organisations that have people in the plan. None by earlier rules, which let one keep its work without any."""
    (rules,) = snapshot.first("SELECT rules FROM site")
    if rules < ITEMS_AND_WAIVERS:
        return None
    return frozenset(snapshot.column("SELECT DISTINCT organisation FROM person"))


def still_whose(organisation: str, state: State, there: frozenset[str] | None) -> str:
    """Return the organisation that has work; none once nobody of it is in the plan, unless the work is over."""
    if not organisation or there is None or state in OVER:
        return organisation
    return organisation if any(is_same(organisation, one) for one in there) else ""


class ApprovalRow(NamedTuple):
    """An approval of an activity, of any attempt."""

    activity: str
    attempt: int
    seq: int
    person: str


def approvals(snapshot: Snapshot, name: str | None) -> Iterator[ApprovalRow]:
    """Yield the approvals of one activity or of all, oldest first."""
    only = "" if name is None else "AND activity = :name"
    found = snapshot.db.execute(f"{_APPROVALS} {only} ORDER BY seq", {"name": name})
    return map(ApprovalRow._make, found)


def valid(row: Activity, approvals: Iterable[ApprovalRow]) -> list[ApprovalRow]:
    """Return the approvals of this attempt that are later than what made earlier ones invalid."""
    mine = (approval for approval in approvals if approval.attempt == row.attempt)
    return [approval for approval in mine if approval.seq > row.counts_from]


def _approved(
    snapshot: Snapshot,
    found: Sequence[Sequence[Any]],
) -> dict[str, list[ApprovalRow]]:
    """Return approvals by activity, for rows that begin with the activity's id."""
    if len(found) > FEW:
        given = approvals(snapshot, None)
    else:
        given = (approval for row in found for approval in approvals(snapshot, row[0]))
    approved: dict[str, list[ApprovalRow]] = {}
    for approval in given:
        approved.setdefault(approval.activity, []).append(approval)
    return approved


def approvers(snapshot: Snapshot, row: Activity) -> list[str]:
    """Return the people whose approvals of an activity are valid now, in the order of their approvals."""
    return [approval.person for approval in valid(row, approvals(snapshot, row.id))]


def activity(snapshot: Snapshot, name: str) -> Activity | None:
    """Return an activity. None if there is none with this id."""
    found = select(snapshot, "id = :id", id=name)
    return found[0] if found else None


def require_activity(snapshot: Snapshot, name: str) -> Activity:
    """Return an activity. Raise InputError for an unknown id, with the most similar ids as a hint."""
    found = activity(snapshot, name)
    if found is None:
        raise unknown_activity(snapshot, name)
    return found


def lapsed(snapshot: Snapshot) -> set[str]:
    """Return the ids of what comes directly after a hold point whose approval has expired.

    For an activity that has not begun, such a hold point counts as not passed. An activity in between that does not apply
    makes no difference: what comes after it is in the result too.
    """
    if snapshot.lapsed is None:
        found = snapshot.db.execute(_LAPSED, {"now": stamp(snapshot.now)})
        snapshot.lapsed = {name for (name,) in found}
    return snapshot.lapsed


def actor(snapshot: Snapshot, person: str) -> Actor:
    """Return a person with their roles at the snapshot's time. The engine and strangers are actors too.

    A delegation counts only while the person who made it has the role.
    """
    known = snapshot.db.execute("SELECT organisation FROM person WHERE id = ?", [person]).fetchone()
    asked = {"person": person, "now": stamp(snapshot.now)}
    lent: dict[str, str | None] = dict(snapshot.db.execute(_LENT, asked))
    own = (role for (role,) in snapshot.db.execute(_OWN, asked))
    return Actor(person, known[0] if known else None, lent | dict.fromkeys(own, None))


class LookedUp:
    """One activity and one person, at the time of a snapshot."""

    def __init__(self, snapshot: Snapshot, row: Activity, actor: Actor) -> None:
        """Take an activity and a person that were looked up already. `case_of` looks up both."""
        self.snapshot = snapshot
        self.row = row
        self.actor = actor

    @property
    def now(self) -> datetime:
        """When the decision is taken."""
        return self.snapshot.now

    @property
    def present(self) -> datetime:
        """The time at which the decision is recorded."""
        return self.now

    @property
    def owner(self) -> str:
        """The owner that the first event names."""
        return self._site[0]

    @property
    def is_rehearsal(self) -> bool:
        """Whether the site is a rehearsal."""
        return bool(self._site[1])

    @property
    def rules(self) -> int:
        """The version of the rules in force."""
        return self._site[2]

    @property
    def zone(self) -> str:
        """The site's time zone."""
        return self._site[3]

    @cached_property
    def _site(self) -> tuple[str, int, int, str]:
        owner, rehearsal, rules, zone = self.snapshot.db.execute(_SITE).fetchone()
        return owner, rehearsal, rules, zone

    def _ask(self, sql: str) -> sqlite3.Cursor:
        """Return the rows of a query about this attempt."""
        mine = {"name": self.row.id, "attempt": self.row.attempt}
        return self.snapshot.db.execute(sql, mine)

    @cached_property
    def judgements(self) -> Sequence[Judgement]:
        """Every criterion with its verdict in this attempt."""
        criteria = self.row.plan.criteria
        return judgements(criteria, self.readings, self.waived) if criteria else ()

    @cached_property
    def reads(self) -> Sequence[Measured]:
        """Every reading of this attempt, in the order in which they were recorded."""
        return reads(self.snapshot, self.row, self.row.attempt)

    @cached_property
    def readings(self) -> Readings:
        """The readings of this attempt by metric, oldest first."""
        found: dict[str, list[Measured]] = {}
        for read in self.reads:
            found.setdefault(read.metric, []).append(read)
        return found

    @cached_property
    def waived(self) -> frozenset[str]:
        """The metrics that are waived in this attempt."""
        if not self.row.waived:
            return frozenset()
        return frozenset(metric for (metric,) in self._ask(_WAIVED))

    @cached_property
    def evidence(self) -> Sequence[tuple[str, str]]:
        """The kind and the digest of every piece of evidence of this attempt."""
        return self._ask(_EVIDENCE).fetchall()

    @property
    def evidence_kinds(self) -> set[str]:
        """The kinds of evidence that this attempt has."""
        return {kind for kind, _ in self.evidence}

    @cached_property
    def approvals(self) -> Sequence[str]:
        """The people whose approvals are valid now."""
        return approvers(self.snapshot, self.row)

    @cached_property
    def open_a(self) -> Sequence[OpenA]:
        """The open class A non-conformances that keep the activity from passing.

        For every activity these are its own. For a gate or a hold point they include those of its predecessors in the network, at
        its unit and at the units inside that. For go-live they are those of the whole site.
        """
        return [OpenA(*found) for found in self._ask(_OPEN_A)]

    @cached_property
    def invited(self) -> Invited | None:
        """The last invitation of witnesses in this attempt. None if nobody was invited."""
        found = self._ask(_INVITED).fetchone()
        if found is None:
            return None
        came = dict(self._ask(_CAME))
        return Invited(words(found[0]), moment(found[1]), came)

    @property
    def witnessed(self) -> Mapping[str, str | None]:
        """By role that was invited, the person who came, or None. Empty if the work was done before Clusterwright."""
        invited = self.invited if self.row.plan.policy.witness else None
        return {role: invited.came.get(role) for role in invited.roles} if invited else {}

    @property
    def earliest_witnessed(self) -> datetime:
        """When the witnesses' notice would end if they were invited now."""
        witness = self.row.plan.policy.witness
        return working_time_after(self.snapshot, witness.notice_h if witness else 0.0)

    @cached_property
    def last_run(self) -> RunEnd | None:
        """The last run of this attempt, and how it ended. None if there was no run."""
        found = self._ask(_LAST_RUN).fetchone()
        if found is None:
            return None
        run, status = found
        return RunEnd(status, dict(self.snapshot.db.execute(_HOSTS, [run])))

    @cached_property
    def preview(self) -> PreviewRow | None:
        """What check mode showed last in this attempt. None if there was no preview."""
        return preview(self.snapshot, self.row.id)

    @cached_property
    def items(self) -> Mapping[str, CheckRow]:
        """The last entry of each item of the checklist, by item."""
        return latest_entries(self.snapshot, self.row)

    @cached_property
    def planned_items(self) -> Sequence[str]:
        """The names of the items. Empty if the plan only counts them."""
        return planned_items(self.snapshot, self.row)

    @cached_property
    def used_as_is(self) -> frozenset[str]:
        """The non-conformances of the activity whose disposition is use-as-is."""
        return frozenset(ncr for (ncr,) in self._ask(_USED_AS_IS))

    @cached_property
    def completed_by(self) -> Mapping[str, Activity]:
        """The activities that complete this one, by id."""
        return {name: require_activity(self.snapshot, name) for name in self.row.plan.completed_by}

    def person(self, name: str) -> Actor:
        """Return another person with their roles."""
        return actor(self.snapshot, name)

    def running(self, owner: str) -> str | None:
        """Return the id of the run that an owner has running in this attempt. None if there is none."""
        found = dict(self._ask(_RUNNING))
        return found.get(owner)

    def next_id(self, numbered: str) -> str:
        """Return the next id of a table whose records are numbered."""
        return next_id(self.snapshot, numbered)

    def waits(self, side: str) -> Sequence[Unmet]:
        """Return what the `start` or the `finish` still waits for."""
        links = predecessors(self.snapshot, self.row.id)
        return unmet(links, side, self.now, self.zone)


def case_of(snapshot: Snapshot, name: str, person: str) -> LookedUp:
    """Return the case of an activity and a person. Raise InputError for an unknown activity."""
    return LookedUp(snapshot, require_activity(snapshot, name), actor(snapshot, person))


def reads(snapshot: Snapshot, row: Activity, attempt: int) -> list[Measured]:
    """Return every reading of an attempt, in the order in which they were recorded."""
    found = snapshot.db.execute(_READS, {"name": row.id, "attempt": attempt})
    return [
        Measured(metric, text_value(value), unit, item, source, note, person == ENGINE, accepted)
        for metric, value, unit, item, source, note, person, accepted in found
    ]
