"""Reading progress.csv: what was done before Clusterwright, a row an activity."""

from pathlib import Path

from clusterwright.commands.options import SHOWN
from clusterwright.filled_lines import FilledLine, read_lines
from ledger.entries import ProgressRow
from schedule.errors import InputError, Place

COLUMNS = ("activity", "state", "started", "finished", "by", "note", "out_of_sequence")


def read_progress(path: Path, zone: str) -> list[ProgressRow]:
    """Return the rows of a progress file. Times without an offset are in the zone. Raise for the first fault, with its file, line and column."""
    return [_row(line, zone) for line in read_lines(path, COLUMNS, COLUMNS[:2])]


def _row(line: FilledLine, zone: str) -> ProgressRow:
    line.refuse_beyond()
    state, place = line.text("state"), line.place
    if state not in {"done", "in_progress"}:
        at = Place(place.file, place.line, "state")
        raise InputError(f"the state is done or in_progress, not {state[:SHOWN]!r}", place=at)
    return ProgressRow(
        line=place.line or 0,
        activity=line.text("activity"),
        state=state,
        started=line.moment("started", zone),
        finished=line.moment("finished", zone),
        by=line.text("by"),
        note=line.text("note"),
        out_of_sequence=line.text("out_of_sequence"),
    )
