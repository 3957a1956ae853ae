"""Reads the cells of a workbook that somebody else may have written: bounded in bytes, elements, rows and columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile
from zlib import error as unpacking_error

from schedule.errors import InputError, Place
from schedule.exchange.xml_reading import LARGEST, content_of_schedule
from schedule.files.grid import Numbered

BROKEN = (
    BadZipFile,
    unpacking_error,
    NotImplementedError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    EOFError,
    OSError,
    SyntaxError,
)
"""What openpyxl raises for a workbook that is damaged; a fault of its XML is a SyntaxError."""
SMALL, MOST_TIMES = 16 * 2**20, 100
FEW_ELEMENTS, MOST_ELEMENTS_A_BYTE = 200_000, 2
"""What a workbook may unpack to, in bytes, and how many elements of XML it may have. A real table has 0.6 of them for each byte."""
MOST_ROWS = 2**20
UNWORKED = re.compile(rb'<c(?![^<>]*\bt="str")[^<>]*><f[^<>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>')
"""A cell with a formula that nobody worked out, as programs write it: it reads as an empty one. Of a text the result may be empty."""
LONGEST_CELL = 8192
ANEW = "copy the table's cells into a new workbook, without their formats, and save that"


class WorkbookRows(NamedTuple):
    """The rows of the sheets that were asked for, by title, and the titles of all sheets."""

    sheets: dict[str, list[Numbered]]
    titles: list[str]


def workbook_rows(path: Path, is_wanted: Callable[[str], bool], most_columns: int) -> WorkbookRows:
    """Return the rows that say anything, as text. Raise InputError for a damaged workbook, and for one that is made to be slow."""
    from openpyxl import load_workbook

    size = len(content_of_schedule(path))
    try:
        with ZipFile(path) as archive:
            _refuse_unreadable(path, archive, size)
        book = load_workbook(path, read_only=True, data_only=True)
        sheets = {
            one.title: _rows(one.iter_rows(max_row=MOST_ROWS, max_col=most_columns))
            for one in book
            if is_wanted(one.title)
        }
        titles = book.sheetnames
        book.close()
    except BROKEN:
        raise InputError("this is no workbook", hint="save it as .xlsx again", place=Place(str(path))) from None
    return WorkbookRows(sheets, titles)


def _refuse_unreadable(path: Path, archive: ZipFile, size: int) -> None:
    """Raise for a workbook that unpacks to far more than one that is honest, as it would take minutes to read, and for formulas without results."""
    unpacked = sum(part.file_size for part in archive.infolist())
    most = min(LARGEST, SMALL + MOST_TIMES * size)
    if unpacked > most:
        raise InputError(f"the workbook unpacks to more than {most // 2**20} MB", hint=ANEW, place=Place(str(path)))
    allowed, elements = FEW_ELEMENTS + MOST_ELEMENTS_A_BYTE * size, 0
    for part in archive.infolist():
        seen = b""
        with archive.open(part) as file:
            while piece := file.read(2**20):
                elements += piece.count(b"<") - piece.count(b"</")
                if elements > allowed:
                    what = f"the workbook has more than {allowed:,} cells and marks, too many for its {size:,} bytes"
                    raise InputError(what, hint=ANEW, place=Place(str(path)))
                seen = seen[-LONGEST_CELL:] + piece
                if UNWORKED.search(seen):
                    what = "the workbook has a formula without its result"
                    hint = "open it in a spreadsheet program, save it, and read that"
                    raise InputError(what, hint=hint, place=Place(str(path)))


def _rows(found: Iterable[Sequence[Any]]) -> list[Numbered]:
    """Return the rows that say anything. Those that the file does not have are one object, and a small file may lack a million."""
    rows: list[Numbered] = []
    empty: Sequence[Any] | None = None
    for line, row in enumerate(found, start=1):
        if row is empty:
            continue
        cells = [_text(cell) for cell in row]
        if any(cells):
            rows.append((line, cells))
        else:
            empty = row
    return rows


def _text(cell: Any) -> str:
    """Return what a cell shows. A spreadsheet keeps 50% as a half with the format of a percentage."""
    match cell.value:
        case None:
            return ""
        case datetime() as at:
            return at.strftime("%Y-%m-%d %H:%M")
        case int() | float() as share if "%" in cell.number_format:
            return f"{_digits(share * 100)}%"
        case float() as number:
            return _digits(number)
        case value:
            return str(value).strip()


def _digits(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")
