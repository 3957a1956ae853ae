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
from clusterwright.output import say
from clusterwright.progress_file import read_progress
from ledger.questions.site import site_of
from ledger.subjects.plan import progress_decisions as progress


def import_progress(
    me: Signing,
    file: Annotated[Path, Argument(help="The CSV.")],
    yes: Annotated[bool, Option("--yes", help="Record it; without it only the check is made.")] = False,
) -> None:
    with me.deciding() as decider:
        rows = read_progress(file, site_of(decider.snapshot).time_zone)
        if yes:
            decider.take(progress.import_progress, rows)
        else:
            progress.import_progress(decider.ledger, decider.person, rows, dry_run=True)
    say(f"{len(rows)} rows recorded" if yes else f"{len(rows)} rows are right; nothing is recorded without --yes")
