"""Reads a project of CSV files: activities.csv alone, or a folder in which resources.csv and calendars.csv are beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np

from schedule.cpm.columns import NONE, Activities, Actuals
from schedule.cpm.shifts import Minutes, ShiftCalendar
from schedule.errors import InputError, Place
from schedule.files.grid import SHOWN, Faults, Record, records, rows_of_file
from schedule.files.head import Head, read_head
from schedule.files.network import Kinds, demands_of, links_of
from schedule.files.project import Project, Timeline
from schedule.files.rows import (
    ACTIVITY_COLUMNS,
    RESOURCE_COLUMNS,
    ActivityRow,
    activity_of,
    resource_of,
)
from schedule.files.terms import Length, Week
from schedule.files.weeks import BUILT_IN, CONTINUOUS, STANDARD, Calendars, read_calendars, shifts_of, weeks_of
from schedule.levelling.problem import Capacity
from schedule.risk.spreads import Estimates, three_points

ACTIVITIES = "activities.csv"
RESOURCES = "resources.csv"
CALENDARS = "calendars.csv"
MINUTE = timedelta(minutes=1)
DAY = 1440


@dataclass(frozen=True)
class _Given:
    """An activity's row, and where it is."""

    record: Record
    row: ActivityRow


@dataclass
class _Reading:
    """What is known while the rows of activities are put together."""

    head: Head
    calendars: Calendars
    faults: Faults
    used: dict[str, int] = field(default_factory=lambda: {CONTINUOUS: 0})
    """The calendars that activities have, by their index, and always the continuous one: levelling's own links have it."""

    @cached_property
    def weeks(self) -> Mapping[str, Week]:
        """What a day and a week are, by calendar."""
        return weeks_of(self.calendars)

    def minute(self, instant: datetime | None) -> int:
        """Return minutes since the start of the project."""
        return NONE if instant is None else (instant - self.head.start) // MINUTE


def read_project(path: Path) -> Project:
    """Return the project of a file or a folder. Raise InputError for everything that is wrong with it, at once."""
    is_folder = path.is_dir()
    if not is_folder and path.suffix.casefold() != ".csv":
        hint = "name a .csv file, or a folder with activities.csv"
        raise InputError("this is no format that can be read", hint=hint, place=Place(str(path)))
    file = path / ACTIVITIES if is_folder else path
    head, rows = read_head(file, rows_of_file(file))
    reading = _Reading(head, _calendars(path / CALENDARS) if is_folder else BUILT_IN, Faults())
    resources = _resources(path / RESOURCES, head.zone) if is_folder else {}
    given = _given(records(file, rows, ACTIVITY_COLUMNS, ("id", "duration")), reading)
    if not given and not reading.faults.found:
        raise InputError("the file has no activities", hint="add a row for each", place=Place(str(file)))
    names = {one.row.id: number for number, one in enumerate(given)}
    kinds = _kinds(given, reading)
    links = links_of([(one.record, one.row.predecessors) for one in given], names, kinds, reading.faults)
    needs = [(one.record, one.row.resources) for one in given]
    demands = demands_of(needs, resources, reading.faults, is_folder=is_folder)
    durations = _lengths([one.row.duration for one in given], kinds)
    estimates = _estimates(given, kinds, durations, reading.faults)
    reading.faults.end()
    shifts = _shifts(reading, path / CALENDARS)
    return Project(
        Place(str(file)),
        Timeline(head.start, head.zone),
        Activities(
            list(names),
            durations,
            kinds.calendar,
            _column([one.row.start_no_earlier for one in given], reading),
            _column([one.row.finish_no_later for one in given], reading),
        ),
        [one.row.title for one in given],
        links,
        shifts,
        np.array([reading.weeks[name].day for name in reading.used], np.int64),
        0,
        _actuals(given, kinds, reading, shifts),
        estimates,
        _column([one.row.baseline_finish for one in given], reading),
        tuple(resources),
        tuple(Capacity.constant(amount) for amount in resources.values()),
        demands,
    )


def _calendars(path: Path) -> Calendars:
    return read_calendars(path, rows_of_file(path)) if path.exists() else BUILT_IN


def _given(found: Sequence[Record], reading: _Reading) -> list[_Given]:
    """Return the rows that mean something; note those that do not, and names that are there twice."""
    given: dict[str, _Given] = {}
    for record in found:
        row = activity_of(record, reading.head.zone, reading.head.data_date, reading.faults)
        if row is None:
            continue
        if row.id in given:
            first = given[row.id].record.line
            reading.faults.say(
                f"activity {row.id!r} is on line {first} already", record.place("id"), "rename one of them"
            )
        given.setdefault(row.id, _Given(record, row))
    return list(given.values())


