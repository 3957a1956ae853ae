"""One line of a barcode scanner: an item that is good, or an item and the serial number of what stands there.

A scanner says nothing but that somebody held it there: an item that failed is not made good by it.
"""

from __future__ import annotations

from typing import NamedTuple

from ledger.checklist import Roster, latest_checks, planned_items
from ledger.database import Ledger
from ledger.services.checking import check
from ledger.tables import Activity, ItemCheck
from ledger.values import ItemEntry
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError


class Scanned(NamedTuple):
    """An item that was scanned; `already` where the record had it, and how many of how many have passed now."""

    item: str
    already: bool
    passed: int
    items: int | None


def scan(ledger: Ledger, actor: str, activity: str, line: str) -> Scanned:
    """Record one scanned item as passed; one that has passed already is left as it is, unless its serial number is new."""
    words = line.split()
    if len(words) not in {1, 2}:
        raise InputError("a line holds an item, or an item and its serial number")
    with ledger.batch():
        with ledger.write() as writing:
            row = writing.activity(activity)
            before = _before(writing, row, words[0])
        already = before is not None and (len(words) == 1 or before.serial.casefold() == words[1].casefold())
        entry = ItemEntry(words[0], serial=words[1] if len(words) == 2 else None)
        if before is None or not already:
            item = check(ledger, actor, activity, [entry], source="scanner").items[0].item
        else:
            item = before.item
        with ledger.write() as writing:
            passed = sum(not one.failing for one in latest_checks(writing.session, row).values())
            return Scanned(item, already, passed, row.items)


def _before(writing: Writing, row: Activity, name: str) -> ItemCheck | None:
    """Give the last entry of the item that is meant; a failed one is refused."""
    checks = latest_checks(writing.session, row)
    before = checks.get(Roster(row, planned_items(writing.session, row), checks).item(name))
    if before is not None and before.failing:
        raise NotSatisfiedError(
            f"{before.item} failed and is not made good by a scan ({before.ncr})",
            hint=f"`clusterwright check {row.id} {before.item}` when it was inspected again",
        )
    return before
