"""Every activity as lists and charts show it, fast enough for a screen: tens of thousands at once, and then only those that changed.

`ledger.questions.activities` has the whole row of each, which takes five times as long. Both ask the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from itertools import compress
from json import dumps
from typing import Any, NamedTuple

import msgspec

from ledger.questions.baseline import baseline_dates
from ledger.questions.calendar import working_weeks
from ledger.questions.case import lapsed, organisations_there, select, still_whose
from ledger.questions.kept_forecast import KeptForecast, kept_forecast, written
from ledger.questions.lateness import finish_of, later_by
from ledger.questions.site import revision
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import FLAGS, NO_FLOAT_H, State, is_expired, is_past_planned_finish, seen
from schedule.errors import InputError
from steps.stamps import instant, local_day

_STANDINGS = """
SELECT id, state, attempt, assignee, organisation, percent, finish_from, finished_at, stale_since, waived, attested, simulated,
  "before", overridden, early_because, ready_from <= :now, finish_from <= :now, valid_until <= :now, early_finish < :now
FROM activity ORDER BY ordinal"""
_LISTED = """
SELECT id, step, unit, phase, kind, role, hold_point, state, assignee, organisation, percent, attempt,
  early_start, early_finish, plan, ready_from, valid_until,
  stale_since IS NOT NULL, waived, attested, simulated, "before", overridden
FROM activity WHERE :names IS NULL OR id IN (SELECT value FROM json_each(:names)) ORDER BY ordinal"""

_TIMES = """
SELECT id, started_at, coalesce(finished_at, done_at), late_finish FROM activity
WHERE coalesce(started_at, finished_at, done_at, late_finish) IS NOT NULL"""


class _Dates(msgspec.Struct):
    total_float_h: float
    is_critical: bool = False
    crew: str | None = None


class _Planned(msgspec.Struct):
    """What lists show of the plan's part of an activity, and its columns do not have."""

    title: str
    calendar: str
    dates: _Dates | None = None


_planned = msgspec.json.Decoder(_Planned).decode


class ListRow(NamedTuple):
    """An activity as lists show it. `days_later` is by how many days it is forecast later than planned, None without a forecast.

    `who` is its assignee, or else the role that does the work. `float_days` are days of its calendar, None without dates.
    `crew` is what it waits for in the plan beside its predecessors.
    """

    id: str
    step: str
    unit: str
    phase: str
    kind: str
    title: str
    role: str
    hold_point: bool
    state: State
    flags: tuple[str, ...]
    assignee: str | None
    organisation: str
    percent: float | None
    attempt: int
    planned_start: datetime | None
    planned_finish: datetime | None
    baseline_finish: datetime | None
    forecast_finish: datetime | None
    days_later: int | None
    float_days: float | None
    is_critical: bool
    crew: str | None
    past_planned_finish: bool

    @property
    def is_later(self) -> bool:
        """Whether it is forecast later than planned."""
        return (self.days_later or 0) > 0

    @property
    def who(self) -> str:
        """The person or organisation that has the work, else the role."""
        return self.assignee or self.organisation or self.role


class RecordedTimes(NamedTuple):
    """When an activity began, when its work ended, and the latest finish that the plan has for it. None where there is none."""

    started: datetime | None
    finished: datetime | None
    latest: datetime | None


NEVER = RecordedTimes(None, None, None)


def planned_in(week: str, zone: str) -> Callable[[ListRow], bool]:
    """Return the test whether an activity is planned in a week of a time zone, as `2027-W05`. Raise InputError for what is no week."""
    try:
        monday = date.fromisoformat(f"{week}-1")
    except ValueError:
        raise InputError(f"{week!r} is no week", hint="write year and week as 2027-W05") from None

    def is_in(row: ListRow) -> bool:
        if row.planned_start is None or row.planned_finish is None:
            return False
        start, finish = local_day(row.planned_start, zone), local_day(row.planned_finish, zone)
        return start < monday + timedelta(days=7) and finish >= monday

    return is_in


def list_rows(
    snapshot: Snapshot,
    forecast: KeptForecast | None,
    names: Iterable[str] | None = None,
) -> list[ListRow]:
    """Return the rows of some activities, or of all in plan order, with the finish that the kept forecast has."""
    return _Making(snapshot, forecast).rows(names)


def recorded_times(snapshot: Snapshot) -> dict[str, RecordedTimes]:
    """Return the times of every activity that has some, by id."""
    return {
        name: RecordedTimes(instant(started), instant(finished), instant(latest))
        for name, started, finished, latest in snapshot.ask(_TIMES)
    }


