"""Entries that people made and can take back, and those that were taken back."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from ledger.questions.case import LookedUp
from ledger.questions.snapshot import Snapshot, one_of, rows_of, table
from ledger.rules.subjects import is_delivery
from ledger.subjects.corrections.rules import EntryRow, correct, refuse_uncorrectable
from schedule.errors import ClusterwrightError

_BEGUN = """
SELECT l."after" FROM link l JOIN activity a ON a.id = l."after"
WHERE l."before" = :node AND l.side = 'start' AND (NOT :by_start OR l.type = 'SS')
  AND a.state NOT IN ('open', 'not_applicable')"""


table("entry")(EntryRow)


@table("correction", by="t.person")
class CorrectionRow(NamedTuple):
    """An entry that was taken back: the event that made it, its kind, who had made it, who took it back, and why."""

    seq: int
    entry: int
    kind: str
    subject: str
    entered_by: str
    by: str
    role: str
    reason: str
    at: datetime


def corrections(snapshot: Snapshot, subject: str | None = None) -> list[CorrectionRow]:
    """Return what was taken back about an activity, an order or a delivery, or all of it, oldest first."""
    return rows_of(
        snapshot, CorrectionRow, "WHERE (:subject IS NULL OR t.subject = :subject) ORDER BY t.seq", subject=subject
    )


def require_entry(snapshot: Snapshot, seq: int) -> EntryRow:
    """Return an entry by the number of its event. Raise InputError for any other event."""
    found = one_of(snapshot, EntryRow, "WHERE t.seq = :seq", seq=seq)
    if found is not None:
        return found
    event = snapshot.first("SELECT kind FROM event WHERE seq = :seq", seq=seq)
    raise refuse_uncorrectable(seq, event and event[0])


def later_entries(snapshot: Snapshot, entry: EntryRow) -> list[EntryRow]:
    """Return the entries after one that are about the same subject. After an order, those about its deliveries too."""
    below = f"{entry.subject}/" if "#" in entry.subject and not is_delivery(entry.subject) else entry.subject
    later = "WHERE t.seq > :seq AND (t.subject = :subject OR substr(t.subject, 1, :long) = :below) ORDER BY t.seq"
    about = {"seq": entry.seq, "subject": entry.subject}
    rows = rows_of(snapshot, EntryRow, later, below=below, long=len(below), **about)
    return [row for row in rows if row.subject == entry.subject or entry.kind == "order.placed"]


def last_entries(snapshot: Snapshot, subject: str) -> list[EntryRow]:
    """Return the entries about a subject that count, newest first."""
    count = "WHERE t.subject = :subject AND t.taken_back IS NULL ORDER BY t.seq DESC"
    return rows_of(snapshot, EntryRow, count, subject=subject)


def correctable(case: LookedUp) -> list[int]:
    """Return the events of the entries about an activity that the person may take back now, newest first."""
    entries = last_entries(case.snapshot, case.row.id)
    begun = begun_because(case.snapshot, case.row.id, by_start=True)
    found = []
    for place, entry in enumerate(entries):
        with suppress(ClusterwrightError):
            correct(case, entry, entries[:place], begun)
            found.append(entry.seq)
    return found


def begun_because(snapshot: Snapshot, node: str, *, by_start: bool = False) -> list[str]:
    """Return the activities that began and come directly after a node. With `by_start`, those that only waited for its start."""
    return snapshot.column(_BEGUN, node=node, by_start=by_start)
