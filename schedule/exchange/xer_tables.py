"""The tables of an XER file, as rows by column, each with its line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from schedule.errors import InputError, Place
from schedule.exchange.xml_reading import content_of_schedule
from schedule.files.grid import Faults


class XerRow(NamedTuple):
    """A row: its line, and its cells by column."""

    file: str
    line: int
    cells: dict[str, str]

    def get(self, column: str) -> str:
        """Return a cell; empty where the table has no such column."""
        return self.cells.get(column, "")

    def place(self) -> Place:
        """Return where the row is."""
        return Place(self.file, self.line)


@dataclass
class XerFile:
    """The tables of a file, with the faults that were found in it."""

    path: Path
    tables: dict[str, list[XerRow]]
    faults: Faults = field(default_factory=Faults)

    def rows(self, table: str) -> list[XerRow]:
        """Return the rows of a table; none where the file has it not."""
        return self.tables.get(table, [])


def read_tables(path: Path) -> XerFile:
    """Return the tables. Raise InputError for a row outside a table, or with more cells than columns."""
    found = XerFile(path, {})
    rows: list[XerRow] = []
    columns: list[str] = []
    for number, line in enumerate(_text(path).split("\n"), start=1):
        mark, *cells = line.rstrip("\r").split("\t")
        match mark:
            case "%T":
                rows, columns = [], []
                found.tables[cells[0] if cells else ""] = rows
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


def _text(path: Path) -> str:
    """Return the text: UTF-8 where it is that, else code page 1252."""
    content = content_of_schedule(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
