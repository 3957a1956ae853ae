"""Reads a sheet that came back: where it is from, and the lines in which somebody wrote something. It judges no line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from clusterwright.commands.options import SHOWN, YEARS
from clusterwright.filled_lines import FilledLine
from clusterwright.sheets.columns import COLUMNS, ID, PERCENT, Cell, Column, Part, Sort
from clusterwright.sheets.writing import ABOUT as ABOUT_PAGE
from clusterwright.sheets.writing import CSV, EVENT, FACTS, MADE, ORGANISATION, REVISION, SITE, TABLE, XLSX
from schedule.errors import InputError, Place
from schedule.exchange.workbook_reader import workbook_rows
from schedule.files.grid import Numbered, rows_of_file
from schedule.text import plain_cell

MOST_COLUMNS = 60
METRIC = re.compile(r"([^\[\]\s]+) \[([^\[\]]*)\]")
"""A column of readings: a metric, and its unit in brackets."""
PAGES = {part.capitalize(): part for part in Part}
ANEW = "`clusterwright export sheet` makes a new one"


class Origin(NamedTuple):
    """What a sheet says of itself: the site's UUID, the revision, the last event that it knows, when and for whom it was made."""

    uuid: str
    revision: int
    event: int
    made_at: str
    organisation: str


@dataclass(frozen=True, kw_only=True)
class SheetLine(FilledLine):
    """A line in which something is filled in, and the table that it is in. Its cells are without the empty ones."""

    part: Part

    @property
    def id(self) -> str:
        """What the line is about."""
        return self.text(ID)


class Filled(NamedTuple):
    """A sheet that came back. `metrics` are the columns of readings at items, `empty` counts lines that say nothing."""

    path: Path
    origin: Origin
    lines: Sequence[SheetLine]
    metrics: Sequence[str]
    empty: int


def read_sheet(path: Path) -> Filled:
    """Return what was filled in. Raise InputError for what is no sheet, or lacks a column, or where it is from."""
    suffix = path.suffix.casefold()
    if suffix == XLSX:
        return _read_workbook(path)
    if suffix == CSV:
        return _read_csv(path)
    raise InputError(
        f"{path.name} is no form of a sheet", hint="its name ends with .xlsx or .csv", place=Place(str(path))
    )


def _read_workbook(path: Path) -> Filled:
    sheets, _ = workbook_rows(path, {ABOUT_PAGE, *PAGES}.__contains__, MOST_COLUMNS)
    facts = {cells[0]: cells[1] for _, cells in sheets.pop(ABOUT_PAGE, []) if len(cells) > 1}
    tables = {PAGES[title]: rows for title, rows in sheets.items()}
    return _filled(path, facts, tables)


def _read_csv(path: Path) -> Filled:
    rows = rows_of_file(path)
    facts: dict[str, str] = {}
    while rows and rows[0][1][0] in FACTS:
        _, (name, *cells) = rows.pop(0)
        facts[name] = plain_cell(cells[0]) if cells else ""
    part = facts.get(TABLE, "")
    if part not in set(Part):
        what = f"{part[:SHOWN]!r} is no table of a sheet" if part else "the lines above the columns are missing"
        raise InputError(what, hint=ANEW, place=Place(str(path), 1))
    return _filled(path, facts, {Part(part): rows})


def _filled(path: Path, facts: Mapping[str, str], tables: Mapping[Part, Sequence[Numbered]]) -> Filled:
    lines: list[SheetLine] = []
    metrics: dict[str, None] = {}
    empty = 0
    for part, rows in tables.items():
        (number, header), *body = rows or [(1, [])]
        known = {column.name: column for column in COLUMNS[part]}
        _refuse_other_columns(Place(str(path), number), header, known)
        found = [name for name in header if METRIC.fullmatch(name)] if part is Part.ITEMS else []
        metrics |= dict.fromkeys(found)
        to_fill = {name for name in header if name in found or (name in known and known[name].sort is not None)}
        for line, cells in body:
            said = {name: plain_cell(cell) for name, cell in zip(header, cells, strict=False) if cell and name}
            if PERCENT in said:
                said[PERCENT] = said[PERCENT].removesuffix("%").rstrip()
            if to_fill.isdisjoint(said):
                empty += 1
            else:
                lines.append(SheetLine(Place(str(path), line), said, part=part))
    return Filled(path, _origin(path, facts), lines, list(metrics), empty)


def _refuse_other_columns(place: Place, header: Sequence[str], known: Mapping[str, Column]) -> None:
    for name in filter(None, header):
        if header.count(name) > 1:
            raise InputError(f"the column {name[:SHOWN]!r} is there twice", hint="take one of them out", place=place)
    needed = [name for name, column in known.items() if name == ID or column.sort is not None]
    missing = [name for name in needed if name not in header]
    if missing:
        raise InputError(
            f"the column {missing[0]!r} is missing", hint=f"leave the columns as they are; {ANEW}", place=place
        )


def _origin(path: Path, facts: Mapping[str, str]) -> Origin:
    try:
        uuid = facts[SITE].rpartition(", ")[2]
        return Origin(uuid, int(facts[REVISION]), int(facts[EVENT]), facts[MADE], facts.get(ORGANISATION, ""))
    except (KeyError, ValueError):
        what = "the sheet does not say where it is from"
        hint = f"its part {ABOUT_PAGE!r} and the lines above its columns stay as they are; {ANEW}"
        raise InputError(what, hint=hint, place=Place(str(path))) from None


def typed(column: Column, text: str) -> Cell:
    """Return a cell of a file of refused lines: whole numbers and times as such where they are, anything else as it was typed."""
    if column.sort is Sort.WHOLE and text.isascii() and text.isdecimal() and len(text) < len(str(2**31)):
        return int(text)
    if column.sort is Sort.TIME and text:
        with suppress(ValueError):
            found = datetime.fromisoformat(text)
            return found if found.tzinfo is None and found.year in YEARS else text
    return text
