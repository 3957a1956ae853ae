"""The tables of a sheet and their columns: which are only read, which are filled in, and what may be typed there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum, StrEnum
from typing import NamedTuple


class Part(StrEnum):
    """The tables of a sheet."""

    WORK = "work"
    ITEMS = "items"
    READINGS = "readings"
    DELIVERIES = "deliveries"


class Sort(Enum):
    """What is typed into a column."""

    TEXT = "text"
    TIME = "a day or a time, as 2027-01-04 or 2027-01-04 14:30"
    WHOLE = "a whole number"
    NUMBER = "a number"
    CHOICE = "one of the list"


class Column(NamedTuple):
    """A column. `sort` is None if it is only read. A whole number is from 0 to `most`. `choices` are all that may be typed."""

    name: str
    width: int
    sort: Sort | None = None
    choices: tuple[str, ...] = ()
    most: int | None = None


Cell = str | int | float | datetime | None
"""A cell of a sheet. None is a cell in which nothing is to be filled in."""


class SheetTable(NamedTuple):
    """A table with its rows, each of which has a cell a column."""

    part: Part
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


class AboutSheet(NamedTuple):
    """Where a sheet is from: the site, the plan revision in force, the last event that it knows, and for whom it was made."""

    site: str
    uuid: str
    revision: int
    event: int
    made_at: str
    zone: str
    organisation: str


class FieldSheet(NamedTuple):
    """A sheet: where it is from, and its tables."""

    about: AboutSheet
    tables: Sequence[SheetTable]


ID, REFUSED = "id", "refused"
"""The hidden column that says what a line is about, and the column in which refused lines have the reason."""
STARTED, FINISHED, PERCENT, ITEMS_DONE, EARLY = "started", "finished", "percent", "items done", "why out of sequence"
RESULT, SERIAL, NOTE, WHEN = "result", "serial", "note", "when"
VALUE, SOURCE, QUANTITY = "value", "source", "quantity"
ACTIVITY, ITEM, METRIC, UNIT = "activity", "item", "metric", "unit"
PASS, FAIL = "pass", "fail"

_ID = Column(ID, 30)
_WHAT = (Column(ACTIVITY, 18), Column("what", 44))
_NOTE = Column(NOTE, 34, Sort.TEXT)
_WHEN = Column(WHEN, 17, Sort.TIME)
_BEFORE_READINGS = (_ID, *_WHAT, Column(ITEM, 26), Column("where", 92), Column("state", 26))

COLUMNS: dict[Part, tuple[Column, ...]] = {
    Part.WORK: (
        _ID,
        *_WHAT,
        Column("planned start", 17),
        Column("planned finish", 17),
        Column("items", 20),
        Column("state", 34),
        Column(STARTED, 17, Sort.TIME),
        Column(FINISHED, 17, Sort.TIME),
        Column(PERCENT, 10, Sort.WHOLE, most=100),
        Column(ITEMS_DONE, 11, Sort.WHOLE),
        Column(EARLY, 30, Sort.TEXT),
        _NOTE,
    ),
    Part.ITEMS: (
        *_BEFORE_READINGS,
        Column(RESULT, 9, Sort.CHOICE, (PASS, FAIL)),
        Column(SERIAL, 20, Sort.TEXT),
        _NOTE,
        _WHEN,
    ),
    Part.READINGS: (
        _ID,
        *_WHAT,
        Column(METRIC, 34),
        Column("must be", 16),
        Column(UNIT, 12),
        Column(VALUE, 12, Sort.TEXT),
        Column(SOURCE, 26, Sort.TEXT),
        _WHEN,
    ),
    Part.DELIVERIES: (
        _ID,
        Column("delivery", 34),
        Column("what", 44),
        Column("outstanding", 12),
        Column(UNIT, 10),
        Column("promised", 12),
        Column(QUANTITY, 10, Sort.NUMBER),
        Column(SERIAL, 20, Sort.TEXT),
        _NOTE,
        _WHEN,
    ),
}
"""The columns of each table. Those of items have a column a metric besides, after `result`."""


def item_columns(metrics: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of items with these metrics, each as `rack.bond_resistance [ohm]`."""
    own = COLUMNS[Part.ITEMS]
    after = len(_BEFORE_READINGS) + 1
    return (*own[:after], *(Column(metric, 14, Sort.TEXT) for metric in metrics), *own[after:])
