"""Lines of a table that a person filled in: cells by column, each with a place that errors name; and those of a CSV."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar

from clusterwright.commands.options import SHOWN, a_day, instant
from clusterwright.output import say
from clusterwright.text_file import text_in
from schedule.csv_lines import numbered_rows
from schedule.errors import InputError, Place
from schedule.files.grid import plain_name
from schedule.meant import meant
from schedule.text import plain_cell
from steps.stamps import at_site

Parsed = TypeVar("Parsed")

SURELY_MISTYPED = 0.75
"""How alike a column's name is to one of ours that is missing, if that is meant: `suplier` is the supplier, and `what` is not `at`."""


@dataclass(frozen=True)
class FilledLine:
    """A line of the file: its place, and its cells by column."""

    place: Place
    cells: Mapping[str, str]
    beyond: str = ""
    """The first cell to the right of the header, empty if there is none."""

    def refuse_beyond(self) -> None:
        """Raise InputError for a cell to the right of the header."""
        if self.beyond:
            hint = "put a cell that has a comma in quotes"
            raise InputError(f"{self.beyond[:SHOWN]!r} is in no column", hint=hint, place=self.place)

    def text(self, column: str) -> str:
        """Return a cell; empty where the line or the file has none."""
        return self.cells.get(column, "")

    def whole(self, column: str) -> int | None:
        """Return a cell as a whole number, None where it is empty."""
        return self._parsed(column, _whole, "a whole number")

    def number(self, column: str) -> float | None:
        """Return a cell as a number, None where it is empty."""
        return self._parsed(column, float, "a number, as 12.5")

    def day(self, column: str) -> date | None:
        """Return a cell as a date, None where it is empty."""
        return self._parsed(column, a_day, "a date")

    def moment(self, column: str, zone: str) -> datetime | None:
        """Return a cell as a time, which is the zone's if it has no offset. None where it is empty."""
        return self._parsed(column, lambda text: at_site(instant(text), zone), "a time")

    def _parsed(self, column: str, parse: Callable[[str], Parsed], what: str) -> Parsed | None:
        text = self.text(column)
        place = replace(self.place, key=column)
        try:
            return parse(text) if text else None
        except InputError as error:
            raise InputError(error.what, hint=error.hint, place=place) from None
        except ValueError:
            raise InputError(f"{text[:SHOWN]!r} is not {what}", place=place) from None


def _whole(text: str) -> int:
    """Return a whole number. Raise InputError for anything else: 0.4 may be what a spreadsheet makes of 40 %."""
    if text.isascii() and text.isdecimal() and len(text) < SHOWN:
        return int(text)
    raise InputError(f"{text[:SHOWN]!r} is no whole number", hint="write 40 for 40 %")


def read_lines(path: Path, columns: Sequence[str], needed: Sequence[str]) -> list[FilledLine]:
    """Return the lines of a file below its header. Raise InputError for a column that is missing, twice or mistyped.

    Columns with other names are not read, and that is said.
    """
    rows = numbered_rows(text_in(path).encode(), str(path))
    header = [plain_name(cell).replace(" ", "_") for cell in rows[0][1]] if rows else []
    place = Place(str(path), 1)
    for column in needed:
        if column not in header:
            raise InputError(f"the column {column!r} is missing", hint=f"columns: {', '.join(columns)}", place=place)
    for column in header:
        if column in columns and header.count(column) > 1:
            raise InputError(f"the column {column!r} is there twice", hint="take one of them out", place=place)
    others = [column for column in header if column and column not in columns]
    left = [column for column in columns if column not in header]
    for column in others:
        if hint := meant(column, left, alike=SURELY_MISTYPED):
            raise InputError(f"unknown column {column[:SHOWN]!r}", hint=hint, place=place)
    if others:
        say(f"{path}: not read: {', '.join(others)}")
    lines = []
    for number, row in rows[1:]:
        cells = [plain_cell(cell.strip()) for cell in row]
        beyond = "".join(cells[len(header) :][:1])
        if any(cells):
            lines.append(FilledLine(Place(str(path), number), dict(zip(header, cells, strict=False)), beyond))
    return lines
