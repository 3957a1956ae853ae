"""Writes a schedule as XLSX: a sheet with the table, and one with the start, the data date and the time zone.

Dates are dates and lengths are numbers, so that a spreadsheet sorts and adds them. Cells to fill in have validations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from schedule.exchange.model import Exchange
from schedule.exchange.table import COLUMNS, INSTANTS, PERCENT, table_notices, table_rows
from schedule.exchange.workbook_cells import bold_cell, value_cell
from schedule.files.head import DATA_DATE, START, ZONE

if TYPE_CHECKING:
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

SCHEDULE, PROJECT = "Schedule", "Project"
"""The names of the sheets."""
WIDTHS = {"id": 26, "title": 44, "predecessors": 40, "resources": 26}
MORE_ROWS = 500
"""Rows below the last one in which new activities may be typed: they have the validations too."""


def write_workbook(found: Exchange, path: Path) -> Sequence[str]:
    """Write the workbook, and return what the table cannot have, in sentences."""
    book = Workbook(write_only=True)
    sheet: WriteOnlyWorksheet = book.create_sheet(SCHEDULE)
    last = len(found.tasks) + 1
    _arrange(sheet, last)
    sheet.append([bold_cell(sheet, name) for name in COLUMNS])
    for row in table_rows(found):
        sheet.append([value_cell(sheet, value) for value in row])
    facts = book.create_sheet(PROJECT)
    for name, value in ((START, found.start), (DATA_DATE, found.data_date), (ZONE, found.zone or None)):
        if value is not None:
            facts.append([bold_cell(facts, name), value_cell(facts, value)])
    for letter in "AB":
        facts.column_dimensions[letter].width = 20
    book.save(path)
    return table_notices(found)


def _arrange(sheet: Any, last: int) -> None:
    """Freeze the header, filter, set widths and validations. A write-only sheet takes these before its rows."""
    sheet.freeze_panes = "C2"
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(COLUMNS))}{last}"
    for number, name in enumerate(COLUMNS, start=1):
        sheet.column_dimensions[get_column_letter(number)].width = WIDTHS.get(name, 17 if name in INSTANTS else 13)
    for validation in _validations(last + MORE_ROWS):
        sheet.data_validations.append(validation)


def _validations(last: int) -> Iterator[DataValidation]:
    """Yield what may be typed: dates where dates are, hours of no less than 0, percents from 0 to 100."""
    after_1989 = {"type": "date", "operator": "greaterThan", "formula1": "32874"}
    hours = {"type": "decimal", "operator": "greaterThanOrEqual", "formula1": "0"}
    share = {"type": "decimal", "operator": "between", "formula1": "0", "formula2": "100"}
    rules: list[tuple[Sequence[str], dict[str, Any], str]] = [
        (INSTANTS, after_1989, "a date, as 2027-01-04 08:00"),
        (("duration h", "remaining h"), hours, "hours, 0 or more"),
        ((PERCENT,), share, "0 to 100"),
    ]
    for names, rule, what in rules:
        found = DataValidation(**rule, allow_blank=True, showErrorMessage=True, error=f"Write {what}.")
        for name in names:
            letter = get_column_letter(COLUMNS.index(name) + 1)
            found.add(f"{letter}2:{letter}{last}")
        yield found
