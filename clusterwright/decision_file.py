"""A CSV with a decision a line: an order, a delivery or an activity, and what is said of it.

A line that is wrong is refused alone, with its file, its line and the reason. The others are recorded in one transaction.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple, TypeVar

from clusterwright.commands.acting import REFUSALS, Acting, Deciding, raise_refused, reason
from clusterwright.commands.options import SHOWN, a_day, instant
from clusterwright.output import say
from clusterwright.text_file import text_in
from ledger.questions.site import site_of
from schedule.csv_lines import numbered_rows
from schedule.errors import ClusterwrightError, InputError, Place
from schedule.files.grid import plain_name
from schedule.text import plain_cell
from steps.stamps import at_site

Parsed = TypeVar("Parsed")

ENDING = ".csv"
WHEN = ("at", "late_because")
"""Columns of every such file: when it happened, and why it is recorded late."""
SURELY_MISTYPED = 0.75
"""How alike a column's name is to one of ours that is missing, if that is meant: `suplier` is the supplier, and `what` is not `at`."""


class Line(NamedTuple):
    """A line of the file: its place, and its cells by column."""

    place: Place
    cells: dict[str, str]
    beyond: str
    """The first cell to the right of the header, empty if there is none."""

    def text(self, column: str) -> str:
        """Return a cell; empty where the line or the file has none."""
        return self.cells.get(column, "")

    def whole(self, column: str) -> int | None:
        """Return a cell as a whole number, None where it is empty."""
        return self._parsed(column, int, "a whole number")

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


def lines_in(names: Sequence[str], columns: Sequence[str]) -> list[Line]:
    """Return the lines of the CSV files that arguments name, none if they name ids. The first column is what a line is about.

    Raise InputError for files and ids together, and for files that have no line.
    """
    files = [name for name in names if name.casefold().endswith(ENDING)]
    if not files:
        return []
    if len(files) < len(names):
        other = next(name for name in names if name not in files)
        raise InputError(f"{files[0]} is a file, and {other} is not", hint="name ids, or files with an id a line")
    lines = [line for name in files for line in _lines(Path(name), (*columns, *WHEN), columns[0])]
    if not lines:
        raise InputError(f"{', '.join(files)}: no line below the header", hint=f"columns: {', '.join(columns)}")
    return lines


def _lines(path: Path, columns: Sequence[str], needed: str) -> list[Line]:
    """Return the lines of a file below its header. Raise InputError for a column that is missing, twice or mistyped.

    Columns with other names are not read, and that is said.
    """
    rows = numbered_rows(text_in(path).encode(), str(path))
    header = [plain_name(cell).replace(" ", "_") for cell in rows[0][1]] if rows else []
    place = Place(str(path), 1)
    if needed not in header:
        raise InputError(f"the column {needed!r} is missing", hint=f"columns: {', '.join(columns)}", place=place)
    for column in header:
        if column in columns and header.count(column) > 1:
            raise InputError(f"the column {column!r} is there twice", hint="take one of them out", place=place)
    others = [column for column in header if column and column not in columns]
    left = [column for column in columns if column not in header]
    for column in others:
        if close := get_close_matches(column, left, n=1, cutoff=SURELY_MISTYPED):
            raise InputError(f"unknown column {column[:SHOWN]!r}", hint=f"did you mean {close[0]!r}?", place=place)
    if others:
        say(f"{path}: not read: {', '.join(others)}")
    lines = []
    for number, row in rows[1:]:
        cells = [plain_cell(cell.strip()) for cell in row]
        beyond = "".join(cells[len(header) :][:1])
        if any(cells):
            lines.append(Line(Place(str(path), number), dict(zip(header, cells, strict=False)), beyond))
    return lines


def record_lines(
    me: Acting,
    lines: Sequence[Line],
    about: str,
    done: str,
    take: Callable[[Deciding, Line], object],
) -> None:
    """Take the decision of every line in one transaction. The column `about` names what a line is about.

    What is refused is said with its place and its reason, and the others are recorded.
    """
    refused: list[ClusterwrightError] = []
    with me.deciding() as decider, decider.ledger.batch():
        zone = site_of(decider.snapshot).time_zone
        for line in lines:
            try:
                _take(decider, line, zone, take)
            except REFUSALS as error:
                refused.append(error)
                say(f"{error.place or line.place}: {line.text(about)} not {done}: {reason(error)}")
    say(f"{len(lines) - len(refused):,} of {len(lines):,} {done}")
    raise_refused(refused, len(lines))


def _take(decider: Deciding, line: Line, zone: str, take: Callable[[Deciding, Line], object]) -> None:
    if line.beyond:
        raise InputError(f"{line.beyond[:SHOWN]!r} is in no column", hint="put a cell that has a comma in quotes")
    at, late_because = line.moment("at", zone), line.text("late_because")
    if at is None:
        take(decider, line)
        return
    with decider.ledger.happened(at, late_because):
        take(decider, line)
