"""Checklists: how far each is, its items with what was read, and every entry that was ever made."""

from __future__ import annotations

import json
from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot, rows_of, table
from ledger.rules.activity import Activity, words
from steps.value import Value

_DESIGN = "SELECT figures, choices FROM plan_revision ORDER BY revision DESC LIMIT 1"


@table("measurement")
class ReadingAt(NamedTuple):
    """One reading of an event, at an item."""

    seq: int
    attempt: int
    item: str
    metric: str
    value: Value | None
    unit: str


class ItemReadingRow(NamedTuple):
    """One metric read at an item."""

    metric: str
    value: Value | None
    unit: str


@table("item_check", by="t.person")
class Entry(NamedTuple):
    """One entry of a checklist as it is stored: passed where nothing is `failing`. `photos` are digests."""

    seq: int
    attempt: int
    item: str
    failing: tuple[str, ...]
    note: str
    serial: str
    photos: tuple[str, ...]
    ncr: str | None
    by: str
    at: datetime


class CheckRow(NamedTuple):
    """One entry of a checklist with what was read at the item."""

    seq: int
    attempt: int
    item: str
    failing: tuple[str, ...]
    readings: tuple[ItemReadingRow, ...]
    note: str
    serial: str
    photos: tuple[str, ...]
    ncr: str | None
    by: str
    at: datetime


class ChecklistRow(NamedTuple):
    """How far a checklist is; `items` is None where the plan does not count them."""

    activity: str
    attempt: int
    items_of: str
    items: int | None
    passed: int
    failed: int
    open: int


def entries(snapshot: Snapshot, name: str) -> list[Entry]:
    """Return every entry of every attempt, oldest first."""
    return rows_of(snapshot, Entry, "WHERE t.activity = :name ORDER BY t.seq, t.item", name=name)


def latest_entries(snapshot: Snapshot, row: Activity) -> dict[str, Entry]:
    """Return the entry that counts of each item checked in this attempt, in the order in which they were entered."""
    found: dict[str, Entry] = {}
    for entry in entries(snapshot, row.id):
        if entry.attempt == row.attempt:
            found.pop(entry.item, None)
            found[entry.item] = entry
    return found


def checklist(snapshot: Snapshot, row: Activity) -> ChecklistRow | None:
    """Return how far the checklist of an activity is in this attempt. None where none was begun."""
    checks = latest_entries(snapshot, row)
    if not checks:
        return None
    failed, plan = sum(bool(check.failing) for check in checks.values()), row.plan
    left = max((plan.items or 0) - len(checks), 0)
    passed = len(checks) - failed
    return ChecklistRow(
        row.id,
        row.attempt,
        plan.items_of or "items",
        plan.items,
        passed,
        failed,
        left,
    )


def checked_items(snapshot: Snapshot, row: Activity) -> list[CheckRow]:
    """Return the entry that counts of each item, with the last readings; failed ones first, then by name."""
    last: dict[str, dict[str, ItemReadingRow]] = {}
    for m in _readings(snapshot, row):
        if m.attempt == row.attempt:
            last.setdefault(m.item, {})[m.metric] = _reading(m)
    found = latest_entries(snapshot, row).values()
    checks = [_check(entry, tuple(last.get(entry.item, {}).values())) for entry in found]
    return sorted(checks, key=lambda check: (not check.failing, check.item))


def check_history(snapshot: Snapshot, row: Activity) -> list[CheckRow]:
    """Return every entry of every attempt with what was read then, oldest first."""
    read: dict[tuple[int, str], list[ItemReadingRow]] = {}
    for m in _readings(snapshot, row):
        read.setdefault((m.seq, m.item), []).append(_reading(m))
    return [_check(entry, tuple(read.get((entry.seq, entry.item), ()))) for entry in entries(snapshot, row.id)]


def planned_items(snapshot: Snapshot, row: Activity) -> tuple[str, ...]:
    """Return the names of an activity's items. Empty where the plan only counts them."""
    if not row.plan.items_of or not row.plan.items:
        return ()
    hosts = snapshot.db.execute("SELECT hosts FROM unit WHERE id = ?", [row.plan.unit]).fetchone()
    design = snapshot.db.execute(_DESIGN).fetchone()
    if hosts is None or design is None:
        return ()
    from steps.design.positions import item_names  # NumPy, which only names of items need

    figures, choices = (json.loads(text) for text in design)
    return item_names(
        figures,
        choices,
        row.plan.unit,
        row.plan.items_of,
        row.plan.items,
        words(hosts[0]),
    )


def unchecked_items(snapshot: Snapshot, row: Activity) -> list[str]:
    """Return the names of the items that nobody has checked in this attempt. Empty too where they have no names."""
    checked = latest_entries(snapshot, row)
    return [item for item in planned_items(snapshot, row) if item not in checked]


def _readings(snapshot: Snapshot, row: Activity) -> list[ReadingAt]:
    return rows_of(snapshot, ReadingAt, "WHERE t.activity = :name ORDER BY t.seq, t.ordinal", name=row.id)


def _reading(m: ReadingAt) -> ItemReadingRow:
    return ItemReadingRow(m.metric, m.value, m.unit)


def _check(entry: Entry, readings: tuple[ItemReadingRow, ...]) -> CheckRow:
    seq, attempt, item, failing, *rest = entry
    return CheckRow._make([seq, attempt, item, failing, readings, *rest])