def _kinds(given: Sequence[_Given], reading: _Reading) -> Kinds:
    """Return the calendars of activities."""
    names = [_calendar(one, reading) for one in given]
    weeks = reading.weeks
    indices = np.array([reading.used[name] for name in names], np.int32)
    return Kinds([weeks[name] for name in names], indices, reading.used)


def _calendar(one: _Given, reading: _Reading) -> str:
    """Return the name of an activity's calendar, and count it among those that are used."""
    row = one.row
    elapsed = any(isinstance(part, Length) and part.elapsed for part in (row.duration, row.optimistic, row.pessimistic))
    name = CONTINUOUS if elapsed else row.calendar or STANDARD
    if name != CONTINUOUS and name not in reading.calendars:
        known = {*reading.calendars, CONTINUOUS}
        reading.faults.say(
            f"{row.id}: there is no calendar {name[:SHOWN]!r}",
            one.record.place("calendar"),
            reading.faults.near(name, known, "calendars"),
        )
        name = STANDARD
    reading.used.setdefault(name, len(reading.used))
    return name


def _shifts(reading: _Reading, path: Path) -> tuple[ShiftCalendar, ...]:
    try:
        return tuple(
            shifts_of(name, reading.calendars.get(name), zone=reading.head.zone, origin=reading.head.start)
            for name in reading.used
        )
    except InputError as error:
        raise InputError(error.what, hint=error.hint, place=Place(str(path))) from None


def _resources(path: Path, zone: str) -> dict[str, int]:
    """Return how much there is of each resource."""
    amounts: dict[str, int] = {}
    faults = Faults()
    for record in records(path, rows_of_file(path), RESOURCE_COLUMNS, RESOURCE_COLUMNS) if path.exists() else ():
        row = resource_of(record, zone, faults)
        if row is not None and row.resource in amounts:
            faults.say(f"resource {row.resource!r} is there twice", record.place("resource"), "take one out")
        elif row is not None:
            amounts[row.resource] = row.amount
    faults.end()
    return amounts


def _column(instants: Sequence[datetime | None], reading: _Reading) -> Minutes | None:
    if not any(instants):
        return None
    return np.array([reading.minute(instant) for instant in instants], np.int64)


def _lengths(lengths: Sequence[Length | None], kinds: Kinds) -> Minutes:
    minutes = (
        NONE if length is None else length.minutes(week) for length, week in zip(lengths, kinds.weeks, strict=True)
    )
    return np.fromiter(minutes, np.int64, len(lengths))


def _actuals(
    given: Sequence[_Given], kinds: Kinds, reading: _Reading, shifts: Sequence[ShiftCalendar]
) -> Actuals | None:
    if reading.head.data_date is None:
        return None
    started = _worked([one.row.actual_start for one in given], kinds, reading, shifts, is_end=False)
    finished = _worked([one.row.actual_finish for one in given], kinds, reading, shifts, is_end=True)
    remaining = _lengths([one.row.remaining for one in given], kinds)
    return Actuals(reading.minute(reading.head.data_date), started, finished, remaining)


def _worked(
    instants: Sequence[datetime | None],
    kinds: Kinds,
    reading: _Reading,
    shifts: Sequence[ShiftCalendar],
    *,
    is_end: bool,
) -> Minutes:
    """Return minutes. Midnight, which a day alone is, becomes the first or the last minute worked on that day, if any is."""
    zone = ZoneInfo(reading.head.zone)
    found = np.array([reading.minute(instant) for instant in instants], np.int64)
    latest = reading.minute(reading.head.data_date)
    for number, calendar in enumerate(shifts):
        own = (kinds.calendar == number) & (found != NONE)
        rows = [row for row in np.flatnonzero(own).tolist() if _is_midnight(instants[row], zone)]
        if rows and not calendar.is_continuous:
            worked = calendar.work(found[rows])
            moved = calendar.finish(np.maximum(worked, 1)) if is_end else calendar.next_start(worked)
            found[rows] = np.where(abs(moved - found[rows]) < DAY, np.minimum(moved, latest), found[rows])
    return found


def _is_midnight(instant: datetime | None, zone: ZoneInfo) -> bool:
    return instant is not None and instant.astimezone(zone).time() == time()


def _estimates(given: Sequence[_Given], kinds: Kinds, durations: Minutes, faults: Faults) -> Estimates | None:
    """Return the three points. Where there are none, a duration is certain."""
    if not any(one.row.pessimistic for one in given):
        return None
    low, high = (
        _lengths(lengths, kinds)
        for lengths in ([one.row.optimistic for one in given], [one.row.pessimistic for one in given])
    )
    low, high = np.where(low == NONE, durations, low), np.where(high == NONE, durations, high)
    for row in np.flatnonzero((low > durations) | (durations > high)).tolist():
        what = f"{given[row].row.id}: its three points are out of order"
        hint = "optimistic is the shortest, pessimistic the longest, duration between them"
        faults.say(what, given[row].record.place("optimistic"), hint)
    return three_points(low, durations, high)
