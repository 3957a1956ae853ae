"""A checklist for eyes, as JSON, and as a CSV to fill in."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any

from clusterwright.output import clean, minute, say, table
from ledger.questions.case import require_activity
from ledger.questions.checks import check_history, checked_items, checklist, unchecked_items
from ledger.questions.why import criteria

if TYPE_CHECKING:
    from ledger.decisions.checklists import Checked
    from ledger.questions.checks import CheckRow
    from ledger.questions.snapshot import Snapshot
    from ledger.rules.activity import Activity


def checklist_document(reader: Snapshot, row: Activity, *, open_only: bool, history: bool) -> dict[str, Any]:
    """Give a checklist with stable keys: its counts, and its items in the order in which they want attention."""
    done = checklist(reader, require_activity(reader, row.id))
    checks = (
        check_history(reader, require_activity(reader, row.id))
        if history
        else checked_items(reader, require_activity(reader, row.id))
    )
    rows = [_said(check) for check in checks if history or check.failing or not open_only]
    if not history:
        rows += [{"item": item, "state": "open"} for item in unchecked_items(reader, require_activity(reader, row.id))]
    return {
        "activity": row.id,
        "attempt": row.attempt,
        "items_of": row.plan.items_of,
        "items": row.plan.items,
        "passed": done.passed if done else 0,
        "failed": done.failed if done else 0,
        "open": done.open if done else row.plan.items,
        "rows": rows,
    }


def print_checklist(document: dict[str, Any], zone: str) -> None:
    """Print a checklist: its counts, then its items."""
    print(clean(f"{document['activity']}: {counts(document)}"))
    headers = ("item", "state", "readings", "serial", "note", "ncr", "who", "when")
    rows = [
        (
            r["item"],
            r["state"],
            "; ".join(_reading(x) for x in r.get("readings", ())),
            r.get("serial", ""),
            r.get("note", ""),
            r.get("ncr") or "",
            r.get("by", ""),
            minute(r.get("at"), zone),
        )
        for r in document["rows"]
    ]
    if rows:
        table(headers, rows)
    unnamed = (document["open"] or 0) - sum(r["state"] == "open" for r in document["rows"])
    if unnamed > 0:
        print(f"{unnamed} more are open; the plan counts them and does not name them")


def counts(done: Any) -> str:
    """Give how far a checklist is, in words."""
    held = done if isinstance(done, dict) else done._asdict()
    of = held["items_of"] or "items"
    total = f"{held['items']} {of}" if held["items"] is not None else of
    left = f", {held['open']} open" if held["open"] is not None else ""
    return clean(f"{total}: {held['passed']} passed, {held['failed']} failed{left}")


def print_template(reader: Snapshot, row: Activity) -> None:
    """Print a CSV with the items that are left and a column for each criterion that every item is held against."""
    metrics = [f"{c.metric} [{c.unit}]" for c in criteria(reader, row.id) if c.each]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["item", "result", *metrics, "serial", "note", "photo"])
    writer.writerows(
        [item, "", *("" for _ in metrics), "", "", ""]
        for item in unchecked_items(reader, require_activity(reader, row.id))
    )


def say_recorded(done: Checked, *, of: int) -> None:
    """Say what was recorded; `of` is how many entries were handed over."""
    failed = [item for item in done.items if item.failing]
    if not done.items:
        say(f"{of} items, all of them recorded before; nothing changed")
    elif of == 1:
        for item in done.items:
            what = "failed" if item.failing else "passed"
            say(f"{item.item} {what}{f' ({item.ncr})' if item.ncr else ''}")
            for verdict in item.verdicts:
                say(f"  {verdict}")
    else:
        before = f", {done.recorded_before} recorded before" if done.recorded_before else ""
        say(f"{of} items: {len(done.items) - len(failed)} passed, {len(failed)} failed{before}")
        for item in failed:
            reasons = [str(v) for v in item.verdicts if v.metric in item.failing] + [item.note] * bool(item.note)
            say(f"  {item.item} failed ({item.ncr}): {'; '.join(reasons)}")
    if done.ncr:
        say(f"{done.ncr} is open: `clusterwright ncr show {done.ncr}`")


def recorded_document(done: Checked) -> dict[str, Any]:
    """Give what was recorded, with stable keys."""
    return {
        "recorded": len(done.items),
        "recorded_before": done.recorded_before,
        "ncr": done.ncr,
        "items": [
            {"item": i.item, "state": "failed" if i.failing else "passed", "ncr": i.ncr, "readings": i.verdicts}
            for i in done.items
        ],
    }


def _said(check: CheckRow) -> dict[str, Any]:
    return {"item": check.item, "state": "failed" if check.failing else "passed"} | {
        name: value for name, value in check._asdict().items() if name != "item"
    }


def _reading(reading: Any) -> str:
    value = (
        {True: "yes", False: "no"}.get(reading.value, reading.value)
        if isinstance(reading.value, bool)
        else reading.value
    )
    return f"{reading.metric} {value} {'' if isinstance(reading.value, bool) else reading.unit}".strip()
