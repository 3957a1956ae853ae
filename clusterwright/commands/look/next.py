"""List what can be started now, the most urgent first.

`who` is the role that does the work, `since` the day from which it could have been started, or started again. The float is how
many working days it may wait before it delays go-live; what is critical may not wait at all. `clusterwright start` records that it has begun.

Example:
    clusterwright next
    clusterwright next --phase networking --limit 10

"""

from collections.abc import Mapping
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import PhaseOption
from clusterwright.flat import flat_activity
from clusterwright.naming import require_phase
from clusterwright.output import Cells, day
from ledger.questions.activities import ready, ready_since
from ledger.questions.calendar import WorkingWeek, float_words, working_weeks
from ledger.questions.site import site_of
from ledger.rules.activity import Activity


def next_(
    ask: AskingPast,
    phase: PhaseOption = None,
    limit: Annotated[int, Option(help="How many at most.", min=1)] = 30,
) -> None:
    with ask.record() as snapshot:
        require_phase(phase)
        urgent = sorted(ready(snapshot, phase), key=_urgency)
        rows = urgent[:limit]
        zone, weeks = site_of(snapshot).time_zone, working_weeks(snapshot)
        ask.table(
            snapshot,
            rows,
            ("activity", "what", "who", "kind", "since", "float"),
            lambda row: _cells(row, day(ready_since(snapshot, row), zone), weeks),
            document=lambda: [flat_activity(row) for row in rows],
            empty="nothing is ready; `clusterwright status` says what is under way",
        )


def _cells(row: Activity, since: str, weeks: Mapping[str, WorkingWeek]) -> Cells:
    plan = row.plan
    return row.id, plan.title, plan.role, plan.kind, since, float_words(row, weeks).removeprefix("float ")


def _urgency(row: Activity) -> tuple[float, str]:
    return row.plan.dates.total_float_h if row.plan.dates else 0, row.id
