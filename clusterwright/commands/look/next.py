"""List what can be started now, the most urgent first.

Example:
    clusterwright next
    clusterwright next --phase networking --limit 10

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.flat import flat_activity
from clusterwright.output import day, table
from ledger.questions.activities import ready
from ledger.questions.site import site_of
from ledger.rules.activity import Activity


def next_(
    ask: AskingPast,
    phase: Annotated[str | None, Option(help="Only this phase.")] = None,
    limit: Annotated[int, Option(help="How many at most.")] = 30,
) -> None:
    with ask.record() as snapshot:
        urgent = sorted(ready(snapshot, phase), key=lambda row: (_float_h(row), row.id))
        rows = urgent[:limit]
        document = [flat_activity(row) for row in rows]
        ask.answer(snapshot, document, lambda: _print(rows, site_of(snapshot).time_zone))


def _print(rows: list[Activity], zone: str) -> None:
    table(
        ("activity", "what", "who", "kind", "since", "float h"),
        [
            (
                r.id,
                r.plan.title,
                r.plan.role,
                r.plan.kind,
                day(r.ready_from, zone),
                f"{_float_h(r):.0f}",
            )
            for r in rows
        ],
        right=(5,),
        empty="nothing is ready; `clusterwright status` says what is under way",
    )


def _float_h(row: Activity) -> float:
    return row.plan.dates.total_float_h if row.plan.dates else 0
