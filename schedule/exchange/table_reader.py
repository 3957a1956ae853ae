"""Reads the table of a schedule that `export schedule` wrote and a person changed, from CSV or XLSX.

Only the id is needed. A column that is not there says nothing, and neither does an empty cell of what was not changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from schedule.errors import InputError, Place
from schedule.exchange.model import ALL_DAY, Branch, DayCalendar, Exchange, ExchangeLink, ExchangeTask
from schedule.exchange.table import COLUMNS, PERCENT
from schedule.exchange.workbook_reader import workbook_rows
from schedule.exchange.xml_reading import instant_in, minutes_of_hours
from schedule.files.grid import Faults, Numbered, Record, near, records, rows_of_file
from schedule.files.head import FACTS, START, Head, read_head
from schedule.files.terms import AROUND_THE_CLOCK, predecessors_of
from schedule.text import plain_cell

MOST_COLUMNS = 4 * len(COLUMNS)
ELAPSED = DayCalendar("around the clock", (ALL_DAY,) * 7)


def read_csv(path: Path) -> Exchange:
    """Return the schedule of a CSV. Raise InputError for all faults, each with its line and column."""
    return _schedule(path, rows_of_file(path))


def read_workbook(path: Path) -> Exchange:
    """Return the schedule of an XLSX: the sheet `Schedule`, and the facts of the sheet `Project`."""
    from schedule.exchange.xlsx_writer import PROJECT, SCHEDULE

    sheets, titles = workbook_rows(path, {SCHEDULE, PROJECT}.__contains__, MOST_COLUMNS)
    if SCHEDULE not in sheets:
        hint = near(SCHEDULE, titles, "sheets")
        raise InputError(f"the workbook has no sheet {SCHEDULE!r}", hint=hint, place=Place(str(path)))
    return _schedule(path, [*sheets.get(PROJECT, []), *sheets[SCHEDULE]])


def _schedule(path: Path, rows: Sequence[Numbered]) -> Exchange:
    head, body = _head(path, rows)
    faults = Faults()
    found = records(path, body, COLUMNS, ("id",))
    calendars = {ELAPSED.name: 0}
    branches: dict[str, int] = {}
    for record in found:
        cells = record.cells
        calendars.setdefault(cells.get("calendar", ELAPSED.name), len(calendars))
        if cells.get("phase"):
            branches.setdefault(f"{cells['phase']}.{cells.get('unit', '')}", len(branches))
    tasks: dict[str, ExchangeTask] = {}
    kept: list[Record] = []
    for record in found:
        with faults.at(record.place()):
            task = _task(record, calendars, branches, faults)
            if task.id in tasks:
                raise ValueError(f"{task.id!r} is on line {tasks[task.id].line} already; take one of the two out")
            tasks[task.id] = task
            kept.append(record)
    numbers = {name: number for number, name in enumerate(tasks)}
    links = _links(kept, numbers, list(tasks.values()), faults)
    faults.end()
    first = min((task.start for task in tasks.values() if task.start is not None), default=datetime(2000, 1, 1))  # noqa: DTZ001 - local
    zone = ZoneInfo(head.zone) if head else None
    return Exchange(
        name=path.stem,
        start=first,
        data_date=head.data_date.astimezone(zone).replace(tzinfo=None) if head and head.data_date else None,
        calendars=[ELAPSED if name == ELAPSED.name else DayCalendar(name, (ALL_DAY,) * 7) for name in calendars],
        branches=[Branch(code, code) for code in branches],
        tasks=list(tasks.values()),
        links=links,
        zone=head.zone if head else "",
    )


def _head(path: Path, rows: Sequence[Numbered]) -> tuple[Head | None, Sequence[Numbered]]:
    """Return what the lines above the columns say, and the rest. A table without such lines is one too."""
    if rows and rows[0][1][0].strip().casefold() in FACTS and any(row[1][0].casefold() == START for row in rows[:3]):
        return read_head(path, rows)
    return None, rows


def _task(record: Record, calendars: Mapping[str, int], branches: Mapping[str, int], faults: Faults) -> ExchangeTask:
    cells = record.cells

    def instant(column: str) -> datetime | None:
        with faults.at(record.place(column)):
            return instant_in(cells.get(column, ""))
        return None

    def minutes(column: str) -> int | None:
        with faults.at(record.place(column)):
            found = minutes_of_hours(cells.get(column, ""))
            if found is not None and found < 0 and column != "total float h":
                raise ValueError(f"{cells[column][:20]} hours are less than nothing; write 0 or more")
            return found
        return None

    if "id" not in cells:
        raise ValueError("the id is missing; fill in the cell")
    started, finished = instant("actual start"), instant("actual finish")
    if finished is not None and started is None:
        started = finished
    if started is not None and finished is not None and finished < started:
        raise ValueError("it finished before it started; correct one of the actual dates")
    length = minutes("duration h") or 0
    left = minutes("remaining h")
    percent = _percent(record, faults)
    return ExchangeTask(
        id=cells["id"],
        title=plain_cell(cells.get("title", "")),
        calendar=calendars[cells.get("calendar", ELAPSED.name)],
        minutes=length,
        branch=branches.get(f"{cells.get('phase', '')}.{cells.get('unit', '')}"),
        start=instant("start"),
        finish=instant("finish"),
        baseline_start=instant("baseline start"),
        baseline_finish=instant("baseline finish"),
        actual_start=started,
        actual_finish=finished,
        remaining=left if started is not None and finished is None else None,
        stated_percent=None if percent is None else round(percent),
        no_earlier=instant("start no earlier"),
        no_later=instant("finish no later"),
        line=record.line,
    )


def _percent(record: Record, faults: Faults) -> float | None:
    text = record.cells.get(PERCENT, "")
    with faults.at(record.place(PERCENT)):
        try:
            found = float(text.rstrip(" %")) if text else None
        except ValueError:
            found = -1.0
        if found is not None and not 0 <= found <= 100:
            raise ValueError(f"{text[:20]!r} is no percentage; write a number from 0 to 100")
        if found is not None and 0 < found < 1:
            raise ValueError(f"{text[:20]!r} is less than 1 %; write 40 for 40 %")
        return found
    return None


def _links(
    kept: Sequence[Record], numbers: Mapping[str, int], tasks: Sequence[ExchangeTask], faults: Faults
) -> list[ExchangeLink]:
    """Return the links. Hours count on the predecessor's calendar, elapsed ones around the clock."""
    found = []
    for after, record in enumerate(kept):
        text = record.cells.get("predecessors", "")
        with faults.at(record.place("predecessors"), "ids are in the column id; links are written A, BFS+2h, CSS-4eh"):
            for link in predecessors_of(text, numbers):
                lag = 0 if link.lag is None else link.sign * link.lag.minutes(AROUND_THE_CLOCK)
                elapsed = link.lag is not None and link.lag.elapsed
                before = numbers[link.id]
                found.append(ExchangeLink(before, after, link.type, lag, 0 if elapsed else tasks[before].calendar))
    return found
