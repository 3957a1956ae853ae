"""What the rules ask of the database: activities as they are seen, who decides, and everything about one case.

Decisions look up a case in their own transaction, questions in a snapshot; both then ask the same rules. Each value is read
when a rule asks for it, once. See `ledger.rules.case.Case`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from ledger.questions.calendar import working_time_after
from ledger.questions.checks import latest_entries, planned_items
from ledger.questions.links import predecessors
from ledger.questions.records import preview
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.rules.activity import COLUMNS, Activity, seen_activity, words
from ledger.rules.case import Invited, Item, OpenA, Read, RunEnd
from ledger.rules.judgement import Judgement, Reading, judgements
from ledger.rules.nearest import unknown_activity
from ledger.rules.permission import Actor
from ledger.rules.readiness import GO_LIVE, unmet
from ledger.rules.rows import PreviewRow, Unmet
from steps.stamps import moment, stamp
from steps.value import text_value

_SELECT = f"SELECT id, {', '.join(COLUMNS)} FROM activity"  # noqa: S608  our names
_APPROVALS = "SELECT activity, attempt, seq, person FROM sign_off WHERE decision = 'approved'"
_LAPSED = """
WITH RECURSIVE lapsed(id) AS (
  SELECT l."after" FROM activity h CROSS JOIN link l ON l."before" = h.id
  WHERE h.valid_until <= :now AND h.hold_point AND +h.state = 'done' AND l.side = 'start'
  UNION SELECT l."after" FROM lapsed x CROSS JOIN activity n ON n.id = x.id AND n.na_decided
  CROSS JOIN link l ON l."before" = n.id WHERE l.side = 'start')
SELECT id FROM lapsed"""
"""The plus keeps SQLite from reading everything that is done: few approvals ever end, and they have an index."""

_OPEN_A = f"""
WITH RECURSIVE
  held(id, step, unit, gates) AS (SELECT id, step, unit, kind = 'gate' OR hold_point FROM activity WHERE id = :id),
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
SELECT metric, person, item, value, unit, note FROM measurement
WHERE activity = :name AND attempt = :attempt ORDER BY seq, ordinal"""
_INVITED = """
SELECT roles, "on" FROM invitation WHERE activity = :name AND attempt = :attempt ORDER BY seq DESC LIMIT 1"""
_CAME = "SELECT role, witness FROM attendance WHERE activity = :name AND attempt = :attempt"
_LAST_RUN = "SELECT id, status FROM run WHERE activity = :name AND attempt = :attempt ORDER BY id DESC LIMIT 1"
_HOSTS = "SELECT host, status FROM item_result WHERE run = ? ORDER BY host"
_USED_AS_IS = """
SELECT id FROM ncr WHERE activity = :name AND (decided = 'use-as-is' OR disposition = 'use-as-is')"""
_EVIDENCE = "SELECT kind, digest FROM evidence_item WHERE activity = :name AND attempt = :attempt ORDER BY seq, ordinal"
_WAIVED = "SELECT metric FROM waiver WHERE activity = :name AND attempt = :attempt"


def select(snapshot: Snapshot, where: str, **values: Any) -> list[Activity]:
    """Return the activities for which a condition in SQL holds, in plan order, as they are seen at the snapshot's time."""
    found = snapshot.db.execute(f"{_SELECT} WHERE {where} ORDER BY ordinal", values).fetchall()
    if not found:
        return []
    waiting, organisations = lapsed(snapshot), dict(snapshot.db.execute("SELECT id, organisation FROM person"))
    approved = _approved(snapshot, found)
    rows = []
    for name, *columns in found:
        row = seen_activity(columns, snapshot.now, lapsed=name in waiting)
        row.signed = sum(attempt == row.attempt and seq > row.counts_from for attempt, seq in approved.get(name, ()))
        row.whose = row.organisation or organisations.get(row.assignee or "", "")
        rows.append(row)
    return rows


def _approved(
    snapshot: Snapshot,
    found: Sequence[Sequence[Any]],
) -> dict[str, list[tuple[int, int]]]:
    """Return the attempt and the event of every approval, by activity."""
    approved: dict[str, list[tuple[int, int]]] = {}
    only = " AND activity = :name" if len(found) == 1 else ""
    for name, attempt, seq, _ in snapshot.db.execute(_APPROVALS + only, {"name": found[0][0]}):
        approved.setdefault(name, []).append((attempt, seq))
    return approved


