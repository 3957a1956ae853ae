"""The cells of a workbook that is written row by row: text is no formula, whatever it begins with, and times are times."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, WriteOnlyCell
from openpyxl.styles import Font

INSTANT_FORMAT = "yyyy-mm-dd hh:mm"


def bold_cell(sheet: Any, text: str) -> Any:
    """Return a cell of a header."""
    cell = WriteOnlyCell(sheet, text)
    cell.font = Font(bold=True)
    return cell


def value_cell(sheet: Any, value: str | float | datetime | None) -> Any:
    """Return the cell of a value. Text may begin as a formula does, and stays text."""
    if isinstance(value, str):
        cell = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", value))
        cell.data_type = "s"
        return cell
    if value is None or isinstance(value, int | float):
        return value
    cell = WriteOnlyCell(sheet, value)
    cell.number_format = INSTANT_FORMAT
    return cell
