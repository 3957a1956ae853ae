"""The tables of an XER file, as rows by column, each with its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from schedule.errors import InputError, Place
from schedule.exchange.xml_reading import content_of_schedule
from schedule.files.grid import Faults

MARKS = frozenset({"%T", "%F", "%R", "%E"})
"""What a line begins with: the name of a table, its columns, a row, the end."""


class XerRow(NamedTuple):
    """A row: its line, and its cells by column."""

    file: str
    line: int
    cells: dict[str, str]

    def get(self, column: str) -> str:
        """Return a cell; empty where the table has no such column."""
        return self.cells.get(column, "")

    def number(self, column: str) -> str:
        """Return the cell of a number, with a point: P6 writes the decimal sign of its user's country."""
        return self.get(column).replace(",", ".")

    def place(self) -> Place:
        """Return where the row is."""
        return Place(self.file, self.line)


@dataclass
class XerFile:
    """The tables of a file, with the faults that were found in it."""

    path: Path
    tables: dict[str, list[XerRow]]
    is_utf8: bool
    """Else its text is taken for code page 1252, which no mark in the file confirms."""
    faults: Faults = field(default_factory=Faults)

    def rows(self, table: str) -> list[XerRow]:
        """Return the rows of a table; none where the file has it not."""
        return self.tables.get(table, [])


def read_tables(path: Path) -> XerFile:
    """Return the tables. Raise InputError for a row outside a table, or with more cells than columns."""
    text, is_utf8 = _text(path)
    found = XerFile(path, {}, is_utf8)
    rows: list[XerRow] = []
    columns: list[str] = []
    for number, line in _lines(text):
        mark, *cells = line.split("\t")
        match mark:
            case "%T":
                rows, columns = found.tables.setdefault(cells[0] if cells else "", []), []
            case "%F":
                columns = cells
            case "%R":
                if not columns or len(cells) > len(columns):
                    what = "the row has more cells than its table has columns" if columns else "the row is in no table"
                    raise InputError(what, hint="export the file again", place=Place(str(path), number))
                rows.append(XerRow(str(path), number, dict(zip(columns, cells, strict=False))))
            case "%E":
                break
    if "TASK" not in found.tables:
        raise InputError(
            "the file has no activities", hint="export a project with its activities", place=Place(str(path))
        )
    return found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers. One without a mark goes on in a cell of the line above: names may have several lines."""
    begins, parts = 1, [""]
    for number, line in enumerate(text.split("\n"), start=1):
        if line[:2] in MARKS:
            yield begins, " ".join(parts)
            begins, parts = number, []
        if line.strip():
            parts.append(line.rstrip("\r"))
    yield begins, " ".join(parts)


def _text(path: Path) -> tuple[str, bool]:
    """Return the text, and whether it is UTF-8; else it is read in code page 1252."""
    content = content_of_schedule(path)
    try:
        return content.decode("utf-8-sig"), True
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), False
