"""Work out the dates of any network in CSV files.

FILE is a .csv file with a row an activity, or a folder with activities.csv, resources.csv and calendars.csv.
docs/reference/schedule.md has the columns. Nothing is recorded, and no site is needed.

Example:
    clusterwright schedule activities.csv
    clusterwright schedule project/ --level --risk 1000
    clusterwright schedule project/ --level --json

"""

import os
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.options import JsonOption
from clusterwright.output import print_json


def schedule(
    file: Annotated[Path, Argument(help="A .csv file, or a folder.")],
    level: Annotated[bool, Option("--level", help="Dates that the resources can keep.")] = False,
    risk: Annotated[int, Option(help="Draw so many samples, for P50 and P80.", min=0, metavar="N")] = 0,
    seed: Annotated[int, Option(help="Of the search and of the samples.", min=1, metavar="S")] = 1,
    as_json: JsonOption = False,
) -> None:
    from clusterwright.planning import say_if_code_is_made
    from clusterwright.schedule_view import print_schedule, schedule_document
    from schedule.files.csv_project import read_project
    from schedule.files.scheduling import odds_of
    from schedule.files.scheduling import schedule as scheduled

    if level:
        say_if_code_is_made()
    found = scheduled(read_project(file), level=level, seed=seed)
    odds = odds_of(found, samples=risk, seed=seed, threads=os.cpu_count() or 1) if risk else None
    if as_json:
        print_json(schedule_document(found, odds, seed))
    else:
        print_schedule(found, odds, seed)
