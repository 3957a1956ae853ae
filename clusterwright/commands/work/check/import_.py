"""Record a CSV that came back from the field.

All of it is recorded, or none. Rows that say what the record says already change nothing. Columns: item, result, note, photo,
serial, and metrics with their unit, as `rack.bond_resistance [mohm]`.

Example:
    clusterwright check import H08@pod-001 field.csv

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.check_file import read_checks
from clusterwright.check_view import tell_recorded
from clusterwright.commands.acting import Reporting
from clusterwright.commands.handing import say_shut_out
from clusterwright.commands.options import ActivityId, JsonOption
from clusterwright.output import say
from ledger.subjects.checklists import decisions as checklists


def import_(
    me: Reporting,
    activity: ActivityId,
    file: Annotated[Path, Argument(metavar="FILE", help="The CSV.")],
    source: Annotated[str | None, Option(help="The instrument or document; the file's name.")] = None,
    as_json: JsonOption = False,
) -> None:
    read = read_checks(file)
    say_shut_out(me, [activity])
    entries, said_by = read.entries, source or file.name
    done = me.take(
        checklists.check,
        activity,
        entries,
        source=said_by,
        skip_recorded=True,
    )
    tell_recorded(done, len(entries), as_json)
    if read.empty:
        say(f"rows that say nothing yet: {read.empty}")