class Listing:
    """The rows of all activities, of which each look reads those again that changed.

    A plan that was adopted or a forecast that was made can change every row. `rows` is another list after each look.
    """

    def __init__(self) -> None:
        """Begin without rows."""
        self.rows: list[ListRow] = []
        self._standings: list[tuple[Any, ...]] = []
        self._made_of: tuple[int, float] = (-1, -1.0)

    def look(self, snapshot: Snapshot) -> None:
        """Read what changed since the last look."""
        made_of, found = (revision(snapshot), written(snapshot.site_dir)), _standings(snapshot)
        if made_of == self._made_of and len(found) == len(self._standings):
            pairs = zip(self._standings, found, strict=True)
            changed = [after[0] for before, after in pairs if before != after]
            if changed:
                fresh = {row.id: row for row in _rows(snapshot, changed)}
                self.rows = [fresh.get(row.id, row) for row in self.rows]
        else:
            self.rows = _rows(snapshot, None)
        self._standings, self._made_of = found, made_of


def _standings(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    """Return of every activity, in plan order, what changes with the work and with time."""
    waiting = lapsed(snapshot)
    found = snapshot.ask(_STANDINGS)
    return [(*row, row[0] in waiting) for row in found] if waiting else found


def _rows(snapshot: Snapshot, names: list[str] | None) -> list[ListRow]:
    kept = kept_forecast(snapshot)
    return list_rows(snapshot, kept.forecast if kept else None, names)


class _Making:
    """What rows are made with, read once from a snapshot."""

    def __init__(self, snapshot: Snapshot, forecast: KeptForecast | None) -> None:
        """Take the record and the forecast that it keeps."""
        self.snapshot = snapshot
        self.forecast = forecast
        self.baseline = baseline_dates(snapshot)
        self.weeks = working_weeks(snapshot)
        self.organisations: dict[str, str] = dict(snapshot.ask("SELECT id, organisation FROM person"))
        self.there = organisations_there(snapshot)
        self.lapsed = lapsed(snapshot)

    def rows(self, names: Iterable[str] | None = None) -> list[ListRow]:
        """Return the rows of some activities, or of all."""
        wanted = None if names is None else dumps(list(names))
        early = select(self.snapshot, "early_because <> ''")
        unfinished = frozenset(row.id for row in early if row.out_of_sequence)
        found = self.snapshot.db.execute(
            _LISTED, {"names": wanted}
        )  # row by row: the plan's parts alone are a kilobyte each
        return [self._row(unfinished, *columns) for columns in found]

    def _row(
        self,
        unfinished: frozenset[str],
        name: str,
        step: str,
        unit: str,
        phase: str,
        kind: str,
        role: str,
        hold_point: int,
        stored: str,
        assignee: str | None,
        organisation: str,
        percent: float | None,
        attempt: int,
        early_start: str | None,
        early_finish: str | None,
        plan: str,
        ready_from: str | None,
        valid_until: str | None,
        *flags: int,
    ) -> ListRow:
        now, planned = self.snapshot.now, _planned(plan)
        finish = instant(early_finish)
        state = seen(stored, instant(ready_from), now, lapsed=name in self.lapsed)
        set_flags = (*flags, is_expired(instant(valid_until), now), name in unfinished)
        dates = planned.dates
        theirs = still_whose(organisation, state, self.there)
        return ListRow(
            id=name,
            step=step,
            unit=unit,
            phase=phase,
            kind=kind,
            title=planned.title,
            role=role,
            hold_point=bool(hold_point),
            state=state,
            flags=tuple(compress(FLAGS, set_flags)),
            assignee=assignee if assignee in self.organisations else None,
            organisation=theirs or self.organisations.get(assignee or "", ""),
            percent=percent,
            attempt=attempt,
            planned_start=instant(early_start),
            planned_finish=finish,
            baseline_finish=self.baseline.get(name),
            forecast_finish=finish_of(self.forecast, name, state),
            days_later=later_by(self.forecast, name, state, finish),
            float_days=None if dates is None else dates.total_float_h / self._hours_a_day(planned.calendar),
            is_critical=dates is not None and dates.total_float_h < NO_FLOAT_H,
            crew=None if dates is None else dates.crew,
            past_planned_finish=is_past_planned_finish(state, finish, now),
        )

    def _hours_a_day(self, calendar: str) -> float:
        week = self.weeks.get(calendar)
        return 24 if week is None else week.hours_a_day
