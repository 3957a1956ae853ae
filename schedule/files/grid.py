"""A CSV as its author sees it: cells by column, each with a place that errors name. Faults are gathered, and raised together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from schedule.csv_lines import numbered_rows
from schedule.errors import ClusterwrightError, InputError, Place, UnreachableError
from schedule.faults import SHOWN as MOST_SHOWN
from schedule.faults import together
from schedule.meant import meant
from schedule.text import HIDDEN, require_visible

LARGEST = 64 * 1024 * 1024
SHOWN = 60

OFTEN_NONE = re.compile(f"{HIDDEN.pattern}|[\\r\\n\\t]")
"""What few rows have: a mark that cannot be seen, or the end of a line in a cell."""

Numbered = tuple[int, list[str]]
"""The number of a line, and its cells."""


class Record(NamedTuple):
    """One row: its line, and by column what its cells say; empty ones are left out."""

    file: str
    line: int
    cells: dict[str, str]

    def place(self, column: str | None = None) -> Place:
        """Return the place of a column of this row."""
        return Place(self.file, self.line, column)


@dataclass
class Faults:
    """What is wrong with the files so far."""

    found: list[ClusterwrightError] = field(default_factory=list)

    @contextmanager
    def at(self, place: Place, hint: str = "") -> Iterator[None]:
        """Note the ValueError or InputError that is raised inside, with its place. Its text is `what; what to do`."""
        try:
            yield
        except ValueError as error:
            what, _, remedy = str(error).partition("; ")
            self.found.append(InputError(what, hint=remedy or hint, place=place))
        except InputError as error:
            self.found.append(InputError(error.what, hint=error.hint or hint, place=error.place or place))

    def say(self, what: str, place: Place, hint: str = "") -> None:
        """Note a fault."""
        self.found.append(InputError(what, hint=hint, place=place))

    def near(self, name: str, known: Collection[str], what: str) -> str:
        """Return the hint for a name that is not known, as `near` does. Empty for faults that are not shown: to find one takes long."""
        return near(name, known, what) if len(self.found) < MOST_SHOWN else ""

    def end(self) -> None:
        """Raise what was found, if anything was."""
        if self.found:
            raise together(self.found, undone="nothing was read")


def rows_of_file(path: Path) -> list[Numbered]:
    """Return the rows of a CSV that say anything, stripped, with their lines."""
    rows = numbered_rows(content_of(path, LARGEST, "split it"), str(path))
    stripped = ((line, [cell.strip() for cell in cells]) for line, cells in rows)
    return [(line, cells) for line, cells in stripped if any(cells)]


def records(path: Path, rows: Sequence[Numbered], columns: Collection[str], needed: Sequence[str]) -> list[Record]:
    """Return the rows below a header by column. Raise InputError for an unknown, a repeated or a missing column."""
    if not rows:
        raise InputError(
            "the file has no rows",
            hint=f"the first line names the columns: {', '.join(columns)}",
            place=Place(str(path)),
        )
    (line, header), *body = rows
    names = [_column(name, columns, Place(str(path), line)) for name in header]
    twice = next((name for at, name in enumerate(names) if name and name in names[:at]), None)
    if twice:
        raise InputError(
            f"the column {twice!r} is there twice", hint="take one of them out", place=Place(str(path), line, twice)
        )
    missing = next((name for name in needed if name not in names), None)
    if missing:
        hint = f"columns: {', '.join(columns)}"
        raise InputError(f"the column {missing!r} is missing", hint=hint, place=Place(str(path), line))
    faults, found = Faults(), []
    for number, cells in body:
        found.append(_record(path, number, names, cells, faults))
    faults.end()
    return found


def near(name: str, known: Collection[str], what: str) -> str:
    """Return the hint for a name that is not known: the nearest one, or what there is."""
    listed = ", ".join(sorted(known)[:20])
    return meant(name, known, f"{what}: {listed}" if listed else f"there are no {what}")


def plain_name(text: str) -> str:
    """Return the name of a column as we write it: `Start_no_earlier` is `start no earlier`."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def _column(text: str, columns: Collection[str], place: Place) -> str:
    name = plain_name(text)
    if name and name not in columns:
        raise InputError(f"unknown column {text[:SHOWN]!r}", hint=near(name, columns, "columns"), place=place)
    return name


def _record(path: Path, line: int, names: Sequence[str], cells: Sequence[str], faults: Faults) -> Record:
    beyond = [cell for cell in cells[len(names) :] if cell]
    unnamed = [cell for name, cell in zip(names, cells, strict=False) if cell and not name]
    for cell in (*beyond, *unnamed):
        hint = "put a cell that has a comma in quotes, or name its column"
        faults.say(f"{cell[:SHOWN]!r} is in a column that has no name", Place(str(path), line), hint)
    record = Record(str(path), line, {name: cell for name, cell in zip(names, cells, strict=False) if name and cell})
    if OFTEN_NONE.search("".join(cells)):
        for name, cell in record.cells.items():
            with faults.at(record.place(name)):
                require_visible(cell, "the cell", lines=name in {"title", "notes"})
    return record


def content_of(path: Path, largest: int, hint: str) -> bytes:
    """Return the content of a file that a person names. Raise for one that cannot be read, or is too large."""
    try:
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise UnreachableError(f"{path} cannot be read: {error.strerror}", hint="look at the path") from None
    if len(content) > largest:
        raise InputError(f"the file has more than {largest // 2**20} MB", hint=hint, place=Place(str(path)))
    return content
