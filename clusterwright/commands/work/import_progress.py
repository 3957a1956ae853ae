"""Record what was done before Clusterwright, from a CSV.

Without --yes the rows are only checked. Columns: activity, state (done or in_progress), started, finished, by, note.

Example:
    clusterwright import-progress progress.csv
    clusterwright import-progress progress.csv --yes

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Acting
from clusterwright.output import say
from clusterwright.progress_file import read_progress
from ledger.decisions import progress


def import_progress(
    me: Acting,
    file: Annotated[Path, Argument(help="The CSV.")],
    yes: Annotated[bool, Option("--yes", help="Record it; without it only the check is made.")] = False,
) -> None:
    rows = read_progress(file)
    me.take(progress.import_progress, rows, dry_run=not yes)
    say(f"{len(rows)} rows recorded" if yes else f"{len(rows)} rows are right; nothing is recorded without --yes")
