"""MPXJ as a reader of schedule files: what it finds in one, as plain values. It knows every form by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from tests.schedule.judges import java

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - files have no offsets
Spans = tuple[tuple[int, int], ...]


class ReadTask(NamedTuple):
    """A task as MPXJ has it; lengths in working minutes. Of P6 the duration is the original one, not what it has come to."""

    title: str
    calendar: str
    minutes: int
    start: datetime | None
    finish: datetime | None
    baseline: tuple[datetime | None, datetime | None]
    actual: tuple[datetime | None, datetime | None]
    remaining: int
    no_earlier: datetime | None
    branch: tuple[str, ...]


class ReadFile(NamedTuple):
    """A file as MPXJ has it. Links are predecessor, type, lag in minutes, and successor."""

    tasks: dict[str, ReadTask]
    links: list[tuple[str, str, int, str]]
    elapsed_lags: int
    calendars: dict[str, tuple[tuple[Spans, ...], dict[date, Spans]]]
    resources: dict[str, float]
    assignments: list[tuple[str, str, float]]


def read_by_mpxj(path: Path, *, id_field: str = "") -> ReadFile:
    """Return what MPXJ reads. Tasks are by the custom field `id_field`, else by their id of P6, else by their unique id."""
    found = java().reader.UniversalProjectReader().read(str(path))
    custom = _custom(found, id_field)
    rows = [task for task in found.getTasks() if not task.getSummary() and task.getName() is not None]
    names = {int(task.getUniqueID()): _name(task, custom) for task in rows}
    links, elapsed = [], 0
    for task in rows:
        for link in task.getPredecessors():
            lag = link.getLag()
            elapsed += bool(lag.getUnits().isElapsed() and lag.getDuration())
            ends = names[int(link.getPredecessorTask().getUniqueID())], names[int(task.getUniqueID())]
            links.append((ends[0], str(link.getType().toString()), _minutes(lag, found), ends[1]))
    return ReadFile(
        {names[int(task.getUniqueID())]: _task(task, found) for task in rows},
        sorted(links),
        elapsed,
        {str(one.getName()): _calendar(one) for one in found.getCalendars()},
        {str(one.getName()): float(one.getMaxUnits() or 0) for one in found.getResources() if one.getName()},
        sorted(_assignments(rows, names)),
    )


def write_by_mpxj(source: Path, target: Path, writer: str, *, rounds: int) -> list[float]:
    """Read a file, write it again by a writer of MPXJ, and return the seconds that each writing took."""
    org = java()
    found = org.reader.UniversalProjectReader().read(str(source))
    package, _, name = writer.partition(".")
    times = []
    for _ in range(rounds):
        began = perf_counter()
        getattr(getattr(org, package), name)().write(found, str(target))
        times.append(perf_counter() - began)
    return times


def _custom(found: Any, name: str) -> Any:
    for one in found.getCustomFields():
        if name and str(one.getAlias()) == name:
            return one.getFieldType()
    for one in found.getUserDefinedFields():
        if name and str(one.getName()) == name:
            return one
    return None


def _name(task: Any, custom: Any) -> str:
    own = task.get(custom) if custom is not None else None
    return str(own or task.getActivityID() or task.getUniqueID())


def _task(task: Any, found: Any) -> ReadTask:
    parents = []
    parent = task.getParentTask()
    while parent is not None and parent.getName() is not None:
        parents.append(str(parent.getName()))
        parent = parent.getParentTask()
    kind = str(task.getConstraintType())
    constraint = task.getConstraintDate() if "START_NO_EARLIER" in kind.replace(" ", "_").upper() else None
    remaining = task.getRemainingDuration()
    return ReadTask(
        str(task.getName()),
        str(task.getEffectiveCalendar().getName()),
        _minutes(task.getPlannedDuration() or task.getDuration(), found),
        _instant(task.getStart()),
        _instant(task.getFinish()),
        (_instant(task.getBaselineStart()), _instant(task.getBaselineFinish())),
        (_instant(task.getActualStart()), _instant(task.getActualFinish())),
        0 if remaining is None else _minutes(remaining, found),
        _instant(constraint),
        tuple(reversed(parents)),
    )


def _calendar(calendar: Any) -> tuple[tuple[Spans, ...], dict[date, Spans]]:
    from jpype import JPackage

    week = tuple(
        _spans(calendar.getHours(day)) if calendar.isWorkingDay(day) else ()
        for day in JPackage("java").time.DayOfWeek.values()
    )
    exceptions = {}
    for one in calendar.getExpandedCalendarExceptions():
        first, last = (date.fromisoformat(str(end)) for end in (one.getFromDate(), one.getToDate()))
        for number in range((last - first).days + 1):
            exceptions[first + timedelta(days=number)] = _spans(one)
    return week, exceptions


def _spans(ranges: Any) -> Spans:
    found = []
    for one in ranges or ():
        start, end = (int(at.toSecondOfDay()) // 60 for at in (one.getStart(), one.getEnd()))
        found.append((start, end or 1440))
    return tuple(found)


def _assignments(rows: list[Any], names: dict[int, str]) -> Iterator[tuple[str, str, float]]:
    for task in rows:
        for one in task.getResourceAssignments():
            if one.getResource() is not None:
                yield names[int(task.getUniqueID())], str(one.getResource().getName()), float(one.getUnits() or 0)


def _minutes(length: Any, found: Any) -> int:
    unit = java().TimeUnit
    elapsed = length.getUnits().isElapsed()
    converted = length.convertUnits(unit.ELAPSED_MINUTES if elapsed else unit.MINUTES, found.getProjectProperties())
    return round(float(converted.getDuration()))


def _instant(at: Any) -> datetime | None:
    return None if at is None else datetime.fromisoformat(str(at))


def progressed_by_mpxj(source: Path, target: Path, writer: str, *, id_field: str, name: str, started: datetime) -> None:
    """Let another program say that a task has started and is 40 % done, and write the file again by its own writer."""
    from jpype import JPackage

    org = java()
    found = org.reader.UniversalProjectReader().read(str(source))
    custom = _custom(found, id_field)
    (task,) = (one for one in found.getTasks() if not one.getSummary() and _name(one, custom) == name)
    whole = _minutes(task.getPlannedDuration() or task.getDuration(), found)
    at = JPackage("java").time.LocalDateTime.of(started.year, started.month, started.day, started.hour, 0)
    task.setActualStart(at)
    task.setPercentageComplete(40.0)
    task.setActualDuration(org.Duration.getInstance(whole * 0.4, org.TimeUnit.MINUTES))
    task.setRemainingDuration(org.Duration.getInstance(whole * 0.6, org.TimeUnit.MINUTES))
    package, _, kind = writer.partition(".")
    getattr(getattr(org, package), kind)().write(found, str(target))
