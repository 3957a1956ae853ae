"""List who has how much to do in the days ahead.

An assigned activity counts for its person, any other for its role.

Example:
    clusterwright workload
    clusterwright workload --days 28 --json

"""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from clusterwright.commands.asking import AskingPast
from clusterwright.output import table
from ledger.questions import workload as questions

HEADERS = ("who", "activities", "ready", "in progress", "to sign off", "late", "person-hours")


def workload(
    ask: AskingPast,
    days: Annotated[int, typer.Option(help="What the plan starts within so many days.", min=1, max=3650)] = 14,
) -> None:
    with ask.record() as snapshot:
        rows = questions.workload(snapshot, snapshot.now + timedelta(days=days))
        ask.answer(snapshot, rows, lambda: _print(rows))


def _print(rows: list[questions.WorkloadRow]) -> None:
    cells = [(*row[:-1], f"{row.person_hours:,.0f}") for row in rows]
    table(HEADERS, cells, right=tuple(range(1, len(HEADERS))), empty="nobody has anything to do")
