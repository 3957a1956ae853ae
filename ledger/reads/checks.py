"""Checklists: how far each is, its items with what was read, and every entry that was ever made."""

from __future__ import annotations

import json
from typing import Any

from ledger.reads.connected import Connected, words
from ledger.reads.record_rows import ChecklistRow, CheckRow, ItemReadingRow
from ledger.reads.records import moment_of
from steps.value import text_value

_ENTRIES = (
    "SELECT c.seq, c.attempt, c.item, c.failing, c.note, c.serial, c.photos, c.ncr, c.person, c.at FROM item_check c"
    " JOIN activity a ON a.id = c.activity WHERE c.activity = ?"
)
_LAST = (
    " AND c.attempt = a.attempt AND c.seq = (SELECT max(l.seq) FROM item_check l"
    " WHERE l.activity = c.activity AND l.attempt = c.attempt AND l.item = c.item)"
)


class ChecklistReads(Connected):
    """Questions about checklists."""

    def checklist(self, name: str) -> ChecklistRow | None:
        """Give how far the checklist of an activity is in this attempt; None where none was begun."""
        checks = self.checked_items(name)
        found = self.row("SELECT items_of, items, attempt FROM activity WHERE id = ?", name)
        if found is None or not checks:
            return None
        failed = sum(bool(check.failing) for check in checks)
        left = max((found[1] or 0) - len(checks), 0)
        return ChecklistRow(name, found[2], found[0] or "items", found[1], len(checks) - failed, failed, left)

    def checked_items(self, name: str) -> list[CheckRow]:
        """Give the entry that counts of each item in this attempt, with the last readings; failed ones first, then by name."""
        last: dict[str, dict[str, ItemReadingRow]] = {}
        for item, *read in self.rows(
            "SELECT m.item, m.metric, m.value, m.unit FROM measurement m JOIN activity a"
            " ON a.id = m.activity AND a.attempt = m.attempt WHERE m.activity = ? ORDER BY m.seq, m.ordinal",
            name,
        ):
            last.setdefault(item, {})[read[0]] = ItemReadingRow(read[0], text_value(read[1]), read[2])
        rows = [_check(r, tuple(last.get(r[2], {}).values())) for r in self.rows(_ENTRIES + _LAST, name)]
        return sorted(rows, key=lambda c: (not c.failing, c.item))

    def check_history(self, name: str) -> list[CheckRow]:
        """Give every entry of every attempt with what was read then, oldest first."""
        read: dict[tuple[int, str], list[ItemReadingRow]] = {}
        for seq, item, metric, value, unit in self.rows(
            "SELECT seq, item, metric, value, unit FROM measurement WHERE activity = ? ORDER BY seq, ordinal", name
        ):
            read.setdefault((seq, item), []).append(ItemReadingRow(metric, text_value(value), unit))
        rows = self.rows(_ENTRIES + " ORDER BY c.seq, c.item", name)
        return [_check(r, tuple(read.get((r[0], r[2]), ()))) for r in rows]

    def unchecked_items(self, name: str) -> list[str]:
        """Give the names of the items that nobody has checked in this attempt; empty too where they have no names."""
        found = self.row(
            "SELECT p.figures, p.choices, a.unit, a.items_of, a.items, u.hosts FROM activity a"
            " JOIN unit u ON u.id = a.unit JOIN plan_revision p ON p.revision = (SELECT max(revision) FROM plan_revision)"
            " WHERE a.id = ?",
            name,
        )
        if found is None or not found[3] or not found[4]:
            return []
        from steps.design.positions import item_names  # NumPy, which only a list of what is left needs

        checked = {check.item for check in self.checked_items(name)}
        names = item_names(json.loads(found[0]), json.loads(found[1]), found[2], found[3], found[4], words(found[5]))
        return [item for item in names if item not in checked]


def _check(r: tuple[Any, ...], readings: tuple[ItemReadingRow, ...]) -> CheckRow:
    return CheckRow._make((*r[:3], words(r[3]), readings, *r[4:6], words(r[6]), *r[7:9], moment_of(r[9])))
