"""Non-conformances, and the punch list: everything that is still to be made good."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from ledger.questions.case import case_of, select
from ledger.questions.records import WaiverRow, items, waivers
from ledger.questions.snapshot import Snapshot, one_of, rows_of, table
from ledger.rules.access import ENGINE
from ledger.rules.activity import Activity
from ledger.rules.judgement import MET
from ledger.rules.permission import is_same
from ledger.rules.rows import NcrRow
from ledger.rules.version import FAULTS_AND_INVITATIONS
from ledger.subjects.checklists.rules import unread_at
from ledger.subjects.runs.cause_rules import why_failed
from schedule.errors import InputError

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


_TAKES_MORE = (
    f"n.closed_at IS NULL AND ((SELECT rules FROM site) < {FAULTS_AND_INVITATIONS} OR n.decided <> 'use-as-is')"  # noqa: S608  our own text
)
"""Whether a later failure belongs to a non-conformance: it is open, and from version 6 of the rules on not used as it is."""

_OF_READINGS = f"""
SELECT m.metric, m.item, m.ncr FROM measurement m JOIN ncr n ON n.id = m.ncr
WHERE m.activity = :name AND m.attempt = :attempt AND {_TAKES_MORE} ORDER BY m.seq"""  # noqa: S608  our own text
_OF_RUNS = """
SELECT n.id, u.id, u.summary FROM ncr n JOIN run u ON u.activity = n.activity AND u.attempt = n.attempt
WHERE n.activity = :name AND n.closed_at IS NULL AND n.opened_by = :engine AND u.result = 'failed' ORDER BY n.id"""
_OF_ITEMS = f"""
SELECT c.item, c.ncr FROM item_check c JOIN ncr n ON n.id = c.ncr
WHERE c.activity = :name AND c.attempt = :attempt AND {_TAKES_MORE} ORDER BY c.seq"""  # noqa: S608  our own text

table("ncr", inspections=_INSPECTIONS)(NcrRow)


class PunchRow(NamedTuple):
    """A punch item: an open non-conformance or a waiver. `trade` is the role that does the work."""

    id: str
    kind: str
    activity: str
    ncr_class: str
    trade: str
    owner: str
    due: date | None
    overdue: bool
    said: str


def ncrs(
    snapshot: Snapshot,
    *,
    open_only: bool = False,
    name: str | None = None,
) -> list[NcrRow]:
    """Return non-conformances, oldest first."""
    wanted = "WHERE (t.closed_at IS NULL OR NOT :open_only) AND (:name IS NULL OR t.activity = :name) ORDER BY t.id"
    return rows_of(snapshot, NcrRow, wanted, open_only=open_only, name=name)


def open_ncrs_of_readings(snapshot: Snapshot, row: Activity) -> dict[tuple[str, str], str]:
    """Return the open non-conformance of each metric and item whose reading failed in this attempt."""
    found = snapshot.ask(_OF_READINGS, name=row.id, attempt=row.attempt)
    return {(metric, item): ncr for metric, item, ncr in found}


def open_ncrs_of_items(snapshot: Snapshot, row: Activity) -> dict[str, str]:
    """Return the open non-conformance of each item of a checklist that failed in this attempt."""
    return dict(snapshot.ask(_OF_ITEMS, name=row.id, attempt=row.attempt))


def open_ncrs_of_runs(snapshot: Snapshot, row: Activity) -> dict[str, frozenset[str]]:
    """Return the open non-conformances that failed runs of an activity opened, oldest first, with the causes of each."""
    found = snapshot.ask(_OF_RUNS, name=row.id, engine=ENGINE)
    return {ncr: why_failed(items(snapshot, run), summary) for ncr, run, summary in found}


def waiver_of(snapshot: Snapshot, row: Activity) -> str | None:
    """Return the first waiver of this attempt, which permits use-as-is. None if there is none."""
    found = waivers(snapshot, row.id)
    mine = (waiver.id for waiver in found if waiver.attempt == row.attempt)
    return next(mine, None)


def require_ncr(snapshot: Snapshot, name: str) -> NcrRow:
    """Return a non-conformance. Raise InputError for an unknown id."""
    found = one_of(snapshot, NcrRow, "WHERE t.id = :name", name=name)
    if found is None:
        raise InputError(f"there is no non-conformance {name!r}", hint="`clusterwright ncr list` lists them")
    return found


def punch(snapshot: Snapshot, today: date, organisation: str | None = None) -> list[PunchRow]:
    """Return the punch list by trade, class and due date. A waiver counts in the attempt for which it was decided, until its criterion is met."""
    with_items = select(snapshot, "id IN (SELECT activity FROM ncr UNION SELECT activity FROM waiver)")
    if organisation is not None:
        with_items = [row for row in with_items if is_same(row.organisation, organisation)]
    rows = {row.id: row for row in with_items}
    found = []
    for n in ncrs(snapshot, open_only=True):
        if n.activity in rows:
            said = f"{n.decided}: {n.reason}" if n.decided else n.reason
            item = PunchRow(
                n.id,
                "ncr",
                n.activity,
                n.ncr_class,
                rows[n.activity].plan.role,
                n.owner,
                n.due,
                overdue=n.due is not None and n.due < today,
                said=said,
            )
            found.append(item)
    for w in waivers(snapshot):
        row = rows.get(w.activity)
        if row is not None and is_open_waiver(snapshot, w, row.attempt):
            item = PunchRow(
                w.id,
                "waiver",
                w.activity,
                row.plan.ncr_class,
                row.plan.role,
                w.by,
                w.due,
                overdue=w.due < today,
                said=f"{w.metric}: {w.reason}",
            )
            found.append(item)
    return sorted(found, key=_place_in_list)


def is_open_waiver(snapshot: Snapshot, waiver: WaiverRow, attempt: int) -> bool:
    """Return whether a waiver is of this attempt, and its criterion is still not met, or was not read at every item."""
    if waiver.attempt != attempt:
        return False
    case = case_of(snapshot, waiver.activity, ENGINE)
    about = [one for one in case.judgements if one.criterion.metric == waiver.metric]
    if {one.judged.verdict for one in about} != {MET}:
        return True
    return any(unread_at(case, one.criterion) for one in about)


def _place_in_list(item: PunchRow) -> tuple[str, str, date, str]:
    return item.trade, item.ncr_class, item.due or date.max, item.id
