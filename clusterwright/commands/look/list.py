"""List activities with their state, in the order of the plan.

Example:
    clusterwright list --state awaiting_sign_off
    clusterwright list --unit pod-003 --search burn --json
    clusterwright list --flag out_of_sequence

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import PhaseOption
from clusterwright.flat import flat_activity
from clusterwright.output import Cells, Document, day
from ledger.questions.activities import activities
from ledger.questions.site import site_of
from ledger.questions.turns import turns
from ledger.rules.activity import FLAGS, Activity, State
from steps.errors import InputError


def list_(
    ask: AskingPast,
    phase: PhaseOption = None,
    state: Annotated[str | None, Option(help="Only this state, as ready or awaiting_sign_off.")] = None,
    unit: Annotated[str | None, Option(help="Only this unit, as pod-003.")] = None,
    search: Annotated[str | None, Option(help="Only where id or title holds this.")] = None,
    organisation: Annotated[str | None, Option(help="Only what this contractor or its people do.")] = None,
    flag: Annotated[str | None, Option(help="Only with this flag, as stale or out_of_sequence.")] = None,
) -> None:
    if flag is not None and flag not in FLAGS:
        raise InputError(f"{flag!r} is no flag", hint="flags: " + ", ".join(FLAGS))
    if state is not None and state not in {s.value for s in State}:
        raise InputError(f"{state!r} is no state", hint="states: " + ", ".join(s.value for s in State))
    with ask.record() as snapshot:
        rows = activities(
            snapshot,
            phase=phase,
            state=state,
            unit=unit,
            search=search,
            organisation=organisation,
        )
        rows = [row for row in rows if flag is None or flag in row.flags]
        zone = site_of(snapshot).time_zone

        def document() -> list[Document]:
            waiting = turns(snapshot)
            return [flat_activity(row) | {"turn": waiting.get(row.id)} for row in rows]

        headers = ("state", "activity", "what", "who", "planned start", "flags")
        ask.table(snapshot, rows, headers, lambda row: _cells(row, zone), document=document)


def _cells(row: Activity, zone: str) -> Cells:
    start = row.plan.dates.early_start if row.plan.dates else None
    state = f"{row.state.glyph} {row.state.words}"
    who = row.assignee or row.whose or row.plan.role
    flags = " ".join(sorted(row.flags))
    return state, row.id, row.plan.title, who, day(start, zone), flags
