"""Checklists: their progress, the items with their last readings, and the history of all entries."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ledger.questions.records import MeasurementRow, measurements, waivers
from ledger.questions.snapshot import Snapshot, rows_of, table
from ledger.rules.activity import Activity, words
from ledger.rules.judgement import FAILED, judge_items
from ledger.rules.rows import CheckRow, ItemReadingRow, grouped
from steps.acceptance.measured import Measured

if TYPE_CHECKING:
    from steps.design.positions import Drawing

DESIGN = "SELECT figures, choices FROM plan_revision ORDER BY revision DESC LIMIT 1"
"""The figures and choices of the plan in force."""


table("item_check", by="t.person", readings="NULL")(CheckRow)


_ACCEPTING = "SELECT id FROM ncr WHERE activity = :name AND accepts"

FailedReadings = dict[str, dict[str, str | None]]
"""By item, the metrics that failed there, each with its non-conformance."""


class ChecklistRow(NamedTuple):
    """The progress of a checklist. `items` is None if the plan does not count them.

    An item that passed and that the plan does not name any more is not counted. One that failed is: it has to be settled.
    """

    activity: str
    attempt: int
    items_of: str
    items: int | None
    passed: int
    failed: int
    open: int


def entries(snapshot: Snapshot, name: str) -> list[CheckRow]:
    """Return every entry of every attempt, oldest first."""
    return rows_of(snapshot, CheckRow, "WHERE t.activity = :name ORDER BY t.seq, t.item", name=name)


def latest_entries(snapshot: Snapshot, row: Activity) -> dict[str, CheckRow]:
    """Return the last entry of each item in this attempt, in the order of those entries."""
    found: dict[str, CheckRow] = {}
    for entry in entries(snapshot, row.id):
        if entry.attempt == row.attempt:
            found.pop(entry.item, None)
            found[entry.item] = entry
    return found


def failed_readings(snapshot: Snapshot, row: Activity) -> FailedReadings:
    """Return what was last read at each item in this attempt, is not met, and is neither waived nor accepted."""
    accepting = snapshot.column(_ACCEPTING, name=row.id)
    read: dict[str, list[MeasurementRow]] = {}
    for m in measurements(snapshot, row.id):
        if m.attempt == row.attempt:
            read.setdefault(m.metric, []).append(m)
    for waiver in waivers(snapshot, row.id):
        if waiver.attempt == row.attempt:
            read.pop(waiver.metric, None)
    found: FailedReadings = {}
    for criterion in row.plan.criteria:
        readings, ncrs = [], {}
        for m in read.get(criterion.metric, ()):
            readings.append(_measured(m, accepting))
            ncrs[m.item] = m.ncr
        for item, judged in judge_items(criterion, readings).items():
            if judged.verdict == FAILED:
                found.setdefault(item, {})[criterion.metric] = ncrs[item]
    return found


def _measured(m: MeasurementRow, accepting: Collection[str]) -> Measured:
    accepted = m.ncr if m.ncr in accepting else None
    return Measured(m.metric, m.value, m.unit, m.item, accepted=accepted or "")


def standing_entries(snapshot: Snapshot, row: Activity) -> dict[str, CheckRow]:
    """Return the last entry of each item as it stands now: one that passed has failed if a reading at the item fails."""
    failed, found = failed_readings(snapshot, row), latest_entries(snapshot, row)
    for item in found.keys() & failed.keys():
        entry, ncrs = found[item], failed[item]
        failing = dict.fromkeys((*entry.failing, *ncrs))
        ncr = next(filter(None, (entry.ncr, *ncrs.values())), None)
        found[item] = entry._replace(failing=tuple(failing), ncr=ncr)
    return found


def checklist(snapshot: Snapshot, row: Activity) -> ChecklistRow | None:
    """Return the progress of an activity's checklist in this attempt. None if it has no entries yet."""
    checks = standing_entries(snapshot, row)
    if not checks:
        return None
    failed, plan = sum(bool(check.failing) for check in checks.values()), row.plan
    names = planned_items(snapshot, row)
    good = [item for item, check in checks.items() if not check.failing]
    if names:
        passed = len({*names}.intersection(good))
        left = len({*names}.difference(checks))
    else:
        passed = len(good)
        left = max((plan.items or 0) - len(checks), 0)
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
    """Return the last entry of each item with its last readings. Failed items come first, then the others by name."""
    last: dict[str, dict[str, ItemReadingRow]] = {}
    for m in measurements(snapshot, row.id):
        if m.attempt == row.attempt:
            last.setdefault(m.item, {})[m.metric] = _reading(m)
    found = standing_entries(snapshot, row).values()
    read = ((entry, last.get(entry.item, {})) for entry in found)
    checks = [entry._replace(readings=tuple(readings.values())) for entry, readings in read]
    return sorted(checks, key=lambda check: (not check.failing, check.item))


def check_history(snapshot: Snapshot, row: Activity) -> list[CheckRow]:
    """Return every entry of every attempt with the readings that were entered with it, oldest first."""
    found = measurements(snapshot, row.id)
    read = grouped(((m.seq, m.item), _reading(m)) for m in found)
    history = []
    for entry in entries(snapshot, row.id):
        readings = read.get((entry.seq, entry.item), ())
        history.append(entry._replace(readings=tuple(readings)))
    return history


def planned_items(snapshot: Snapshot, row: Activity) -> tuple[str, ...]:
    """Return the names of an activity's items. Empty if the plan only counts them."""
    if not row.plan.items_of or not row.plan.items:
        return ()
    hosts = snapshot.first("SELECT hosts FROM unit WHERE id = :unit", unit=row.plan.unit)
    design = snapshot.first(DESIGN)
    if hosts is None or design is None:
        return ()
    from steps.design.positions import item_names  # NumPy is slow to import, and only this needs it

    return item_names(
        drawing(*design),
        row.plan.unit,
        row.plan.items_of,
        row.plan.items,
        words(hosts[0]),
    )


@lru_cache(maxsize=2)
def drawing(figures: str, choices: str) -> Drawing | None:
    """Return the cable schedules of a design in JSON. The last are kept, because a list names the items of many units."""
    from steps.design.positions import drawing_of

    return drawing_of(json.loads(figures), json.loads(choices))


def unchecked_items(snapshot: Snapshot, row: Activity) -> list[str]:
    """Return the names of the items that nobody checked in this attempt. Empty if the items have no names."""
    checked = latest_entries(snapshot, row)
    return [item for item in planned_items(snapshot, row) if item not in checked]


def _reading(m: MeasurementRow) -> ItemReadingRow:
    return ItemReadingRow(m.metric, m.value, m.unit)
