"""Non-conformances, and everything that is left to make good."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from ledger.questions.case import select
from ledger.questions.records import waivers
from ledger.questions.snapshot import Snapshot, one_of, rows_of, table
from ledger.rules.permission import is_same
from ledger.rules.rows import NcrRow

_INSPECTIONS = """
(SELECT count(*) FROM (SELECT attempt FROM sign_off s WHERE s.activity = t.activity
   AND s.attempt > t.attempt AND (t.closed_at IS NULL OR s.at <= t.closed_at)
  UNION SELECT attempt FROM run u WHERE u.activity = t.activity AND u.status IN ('ok', 'failed')
   AND u.attempt > t.attempt AND (t.closed_at IS NULL OR u.settled_at <= t.closed_at)))
+ (SELECT count(*) FROM (SELECT c.seq FROM item_check f JOIN item_check c ON c.activity = f.activity
   AND c.attempt = f.attempt AND c.item = f.item AND c.seq > f.seq WHERE f.ncr = t.id
   AND (t.closed_at IS NULL OR c.at <= t.closed_at)
  UNION SELECT m.seq FROM measurement f JOIN measurement m ON m.activity = f.activity
   AND m.attempt = f.attempt AND m.metric = f.metric AND m.item = f.item AND m.seq > f.seq
   WHERE f.ncr = t.id AND (t.closed_at IS NULL OR m.at <= t.closed_at)))"""


table("ncr", inspections=_INSPECTIONS)(NcrRow)


class PunchRow(NamedTuple):
    """What is left to make good: an open non-conformance, or a waiver. `trade` is the role that does the work."""

    id: str
    kind: str
    activity: str
    ncr_class: str
    trade: str
    owner: str
    due: date | None
    overdue: bool
    said: str


def ncrs(snapshot: Snapshot, *, open_only: bool = False, name: str | None = None) -> list[NcrRow]:
    """Return non-conformances, oldest first."""
    wanted = "WHERE (t.closed_at IS NULL OR NOT :open_only) AND (:name IS NULL OR t.activity = :name) ORDER BY t.id"
    return rows_of(snapshot, NcrRow, wanted, open_only=open_only, name=name)


def ncr(snapshot: Snapshot, name: str) -> NcrRow | None:
    """Return a non-conformance, or None where there is none of that id."""
    return one_of(snapshot, NcrRow, "WHERE t.id = :name", name=name)


def punch(snapshot: Snapshot, today: date, organisation: str | None = None) -> list[PunchRow]:
    """Return what is left to make good, by trade, class and due date. A waiver of an earlier attempt is spent."""
    rows = {
        row.id: row for row in select(snapshot, "id IN (SELECT activity FROM ncr UNION SELECT activity FROM waiver)")
    }
    if organisation is not None:
        rows = {name: row for name, row in rows.items() if is_same(row.organisation, organisation)}
    found = []
    for n in ncrs(snapshot, open_only=True):
        if n.activity in rows:
            said = f"{n.decided}: {n.reason}" if n.decided else n.reason
            trade, overdue = rows[n.activity].plan.role, n.due is not None and n.due < today
            found.append(PunchRow(n.id, "ncr", n.activity, n.ncr_class, trade, n.owner, n.due, overdue, said))
    for w in waivers(snapshot):
        row = rows.get(w.activity)
        if row is not None and row.attempt == w.attempt:
            plan, said = row.plan, f"{w.metric}: {w.reason}"
            found.append(
                PunchRow(w.id, "waiver", w.activity, plan.ncr_class, plan.role, w.by, w.due, w.due < today, said)
            )
    return sorted(found, key=lambda p: (p.trade, p.ncr_class, p.due or date.max, p.id))
