"""List what can be started now, the most urgent first.

Example:
    clusterwright next
    clusterwright next --phase networking --limit 10

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import PhaseOption
from clusterwright.flat import flat_activity
from clusterwright.output import Cells, day
from ledger.questions.activities import ready
from ledger.questions.site import site_of
from ledger.rules.activity import Activity


def next_(
    ask: AskingPast,
    phase: PhaseOption = None,
    limit: Annotated[int, Option(help="How many at most.")] = 30,
) -> None:
    with ask.record() as snapshot:
        urgent = sorted(ready(snapshot, phase), key=_urgency)
        rows = urgent[:limit]
        zone = site_of(snapshot).time_zone
        ask.table(
            snapshot,
            rows,
            ("activity", "what", "who", "kind", "since", "float h"),
            lambda row: _cells(row, zone),
            document=lambda: [flat_activity(row) for row in rows],
            right=(5,),
            empty="nothing is ready; `clusterwright status` says what is under way",
        )


def _cells(row: Activity, zone: str) -> Cells:
    plan, (float_h, _) = row.plan, _urgency(row)
    since = day(row.ready_from, zone)
    return row.id, plan.title, plan.role, plan.kind, since, f"{float_h:.0f}"


def _urgency(row: Activity) -> tuple[float, str]:
    return row.plan.dates.total_float_h if row.plan.dates else 0, row.id
