"""Reading a table with named columns."""

from __future__ import annotations

from collections.abc import Iterator

from schedule.csv_lines import numbered_rows
from schedule.errors import InputError, Place
from schedule.text import plain_cell


def lines_of(content: bytes, name: str, needed: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the lines of a table with their numbers, cells by column. Lines without anything are passed over."""
    rows = numbered_rows(content, name)
    head = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    if lacking := [column for column in needed if column not in head]:
        raise InputError(f"it has no column {', '.join(lacking)}", place=Place(name, 1))
    for line, row in rows[1:]:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(head):
            raise InputError(f"{len(row)} cells under {len(head)} columns", place=Place(name, line))
        yield line, dict(zip(head, (plain_cell(cell.strip()) for cell in row), strict=True))
