"""List who has how much to do in the days ahead.

An assigned activity counts for its person, any other for its role.

Example:
    clusterwright workload
    clusterwright workload --days 28 --json

"""

from datetime import timedelta
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from ledger.questions import workload as questions

HEADERS = ("who", "activities", "ready", "in progress", "to sign off", "past its planned finish", "person-hours")
NUMBERS = range(1, len(HEADERS))


def workload(
    ask: AskingPast,
    days: Annotated[int, Option(help="What is to start within so many days, by the forecast.", min=1, max=3650)] = 14,
) -> None:
    with ask.record() as snapshot:
        rows = questions.workload(snapshot, snapshot.now + timedelta(days=days))
        ask.table(snapshot, rows, HEADERS, _cells, right=NUMBERS, empty="nobody has anything to do")


def _cells(row: questions.WorkloadRow) -> tuple[object, ...]:
    return (*row[:-1], f"{row.person_hours:,.0f}")
