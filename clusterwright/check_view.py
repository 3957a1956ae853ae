"""A checklist for eyes and as JSON, and what was recorded of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clusterwright.output import Cells, Document, in_line, print_json, say, table
from ledger.questions.cabling import cable_ends
from ledger.questions.checks import ChecklistRow, check_history, checked_items, checklist, unchecked_items
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.rows import CheckRow, ItemReadingRow
from steps.stamps import minute

if TYPE_CHECKING:
    from ledger.subjects.checklists.decisions import Checked  # SQLAlchemy, which `show` does without; test_start_up


class Checklist(NamedTuple):
    """A checklist: its counts, and its items in the order in which they want attention."""

    activity: str
    attempt: int
    items_of: str | None
    items: int | None
    passed: int
    failed: int
    open: int | None
    rows: list[Document]


def checklist_of(snapshot: Snapshot, row: Activity, *, open_only: bool, history: bool) -> Checklist:
    """Return the checklist of an activity, or with `history` every entry that was ever made."""
    done = checklist(snapshot, row)
    passed, failed, left = (done.passed, done.failed, done.open) if done else (0, 0, row.plan.items)
    checks = check_history(snapshot, row) if history else checked_items(snapshot, row)
    rows = [_item(check) for check in checks if history or check.failing or not open_only]
    if not history:
        rows += [{"item": item, "state": "open"} for item in unchecked_items(snapshot, row)]
    ends = cable_ends(snapshot, row.plan.unit, [item["item"] for item in rows])
    rows = [item | {"where": ends[item["item"]].where} if item["item"] in ends else item for item in rows]
    return Checklist(row.id, row.attempt, row.plan.items_of, row.plan.items, passed, failed, left, rows)


def _item(check: CheckRow) -> Document:
    return {"item": check.item, "state": _state(check.failing)} | check._asdict()


def _state(failing: tuple[str, ...]) -> str:
    return "failed" if failing else "passed"


def print_checklist(found: Checklist, zone: str) -> None:
    """Print a checklist: its counts, then its items."""
    print(in_line(f"{found.activity}: {counts(found)}"))
    if found.rows:
        where = ("where",) if any("where" in r for r in found.rows) else ()
        headers = ("item", "state", *where, "readings", "serial", "note", "ncr", "who", "when")
        table(headers, [_cells(r, where, zone) for r in found.rows])
    unnamed = (found.open or 0) - sum(row["state"] == "open" for row in found.rows)
    if unnamed > 0:
        print(f"{unnamed} more are open; the plan counts them and does not name them")


def _cells(r: Document, where: tuple[str, ...], zone: str) -> Cells:
    readings = "; ".join(_reading(reading) for reading in r.get("readings", ()))
    noted = [r.get(name) for name in ("serial", "note", "ncr", "by")]
    when = minute(r.get("at"), zone)
    return r["item"], r["state"], *map(r.get, where), readings, *noted, when


def _reading(reading: ItemReadingRow) -> str:
    if isinstance(reading.value, bool):
        return f"{reading.metric} {'yes' if reading.value else 'no'}"
    return f"{reading.metric} {reading.value} {reading.unit}".strip()


def counts(found: Checklist | ChecklistRow) -> str:
    """Return how far a checklist is, in words."""
    of = found.items_of or "items"
    total = of if found.items is None else f"{found.items} {of}"
    open_ = "" if found.open is None else f", {found.open} open"
    return in_line(f"{total}: {found.passed} passed, {found.failed} failed{open_}")


def tell_recorded(done: Checked, of: int, as_json: bool) -> None:
    """Say what was recorded of `of` entries, in words or as JSON with stable keys."""
    if as_json:
        print_json(_recorded(done))
    elif not done.items:
        say(f"{of} items, all of them recorded before; nothing changed")
    elif of == 1:
        _say_item(done)
    else:
        _say_items(done, of)
    if done.ncr and not as_json:
        say(f"{done.ncr} is open: `clusterwright ncr show {done.ncr}`")


def _recorded(done: Checked) -> Document:
    return {
        "recorded": len(done.items),
        "recorded_before": done.recorded_before,
        "ncr": done.ncr,
        "items": [
            {
                "item": i.item,
                "state": _state(i.failing),
                "ncr": i.ncr,
                "readings": i.verdicts,
            }
            for i in done.items
        ],
    }


def _say_item(done: Checked) -> None:
    (item,) = done.items
    under = f" ({item.ncr})" if item.ncr else ""
    say(f"{item.item} {_state(item.failing)}{under}")
    for verdict in item.verdicts:
        say(f"  {verdict}")


def _say_items(done: Checked, of: int) -> None:
    failed = [item for item in done.items if item.failing]
    before = f", {done.recorded_before} recorded before" if done.recorded_before else ""
    say(f"{of} items: {len(done.items) - len(failed)} passed, {len(failed)} failed{before}")
    for item in failed:
        reasons = [str(verdict) for verdict in item.verdicts if verdict.metric in item.failing]
        reasons += [item.note] if item.note else []
        say(f"  {item.item} failed ({item.ncr}): {'; '.join(reasons)}")