def approvers(snapshot: Snapshot, row: Activity) -> list[str]:
    """Return the people whose approvals of an activity count now."""
    found = snapshot.db.execute(f"{_APPROVALS} AND activity = :name ORDER BY seq", {"name": row.id})
    return [person for _, attempt, seq, person in found if attempt == row.attempt and seq > row.counts_from]


def activity(snapshot: Snapshot, name: str) -> Activity | None:
    """Return an activity, or None where there is none of that id."""
    found = select(snapshot, "id = :id", id=name)
    return found[0] if found else None


def require_activity(snapshot: Snapshot, name: str) -> Activity:
    """Return an activity. Raise for an unknown id, with the nearest ones."""
    found = activity(snapshot, name)
    if found is None:
        raise unknown_activity(name, [row[0] for row in snapshot.db.execute("SELECT id FROM activity")])
    return found


def lapsed(snapshot: Snapshot) -> set[str]:
    """Return what comes straight after a hold point whose approval is over, through what was decided not to apply.

    Such a hold point counts as not passed by what has not started.
    """
    if snapshot.lapsed is None:
        snapshot.lapsed = {name for (name,) in snapshot.db.execute(_LAPSED, {"now": stamp(snapshot.now)})}
    return snapshot.lapsed


def open_a(snapshot: Snapshot, name: str) -> list[OpenA]:
    """Return the open class A non-conformances that hold an activity back.

    Its own hold every activity back. A gate or a hold point is also held back by those of what comes before it in the
    network, at its unit or beneath; go-live by all of the site.
    """
    return [OpenA(*found) for found in snapshot.db.execute(_OPEN_A, {"id": name})]


def actor(snapshot: Snapshot, person: str) -> Actor:
    """Return who decides: a person in force with the roles of that moment, the engine, or a stranger.

    A delegation counts while the one who gave it still holds the role.
    """
    known = snapshot.db.execute("SELECT organisation FROM person WHERE id = ?", [person]).fetchone()
    asked = {"person": person, "now": stamp(snapshot.now)}
    lent: dict[str, str | None] = dict(snapshot.db.execute(_LENT, asked))
    own = (role for (role,) in snapshot.db.execute(_OWN, asked))
    return Actor(person, known[0] if known else None, lent | dict.fromkeys(own, None))


