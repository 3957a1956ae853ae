"""A schedule as a table: one row a task, the same columns in CSV and XLSX. Lengths are hours, instants wall-clock times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from schedule.cpm.columns import Tie
from schedule.exchange.model import Exchange, ExchangeLink, ExchangeTask
from schedule.exchange.text import hours

Value = str | int | float | datetime | None
INSTANTS = (
    "start",
    "finish",
    "baseline start",
    "baseline finish",
    "start no earlier",
    "finish no later",
    "actual start",
    "actual finish",
)
PERCENT = "percent"
COLUMNS = (
    "id",
    "title",
    "phase",
    "unit",
    "calendar",
    "duration h",
    "start",
    "finish",
    "total float h",
    "critical",
    "baseline start",
    "baseline finish",
    "start no earlier",
    "finish no later",
    "actual start",
    "actual finish",
    "remaining h",
    PERCENT,
    "predecessors",
    "resources",
)


def table_rows(found: Exchange) -> Iterator[list[Value]]:
    """Yield a row for each task, in the order of `COLUMNS`."""
    held: dict[int, list[str]] = {}
    for one in found.assignments:
        held.setdefault(one.task, []).append(f"{found.resources[one.resource].id}:{one.amount}")
    for row, task in enumerate(found.tasks):
        yield [
            task.id,
            task.title,
            *_place(found, task),
            found.calendars[task.calendar].name,
            _hours(task.minutes),
            task.start,
            task.finish,
            _hours(task.total_float),
            "yes" if task.is_critical else "",
            task.baseline_start,
            task.baseline_finish,
            task.no_earlier,
            task.no_later,
            task.actual_start,
            task.actual_finish,
            _hours(task.remaining),
            task.percent,
            ", ".join(_predecessor(found, link) for link in found.into[row]),
            ", ".join(held.get(row, ())),
        ]


def table_notices(found: Exchange) -> Sequence[str]:
    """Return what a table cannot have, in sentences."""
    own = sum(bool(link.lag) and not _is_plain(found, link) for link in found.links)
    if not own:
        return ()
    return (f"{own:,} lags count on a calendar of their own: the table has their hours and not the calendar",)


def _is_plain(found: Exchange, link: ExchangeLink) -> bool:
    return link.lag_calendar == found.tasks[link.before].calendar or found.calendars[link.lag_calendar].is_continuous


def _place(found: Exchange, task: ExchangeTask) -> tuple[str, str]:
    if task.branch is None:
        return "", ""
    phase, _, unit = found.branches[task.branch].code.partition(".")
    return phase, unit


def _hours(minutes: int | None) -> float | None:
    return None if minutes is None else round(minutes / 60, 6)


def _predecessor(found: Exchange, link: ExchangeLink) -> str:
    """Return a link as Microsoft Project writes it: `034@pod-001SS+12h`, `eh` for elapsed hours."""
    name = found.tasks[link.before].id
    if not link.lag:
        return name if link.type is Tie.FS else f"{name}{link.type.name}"
    unit = "eh" if found.calendars[link.lag_calendar].is_continuous else "h"
    return f"{name}{link.type.name}{'-' if link.lag < 0 else '+'}{hours(abs(link.lag))}{unit}"
