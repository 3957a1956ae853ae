"""List activities with their state and their dates, in the order of the plan.

An id is a step and the unit where it is done: 034@pod-003 is step 034 at the third pod. Options narrow the list, together if there are
several; values have commas between them, or an option each.

Example:
    clusterwright list --state awaiting_sign_off
    clusterwright list --phase power,cooling --late past-planned-finish --role electrical-engineer
    clusterwright list --late forecast-later
    clusterwright list --week 2027-W05 --csv
    clusterwright list --unit pod-003 --search burn --json

"""

import sys
from collections.abc import Callable
from itertools import chain
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.flat import flat_activity
from clusterwright.naming import known_organisation, named
from clusterwright.output import Cells, Document, day
from ledger.questions.activities import activities
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.listing import ListRow, list_rows, planned_in
from ledger.questions.site import site_of, units
from ledger.questions.snapshot import Snapshot
from ledger.questions.turns import turns
from ledger.rules.activity import FLAGS, State
from ledger.rules.permission import is_same
from schedule.csv_lines import write_rows
from steps.catalog.terms import Phase
from steps.stamps import local_day

HEADERS = (
    "state",
    "activity",
    "what",
    "who",
    "planned start",
    "planned finish",
    "baseline finish",
    "forecast finish",
    "later",
    "flags",
)
PAST, LATER = "past-planned-finish", "forecast-later"
"""How an activity can be late."""
Values = list[str] | None


def list_(
    ask: AskingPast,
    phase: Annotated[Values, Option(help="Only these phases.")] = None,
    state: Annotated[Values, Option(help="Only these states, as ready or awaiting_sign_off.")] = None,
    unit: Annotated[Values, Option(help="Only these units, as pod-003.")] = None,
    role: Annotated[Values, Option(help="Only what these roles do.")] = None,
    search: Annotated[str | None, Option(help="Only where id or title holds this.")] = None,
    organisation: Annotated[str | None, Option(help="Only what this contractor or its people do.")] = None,
    flag: Annotated[Values, Option(help="Only with one of these flags, as stale or out_of_sequence.")] = None,
    week: Annotated[str | None, Option(metavar="2027-W05", help="Only what is planned in this week.")] = None,
    late: Annotated[
        Values, Option(help="Only what is past-planned-finish, or forecast-later than planned.", metavar="HOW")
    ] = None,
    as_csv: Annotated[bool, Option("--csv", help="Print the table as CSV.")] = False,
) -> None:
    with ask.record() as snapshot:
        fresh = kept_forecast(snapshot)
        rows, zone = list_rows(snapshot, fresh.forecast if fresh else None), site_of(snapshot).time_zone
        phases = named("phase", phase, [one.value for one in Phase])
        states = named("state", state, [one.value for one in State])
        among = named("unit", unit, [one.id for one in units(snapshot)])
        roles = named("role", role, {row.role for row in rows})
        flags = named("flag", flag, FLAGS)
        how = named("delay", late, (PAST, LATER))
        known_organisation(snapshot, organisation)
        text = (search or "").casefold()
        tests: list[Callable[[ListRow], bool]] = [
            lambda row: not phases or row.phase in phases,
            lambda row: not states or row.state in states,
            lambda row: not among or row.unit in among,
            lambda row: not roles or row.role in roles,
            lambda row: not flags or not flags.isdisjoint(row.flags),
            lambda row: text in f"{row.id}\n{row.title}".casefold(),
            lambda row: organisation is None or is_same(row.organisation, organisation),
            planned_in(week, zone) if week else lambda _: True,
            lambda row: not how or (PAST in how and row.past_planned_finish) or (LATER in how and row.is_later),
        ]
        rows = [row for row in rows if all(test(row) for test in tests)]
        if as_csv:
            write_rows(sys.stdout, chain([HEADERS], (_cells(row, zone) for row in rows)))
            return
        ask.table(
            snapshot,
            rows,
            HEADERS,
            lambda row: _cells(row, zone),
            document=lambda: _document(snapshot, rows, zone),
            empty="no such activity",
        )


def _document(snapshot: Snapshot, rows: list[ListRow], zone: str) -> list[Document]:
    waiting = turns(snapshot)
    whole = {row.id: row for row in activities(snapshot)}
    return [
        flat_activity(whole[row.id])
        | {
            "turn": waiting.get(row.id),
            "baseline_finish": row.baseline_finish,
            "forecast_finish": local_day(row.forecast_finish, zone) if row.forecast_finish else None,
            "forecast_days_later": row.days_later,
        }
        for row in rows
    ]


def _cells(row: ListRow, zone: str) -> Cells:
    dates = (row.planned_start, row.planned_finish, row.baseline_finish, row.forecast_finish)
    return (
        f"{row.state.glyph} {row.state.words}",
        row.id,
        row.title,
        row.who,
        *(day(date, zone) for date in dates),
        f"{row.days_later} d" if row.days_later else "",
        " ".join(sorted(row.flags)),
    )
