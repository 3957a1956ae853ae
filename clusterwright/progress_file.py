"""Reading progress.csv: what was done before Clusterwright, a row an activity."""

import csv
from datetime import UTC, datetime
from pathlib import Path

from ledger.entries import ProgressRow
from ledger.evidence.store import content_of
from ledger.rules.csv_lines import text_of
from steps.errors import InputError, Place

COLUMNS = ("activity", "state", "started", "finished", "by", "note")


def read_progress(path: Path) -> list[ProgressRow]:
    """Return the rows of a progress file. Raise for the first fault, with its file, line and column."""
    text = text_of(content_of(path.resolve(), str(path)), str(path))
    reader = csv.DictReader(text.splitlines())
    missing = [c for c in COLUMNS[:2] if c not in (reader.fieldnames or ())]
    if missing:
        raise InputError(
            f"the column {missing[0]!r} is missing", hint="columns: " + ", ".join(COLUMNS), place=Place(str(path), 1)
        )
    return [_row(path, line, row) for line, row in enumerate(reader, start=2)]


def _row(path: Path, line: int, row: dict[str, str]) -> ProgressRow:
    if row["state"] not in {"done", "in_progress"}:
        raise InputError(
            f"the state is done or in_progress, not {row['state']!r}", place=Place(str(path), line, "state")
        )
    return ProgressRow(
        line=line,
        activity=row["activity"].strip(),
        state=row["state"],
        started=_instant(row.get("started"), Place(str(path), line, "started")),
        finished=_instant(row.get("finished"), Place(str(path), line, "finished")),
        by=(row.get("by") or "").strip(),
        note=(row.get("note") or "").strip(),
    )


def _instant(text: str | None, place: Place) -> datetime | None:
    if not text or not text.strip():
        return None
    try:
        given = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(f"{text!r} is not a date", hint="write 2026-11-21", place=place) from None
    return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
