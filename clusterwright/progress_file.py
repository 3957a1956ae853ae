"""Reading progress.csv: what was done before Clusterwright, a row an activity."""

from datetime import datetime
from pathlib import Path

from clusterwright.commands.options import SHOWN, YEARS
from clusterwright.text_file import text_in
from ledger.entries import ProgressRow
from schedule.csv_lines import numbered_rows
from schedule.errors import InputError, Place
from steps.stamps import at_site

COLUMNS = ("activity", "state", "started", "finished", "by", "note", "out_of_sequence")


def read_progress(path: Path, zone: str) -> list[ProgressRow]:
    """Return the rows of a progress file. Times without an offset are in the zone. Raise for the first fault, with its file, line and column."""
    rows = numbered_rows(text_in(path).encode(), str(path))
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    missing = [column for column in COLUMNS[:2] if column not in header]
    if missing:
        raise InputError(
            f"the column {missing[0]!r} is missing", hint="columns: " + ", ".join(COLUMNS), place=Place(str(path), 1)
        )
    found = []
    for line, cells in rows[1:]:
        if any(cells):
            found.append(_row(path, line, dict(zip(header, cells, strict=False)), zone))
    return found


def _row(path: Path, line: int, row: dict[str, str], zone: str) -> ProgressRow:
    state = row.get("state", "").strip()
    if state not in {"done", "in_progress"}:
        raise InputError(
            f"the state is done or in_progress, not {state[:SHOWN]!r}", place=Place(str(path), line, "state")
        )
    return ProgressRow(
        line=line,
        activity=row.get("activity", "").strip(),
        state=state,
        started=_instant(row.get("started"), Place(str(path), line, "started"), zone),
        finished=_instant(row.get("finished"), Place(str(path), line, "finished"), zone),
        by=(row.get("by") or "").strip(),
        note=(row.get("note") or "").strip(),
        out_of_sequence=(row.get("out_of_sequence") or "").strip(),
    )


def _instant(text: str | None, place: Place, zone: str) -> datetime | None:
    if not text or not text.strip():
        return None
    try:
        found = at_site(datetime.fromisoformat(text.strip()), zone)
    except InputError as unclear:
        raise InputError(unclear.what, hint=unclear.hint, place=place) from None
    except (ValueError, OverflowError):
        raise InputError(f"{text[:SHOWN]!r} is not a date", hint="write 2026-11-21", place=place) from None
    if found.year not in YEARS:
        raise InputError(f"{text[:SHOWN]!r} is in no year from {YEARS[0]} to {YEARS[-1]}", place=place)
    return found
