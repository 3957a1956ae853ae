"""The rows of activities.csv and resources.csv, each checked by itself: every cell means something, and cells do not contradict."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from pydantic import AliasGenerator, BaseModel, BeforeValidator, ConfigDict, ValidationError, ValidationInfo

from schedule.files.grid import Faults, Record
from schedule.files.terms import AROUND_THE_CLOCK, SHOWN, Length, instant_of, length_of

SEPARATORS = frozenset(",;")


def _begins(text: str, info: ValidationInfo) -> datetime:
    return instant_of(text, str(info.context))


def _ends(text: str, info: ValidationInfo) -> datetime:
    return instant_of(text, str(info.context), is_end=True)


def _name(text: str) -> str:
    if SEPARATORS & set(text):
        raise ValueError("a name has no comma and no semicolon; they separate names")
    return text


def _amount(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise ValueError(f"{text[:SHOWN]!r} is no amount; write a whole number, as 3")
    return int(text)


def _column(field: str) -> str:
    return field.replace("_", " ")


Span = Annotated[Any, BeforeValidator(length_of)]
Begin = Annotated[datetime | None, BeforeValidator(_begins)]
Finish = Annotated[datetime | None, BeforeValidator(_ends)]
Name = Annotated[str, BeforeValidator(_name)]


class _Cells(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, alias_generator=AliasGenerator(alias=_column)
    )


class ActivityRow(_Cells):
    """A row of activities.csv. A day alone is its beginning for a start, its end for a finish."""

    id: Name
    title: str = ""
    duration: Span
    optimistic: Span = None
    pessimistic: Span = None
    calendar: str = ""
    predecessors: str = ""
    resources: str = ""
    start_no_earlier: Begin = None
    finish_no_later: Finish = None
    actual_start: Begin = None
    actual_finish: Finish = None
    remaining: Span = None
    baseline_finish: Finish = None
    notes: str = ""


class ResourceRow(_Cells):
    """A row of resources.csv: so much there is of a resource, all the time."""

    resource: Name
    amount: Annotated[int, BeforeValidator(_amount)]


ACTIVITY_COLUMNS = tuple(_column(name) for name in ActivityRow.model_fields)
RESOURCE_COLUMNS = tuple(ResourceRow.model_fields)


def activity_of(record: Record, zone: str, data_date: datetime | None, faults: Faults) -> ActivityRow | None:
    """Return a row as it is meant. Note what is wrong with it, and return None if a cell means nothing."""
    row = _of(ActivityRow, record, zone, faults)
    if isinstance(row, ActivityRow):
        for column, what in _contradictions(row, data_date):
            sentence, _, hint = what.partition("; ")
            faults.say(f"{row.id}: {sentence}", record.place(column), hint)
        return row
    return None


def resource_of(record: Record, zone: str, faults: Faults) -> ResourceRow | None:
    """Return a row as it is meant, or note what is wrong with it."""
    row = _of(ResourceRow, record, zone, faults)
    return row if isinstance(row, ResourceRow) else None


def _of(model: type[_Cells], record: Record, zone: str, faults: Faults) -> _Cells | None:
    try:
        return model.model_validate(record.cells, context=zone)
    except ValidationError as error:
        for fault in error.errors():
            column = str(fault["loc"][0])
            with faults.at(record.place(column)):
                if fault["type"] == "missing":
                    raise ValueError(f"the {column} is missing; fill in the cell") from None
                raise ValueError(str(fault["msg"]).removeprefix("Value error, ")) from None
    return None


def _contradictions(row: ActivityRow, data_date: datetime | None) -> Iterator[tuple[str, str]]:
    """Yield the column and the sentence, with what to do, of each pair of cells that cannot both be true."""
    started, finished = row.actual_start, row.actual_finish
    if data_date is None and (started or finished or row.remaining):
        yield (
            "actual start",
            "has progress, and the file has no data date; write `data date,2027-02-01` above the columns",
        )
    if finished and not started:
        yield "actual finish", "has finished and has no actual start; fill it in, or take the finish out"
    if started and finished and finished < started:
        yield "actual finish", "has finished before its actual start; correct one of them"
    for column, instant in (("actual start", started), ("actual finish", finished)):
        if data_date and instant and instant > data_date:
            yield column, f"the {column} is after the data date; correct it, or move the data date"
    if row.remaining and finished and row.remaining.amount:
        yield "remaining", "has finished and something remains; take one of them out"
    if row.remaining and not started:
        yield "remaining", "has remaining work and has not started; change its duration instead"
    yield from _impossible(row)


def _impossible(row: ActivityRow) -> Iterator[tuple[str, str]]:
    if row.start_no_earlier and row.finish_no_later and row.finish_no_later < row.start_no_earlier:
        yield "finish no later", "must finish before it may start; correct one of the two dates"
    points = (row.optimistic, row.duration, row.pessimistic)
    if (row.optimistic is None) != (row.pessimistic is None):
        yield "optimistic", "has one of three points; fill in optimistic and pessimistic, or neither"
    elif row.optimistic is not None and len({point.elapsed for point in points if point.amount}) > 1:
        yield "optimistic", "has points in working and in elapsed time; write all with e, or none"
    elapsed = [point for point in (*points, row.remaining) if isinstance(point, Length) and point.elapsed]
    if elapsed and row.calendar:
        yield "calendar", "has elapsed time and a calendar; take the calendar or the e out"
    if row.remaining and row.remaining.amount and row.duration.amount and row.remaining.elapsed != row.duration.elapsed:
        yield "remaining", "remaining is not in the time of the duration; write both with e, or none"
    if row.duration.minutes(AROUND_THE_CLOCK) == 0 and row.resources:
        yield "resources", "a milestone holds no resources; fill in a duration, or take them out"
