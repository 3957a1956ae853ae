"""Reading a checklist that came back from the field as CSV: a row an item, a column a reading.

Columns are `item`, and where they are wanted `result` (pass or fail), `note`, `photo` (paths from the CSV's own folder,
`;` between several), `serial`, and metrics with the unit in brackets: `rack.bond_resistance [mohm]`. A row that says
nothing but its item was not done yet, where there is a column for the result; where there is none, it passed.
"""

import re
from pathlib import Path
from typing import NamedTuple

from ledger.entries import ItemEntry
from ledger.evidence.store import content_of
from schedule.csv_lines import numbered_rows
from schedule.errors import ClusterwrightError, InputError, Place
from schedule.faults import together
from schedule.text import plain_cell
from steps.acceptance.measured import Measured

OWN = ("item", "result", "note", "photo", "serial")
SHOWN = 60
RESULTS = {"pass": True, "passed": True, "ok": True, "fail": False, "failed": False}
HEADER = re.compile(r"([^\[\]]*)(?:\[([^\[\]]*)\])?")
"""A name, and a unit in brackets where there is one. The spaces around are taken off before and after: no pattern finds them
in time that grows with the square of their number.
"""


class CheckFile(NamedTuple):
    """The entries of a file, and how many of its rows say nothing yet."""

    entries: tuple[ItemEntry, ...]
    empty: int


class _Row(NamedTuple):
    """A row of the file: its cells and the units of its columns, by the names of the columns."""

    path: Path
    line: int
    cells: dict[str, str]
    units: dict[str, str]

    def place(self, column: str | None = None) -> Place:
        return Place(str(self.path), self.line, column)


def read_checks(path: Path) -> CheckFile:
    """Return what a file says. Raise for all faults at once, each with its file, line and column."""
    rows = numbered_rows(content_of(path, str(path)), str(path))
    units = _units(path, rows[0][1] if rows else [])
    entries: list[ItemEntry] = []
    faults: list[ClusterwrightError] = []
    empty = 0
    for line, row in rows[1:]:
        if not any(cell.strip() for cell in row):
            continue
        try:
            entry = _entry(_row(path, line, row, units))
        except InputError as fault:
            faults.append(fault)
            continue
        if entry is None:
            empty += 1
        else:
            entries.append(entry)
    if faults:
        raise together(faults)
    if not entries:
        raise InputError(f"{path} says nothing of any item", hint="a row an item, with `pass` or `fail` under result")
    return CheckFile(tuple(entries), empty)


def _units(path: Path, header: list[str]) -> dict[str, str]:
    """Return the unit of each column by its name, in the order of the file. Columns of our own have none."""
    units: dict[str, str] = {}
    for cell in header:
        found = HEADER.fullmatch(cell.strip())
        name = found[1].strip() if found else ""
        if found is None or not name:
            raise InputError(
                f"{cell[:SHOWN]!r} names no column",
                hint="columns: " + ", ".join(OWN) + ", and metrics as `rack.bond_resistance [ohm]`",
                place=Place(str(path), 1),
            )
        own = name.casefold()
        name = own if own in OWN else name
        if name in units:
            raise InputError(f"the column {name!r} is there twice", place=Place(str(path), 1, name))
        units[name] = (found[2] or "").strip()
    if "item" not in units:
        raise InputError(
            "the column 'item' is missing", hint="the first line names the columns", place=Place(str(path), 1)
        )
    return units


def _row(
    path: Path,
    line: int,
    row: list[str],
    units: dict[str, str],
) -> _Row:
    if len(row) > len(units):
        raise InputError(f"the row has {len(row)} cells, the header {len(units)}", place=Place(str(path), line))
    cells = dict(zip(units, map(str.strip, row), strict=False))
    return _Row(path, line, cells, units)


def _entry(row: _Row) -> ItemEntry | None:
    """Return what a row says. None where it names an item and says nothing about it."""
    metrics = [name for name, cell in row.cells.items() if cell and name not in OWN]
    cells, units = row.cells, row.units
    readings = tuple(Measured(name, cells[name], units[name]) for name in metrics)
    passed = _passed(row, is_read=bool(readings))
    if passed is None:
        return None
    names = map(str.strip, row.cells.get("photo", "").split(";"))
    return ItemEntry(
        item=plain_cell(row.cells.get("item", "")),
        passed=passed,
        readings=readings,
        note=row.cells.get("note", ""),
        serial=row.cells.get("serial") or None,
        photos=tuple(_photo(row, name) for name in names if name),
        place=row.place(),
    )


def _photo(row: _Row, name: str) -> Path:
    """Return a photo beside the file. One from another folder is refused: the file's writer may not have had it."""
    folder = row.path.parent.resolve()
    photo = folder / name
    if Path(name).is_absolute() or not photo.resolve().is_relative_to(folder):
        raise InputError(
            f"{name} is not in the folder of {row.path.name}",
            hint="put the photos beside the file",
            place=row.place("photo"),
        )
    return photo


def _passed(row: _Row, *, is_read: bool) -> bool | None:
    """Return what the result says: its word, what the readings say where it is empty, None where nothing is said."""
    said = row.cells.get("result", "")
    if said.casefold() in RESULTS:
        return RESULTS[said.casefold()]
    if not said and (is_read or "result" not in row.units):
        return True
    if not any(cell for name, cell in row.cells.items() if name != "item"):
        return None
    raise InputError(
        f"the result is pass or fail, not {said!r}", place=row.place("result"), hint="or leave the row empty"
    )
