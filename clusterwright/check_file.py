"""Reading a checklist that came back from the field as CSV: a row an item, a column a reading.

Columns are `item`, and where they are wanted `result` (pass or fail), `note`, `photo` (paths from the CSV's own folder,
`;` between several), `serial`, and metrics with the unit in brackets: `rack.bond_resistance [mohm]`. A row that says
nothing but its item was not done yet, where there is a column for the result; where there is none, it passed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steps.errors import ClusterwrightError, InputError, Place

if TYPE_CHECKING:
    from ledger.entries import ItemEntry

OWN = ("item", "result", "note", "photo", "serial")
RESULTS = {"pass": True, "passed": True, "ok": True, "fail": False, "failed": False}


class CheckFile(NamedTuple):
    """The entries of a file, and how many of its rows say nothing yet."""

    entries: tuple[ItemEntry, ...]
    empty: int


class _Column(NamedTuple):
    name: str
    unit: str


def read_checks(path: Path) -> CheckFile:
    """Give what a file says; every fault names file, line and column."""
    from ledger.evidence.store import content_of
    from ledger.rules.csv_lines import numbered_rows
    from ledger.rules.faults import together

    rows = numbered_rows(content_of(path, str(path)), str(path))
    columns = _columns(path, rows[0][1] if rows else [])
    entries: list[ItemEntry] = []
    faults: list[ClusterwrightError] = []
    empty = 0
    for line, row in rows[1:]:
        if not any(cell.strip() for cell in row):
            continue
        try:
            entry = _entry(path, line, row, columns)
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


def _columns(path: Path, header: list[str]) -> list[_Column]:
    columns: list[_Column] = []
    for cell in header:
        found = re.fullmatch(r"\s*([^\[\]]*?)\s*(?:\[([^\[\]]*)\])?\s*", cell)
        name = found[1] if found else ""
        if not name:
            raise InputError(
                f"{cell!r} names no column",
                hint="columns: " + ", ".join(OWN) + ", and metrics as `rack.bond_resistance [ohm]`",
                place=Place(str(path), 1),
            )
        own = name.casefold() if name.casefold() in OWN else name
        if own in {column.name for column in columns}:
            raise InputError(f"the column {own!r} is there twice", place=Place(str(path), 1, own))
        columns.append(_Column(own, (found[2] or "").strip() if found else ""))
    if "item" not in {column.name for column in columns}:
        raise InputError(
            "the column 'item' is missing", hint="the first line names the columns", place=Place(str(path), 1)
        )
    return columns


def _entry(path: Path, line: int, row: list[str], columns: list[_Column]) -> ItemEntry | None:
    """Give what a row says; None where it names an item and says nothing of it."""
    from ledger.entries import ItemEntry, ReadingEntry

    if len(row) > len(columns):
        raise InputError(f"the row has {len(row)} cells, the header {len(columns)}", place=Place(str(path), line))
    cells = {column.name: cell.strip() for column, cell in zip(columns, row, strict=False)}
    units = {column.name: column.unit for column in columns}
    readings = tuple(ReadingEntry(n, cell, units[n]) for n, cell in cells.items() if n not in OWN and cell)
    passed = _passed(path, line, cells, has_column="result" in units, is_read=bool(readings))
    if passed is None:
        return None
    photos = [_photo(path, line, name.strip()) for name in cells.get("photo", "").split(";") if name.strip()]
    return ItemEntry(
        item=cells.get("item", ""),
        passed=passed,
        readings=readings,
        note=cells.get("note", ""),
        serial=cells.get("serial") or None,
        photos=tuple(photos),
        place=Place(str(path), line),
    )


def _photo(path: Path, line: int, name: str) -> Path:
    """Give a photo that lies with the file: one from elsewhere names what its writer was never given."""
    folder = path.parent.resolve()
    photo = folder / name
    if Path(name).is_absolute() or not photo.resolve().is_relative_to(folder):
        raise InputError(
            f"{name} does not lie in the folder of {path.name}",
            hint="put the photos beside the file",
            place=Place(str(path), line, "photo"),
        )
    return photo


def _passed(path: Path, line: int, cells: dict[str, str], *, has_column: bool, is_read: bool) -> bool | None:
    """Give what the result says: its word, what the readings say where it is empty, None where nothing is said."""
    said = cells.get("result", "")
    if said.casefold() in RESULTS:
        return RESULTS[said.casefold()]
    if not said and (is_read or not has_column):
        return True
    if not said and not any(cell for name, cell in cells.items() if name != "item"):
        return None
    raise InputError(
        f"the result is pass or fail, not {said!r}",
        place=Place(str(path), line, "result"),
        hint="or leave the row empty",
    )