class LookedUp:
    """One activity and one person, at the time of a snapshot."""

    def __init__(self, snapshot: Snapshot, row: Activity, actor: Actor) -> None:
        """Take what was looked up already; `case_of` looks up both."""
        self.snapshot = snapshot
        self.row = row
        self.actor = actor

    @property
    def now(self) -> datetime:
        """When the decision is taken."""
        return self.snapshot.now

    @property
    def owner(self) -> str:
        """The owner that the first event names."""
        return self._site[0]

    @property
    def is_rehearsal(self) -> bool:
        """Whether the site is a rehearsal."""
        return bool(self._site[1])

    @cached_property
    def _site(self) -> tuple[str, int]:
        owner, rehearsal = self.snapshot.db.execute("SELECT owner, rehearsal FROM site").fetchone()
        return owner, rehearsal

    @property
    def _mine(self) -> dict[str, object]:
        return {"name": self.row.id, "attempt": self.row.attempt}

    @cached_property
    def judgements(self) -> Sequence[Judgement]:
        """Every criterion with its verdict in this attempt."""
        criteria = self.row.plan.criteria
        return judgements(criteria, self.readings, self.waived) if criteria else ()

    @cached_property
    def reads(self) -> Sequence[Read]:
        """Every reading of this attempt, in the order in which they were recorded."""
        return reads(self.snapshot, self.row, self.row.attempt)

    @cached_property
    def readings(self) -> Mapping[str, list[Reading]]:
        """The readings of this attempt by metric, oldest first."""
        found: dict[str, list[Reading]] = {}
        for read in self.reads:
            found.setdefault(read.metric, []).append(read.reading)
        return found

    @cached_property
    def waived(self) -> frozenset[str]:
        """The metrics that are waived in this attempt."""
        return frozenset(metric for (metric,) in self.snapshot.db.execute(_WAIVED, self._mine))

    @cached_property
    def evidence(self) -> Sequence[tuple[str, str]]:
        """The kind and the digest of every piece of evidence of this attempt."""
        return self.snapshot.db.execute(_EVIDENCE, self._mine).fetchall()

    @property
    def evidence_kinds(self) -> set[str]:
        """The kinds of evidence that this attempt has."""
        return {kind for kind, _ in self.evidence}

    @cached_property
    def approvals(self) -> Sequence[str]:
        """The people whose approvals count now."""
        return approvers(self.snapshot, self.row)

    @cached_property
    def open_a(self) -> Sequence[OpenA]:
        """The open class A non-conformances that hold the activity back."""
        return open_a(self.snapshot, self.row.id)

    @cached_property
    def invited(self) -> Invited | None:
        """What the witnesses were told in this attempt. None where nobody was invited."""
        found = self.snapshot.db.execute(_INVITED, self._mine).fetchone()
        if found is None:
            return None
        came = dict(self.snapshot.db.execute(_CAME, self._mine))
        return Invited(words(found[0]), moment(found[1]), came)

    @property
    def witnessed(self) -> Mapping[str, str | None]:
        """Who came in each role that was invited, None for nobody. Empty where it was done before Clusterwright."""
        invited = self.invited if self.row.plan.policy.witness else None
        return {role: invited.came.get(role) for role in invited.roles} if invited else {}

    @property
    def earliest_witnessed(self) -> datetime:
        """When the witnesses' notice would be over if they were told now."""
        witness = self.row.plan.policy.witness
        return working_time_after(self.snapshot, witness.notice_h if witness else 0.0)

    @property
    def has_run(self) -> bool:
        """Whether software ran in this attempt."""
        return self.last_run is not None

    @cached_property
    def last_run(self) -> RunEnd | None:
        """The last run of this attempt."""
        return run_end(self.snapshot, self.row, self.row.attempt)

    @cached_property
    def preview(self) -> PreviewRow | None:
        """What check mode showed last in this attempt. None where nobody looked."""
        return preview(self.snapshot, self.row.id)

    @cached_property
    def items(self) -> Mapping[str, Item]:
        """The entries of the checklist that count, by item."""
        found = latest_entries(self.snapshot, self.row)
        return {name: Item(name, entry.failing, entry.serial, entry.ncr) for name, entry in found.items()}

    @cached_property
    def planned_items(self) -> Sequence[str]:
        """The names of the items. Empty where the plan only counts them."""
        return planned_items(self.snapshot, self.row)

    @cached_property
    def used_as_is(self) -> frozenset[str]:
        """The non-conformances of the activity that were decided to be used as they are."""
        return frozenset(ncr for (ncr,) in self.snapshot.db.execute(_USED_AS_IS, self._mine))

    @cached_property
    def completed_by(self) -> Mapping[str, Activity]:
        """The activities that complete this one, by id."""
        return {name: require_activity(self.snapshot, name) for name in self.row.plan.completed_by}

    def waits(self, side: str) -> Sequence[Unmet]:
        """Return what holds back the `start` or the `finish`."""
        return unmet(predecessors(self.snapshot, self.row.id), side, self.now)


def case_of(snapshot: Snapshot, name: str, person: str) -> LookedUp:
    """Return the case of an activity and a person. Raise for an activity that is not there."""
    return LookedUp(snapshot, require_activity(snapshot, name), actor(snapshot, person))


def reads(snapshot: Snapshot, row: Activity, attempt: int) -> list[Read]:
    """Return every reading of an attempt, in the order in which they were recorded."""
    found = snapshot.db.execute(_READS, {"name": row.id, "attempt": attempt})
    return [
        Read(metric, person == ENGINE, Reading(item, text_value(value), unit, note))
        for metric, person, item, value, unit, note in found
    ]


def run_end(snapshot: Snapshot, row: Activity, attempt: int) -> RunEnd | None:
    """Return how the last run of an attempt ended. None where there was none."""
    run = snapshot.db.execute(_LAST_RUN, {"name": row.id, "attempt": attempt}).fetchone()
    return None if run is None else RunEnd(run[1], dict(snapshot.db.execute(_HOSTS, [run[0]])))
