"""CSV as spreadsheets read and write it: with commas, semicolons or tabs, and with or without a byte order mark.

Lines are counted from 1. What people typed is written so that no spreadsheet takes it for a formula.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TextIO

from schedule.errors import InputError, Place
from schedule.text import spreadsheet_text


def text_of(content: bytes, name: str) -> str:
    """Return a file's text, without the byte order mark that spreadsheets write."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        hint = "save it as UTF-8; in Excel that is `CSV UTF-8`"
        raise InputError("this is not UTF-8 text", hint=hint, place=Place(name)) from None


def numbered_rows(content: bytes, name: str) -> list[tuple[int, list[str]]]:
    """Return every row with the number of the line on which it begins.

    The separator is the comma, semicolon or tab, whichever the first line has most often.
    """
    text = text_of(content, name)
    first = text.splitlines()[0] if text.strip() else ""
    reader = csv.reader(
        io.StringIO(text),
        delimiter=max(",;\t", key=first.count),
        strict=True,
    )
    rows: list[tuple[int, list[str]]] = []
    begins = 1
    try:
        for row in reader:
            rows.append((begins, row))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"this does not read as CSV: {error}", place=Place(name, begins)) from None
    return rows


def write_rows(
    file: TextIO,
    rows: Iterable[Sequence[object]],
    *,
    end: str = "\n",
) -> None:
    """Write rows as CSV. Text is written in one line, and as no formula; numbers are written as they are."""
    written = csv.writer(file, lineterminator=end)
    for row in rows:
        written.writerow([spreadsheet_text(cell) if isinstance(cell, str) else cell for cell in row])
