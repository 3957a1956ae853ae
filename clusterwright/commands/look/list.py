"""List activities with their state and their dates, in the order of the plan.

Values are given with commas between them, or option by option.

Example:
    clusterwright list --state awaiting_sign_off
    clusterwright list --phase power,cooling --late past-planned-finish --role electrical-engineer
    clusterwright list --late forecast-later
    clusterwright list --week 2027-W05 --csv
    clusterwright list --unit pod-003 --search burn --json

"""

import csv
import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Annotated, NamedTuple

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.flat import flat_activity
from clusterwright.naming import named
from clusterwright.output import Cells, Document, day
from ledger.questions.activities import activities
from ledger.questions.baseline import baseline_dates
from ledger.questions.kept_forecast import KeptForecast, kept_forecast
from ledger.questions.lateness import days_later, forecast_finish
from ledger.questions.site import site_of, units
from ledger.questions.snapshot import Snapshot
from ledger.questions.turns import turns
from ledger.rules.activity import FLAGS, Activity, State
from schedule.errors import InputError
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
WEEK = timedelta(days=7)
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
        rows = activities(snapshot, search=search, organisation=organisation)
        fresh = kept_forecast(snapshot)
        dated = _Dated(site_of(snapshot).time_zone, fresh.forecast if fresh else None, baseline_dates(snapshot))
        phases = named("phase", phase, [one.value for one in Phase])
        states = named("state", state, [one.value for one in State])
        among = named("unit", unit, [one.id for one in units(snapshot)])
        roles = named("role", role, {row.plan.role for row in activities(snapshot)} if role else ())
        flags = named("flag", flag, FLAGS)
        how = named("late", late, (PAST, LATER))
        tests: list[Callable[[Activity], bool]] = [
            lambda row: not phases or row.plan.phase in phases,
            lambda row: not states or row.state in states,
            lambda row: not among or row.plan.unit in among,
            lambda row: not roles or row.plan.role in roles,
            lambda row: not flags or bool(flags & row.flags),
            dated.in_week(week),
            lambda row: not how or bool(how & dated.how_late(row)),
        ]
        rows = [row for row in rows if all(test(row) for test in tests)]
        if as_csv:
            written = csv.writer(sys.stdout, lineterminator="\n")
            written.writerow(HEADERS)
            written.writerows(dated.cells(row) for row in rows)
            return
        ask.table(
            snapshot,
            rows,
            HEADERS,
            dated.cells,
            document=lambda: _document(snapshot, rows, dated),
            empty="no such activity",
        )


def _document(snapshot: Snapshot, rows: list[Activity], dated: "_Dated") -> list[Document]:
    waiting = turns(snapshot)
    return [
        flat_activity(row)
        | {
            "turn": waiting.get(row.id),
            "baseline_finish": dated.baseline.get(row.id),
            "forecast_finish": dated.finish(row),
            "forecast_days_later": days_later(dated.forecast, row),
        }
        for row in rows
    ]


class _Dated(NamedTuple):
    """The planned, the baseline's and the forecast dates of activities in a time zone."""

    zone: str
    forecast: KeptForecast | None
    baseline: dict[str, datetime]

    def how_late(self, row: Activity) -> set[str]:
        """Return in which ways an activity is late."""
        is_later = (days_later(self.forecast, row) or 0) > 0
        return {name for name, is_so in ((PAST, row.past_planned_finish), (LATER, is_later)) if is_so}

    def finish(self, row: Activity) -> date | None:
        """Return the day on which an activity is forecast to be finished. None if it is, or no forecast is kept."""
        finish = forecast_finish(self.forecast, row)
        return self.forecast.day(finish) if self.forecast and finish else None

    def in_week(self, week: str | None) -> Callable[[Activity], bool]:
        """Return the test whether an activity is planned in a week, as `2027-W05`."""
        if week is None:
            return lambda _: True
        try:
            monday = date.fromisoformat(f"{week}-1")
        except ValueError:
            raise InputError(f"{week!r} is no week", hint="write year and week as 2027-W05") from None

        def is_in(row: Activity) -> bool:
            dates = row.plan.dates
            if dates is None:
                return False
            start, finish = (local_day(at, self.zone) for at in (dates.early_start, dates.early_finish))
            return start < monday + WEEK and finish >= monday

        return is_in

    def cells(self, row: Activity) -> Cells:
        """Return the line of an activity."""
        dates = row.plan.dates
        start, finish = (dates.early_start, dates.early_finish) if dates else (None, None)
        later = days_later(self.forecast, row)
        return (
            f"{row.state.glyph} {row.state.words}",
            row.id,
            row.plan.title,
            row.assignee or row.whose or row.plan.role,
            day(start, self.zone),
            day(finish, self.zone),
            day(self.baseline.get(row.id), self.zone),
            day(self.finish(row), self.zone),
            f"{later} d" if later else "",
            " ".join(sorted(row.flags)),
        )
