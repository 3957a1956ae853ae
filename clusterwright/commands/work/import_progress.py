"""Record what was done before Clusterwright, from a CSV.

Without --yes the rows are only checked. Columns: activity, state (done or in_progress), started, finished, by, note, and
out_of_sequence, which says why something was done although something before it is open.

Example:
    clusterwright import-progress progress.csv
    clusterwright import-progress progress.csv --yes

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Signing
from clusterwright.commands.consequences import say_what_moves
from clusterwright.commands.options import SHOWN
from clusterwright.filled_lines import FilledLine, read_lines
from clusterwright.output import say
from ledger.entries import ProgressRow
from ledger.questions.site import site_of
from ledger.subjects.plan import progress_decisions as progress
from schedule.errors import InputError, Place

COLUMNS = ("activity", "state", "started", "finished", "by", "note", "out_of_sequence")


def import_progress(
    me: Signing,
    file: Annotated[Path, Argument(help="The CSV.")],
    yes: Annotated[bool, Option("--yes", help="Record it; without it only the check is made.")] = False,
) -> None:
    with me.deciding() as decider:
        zone = site_of(decider.snapshot).time_zone
        rows = [_row(line, zone) for line in read_lines(file, COLUMNS, COLUMNS[:2])]
        if yes:
            decider.take(progress.import_progress, rows)
        else:
            progress.import_progress(decider.ledger, decider.person, rows, dry_run=True)
    if not yes:
        say(f"{len(rows)} rows are right; nothing is recorded without --yes")
        return
    say(f"{len(rows)} rows recorded")
    say_what_moves(me)


def _row(line: FilledLine, zone: str) -> ProgressRow:
    """Return a row of a progress file. Times without an offset are in the zone. Raise for the first fault, with its file, line and column."""
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
