"""Writes a sheet as a workbook, with lists and limits of what may be typed, or one table of it as CSV. Text is never a formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from datetime import datetime
from pathlib import Path
from typing import Any

from clusterwright.sheets.columns import (
    ID,
    NOTE,
    REFUSED,
    SOURCE,
    AboutSheet,
    Cell,
    Column,
    FieldSheet,
    SheetTable,
    Sort,
)
from clusterwright.text_file import writing
from schedule.csv_lines import write_rows
from schedule.errors import InputError

ABOUT = "About"
"""The sheet of the workbook that says where it is from."""
TABLE, SITE, REVISION, EVENT, MADE, ZONE, ORGANISATION = (
    "table",
    "site",
    "plan revision",
    "last event",
    "made at",
    "time zone",
    "organisation",
)
FACTS = (TABLE, SITE, REVISION, EVENT, MADE, ZONE, ORGANISATION)
"""What the lines above a CSV's columns, and the sheet `About` of a workbook, say."""
HOW = (
    "Fill in the yellow cells, and send the file back. Leave empty what you do not know.",
    "A day without a time is the beginning of that day, by the site's clocks.",
    "Rows may be sorted, and rows that you do not need taken out. The hidden column says what each row is about.",
)
XLSX, CSV = ".xlsx", ".csv"
LONGEST = {NOTE: 2000, SOURCE: 200}
"""How much text a column takes; the others take an id or a serial number."""
LONGEST_ID = 100
TO_FILL, NOTHING, WRONG = "FFF8D6", "D9D9D9", "F8D7CD"
"""Colours: to be filled in, not asked for, refused."""


def write_sheet(sheet: FieldSheet, path: Path) -> None:
    """Write a sheet. The ending says the form. Raise InputError for another ending, and for a CSV of several tables."""
    suffix = path.suffix.casefold()
    if suffix not in {XLSX, CSV}:
        raise InputError(f"{path} is no form of a sheet", hint="end the name with .xlsx or .csv")
    with writing(path, "look at the path"):
        (_write_workbook if suffix == XLSX else _write_csv)(sheet, path)


def _facts(about: AboutSheet) -> Iterator[tuple[str, str]]:
    yield SITE, f"{about.site}, {about.uuid}"
    yield REVISION, str(about.revision)
    yield EVENT, str(about.event)
    yield MADE, about.made_at
    yield ZONE, about.zone
    yield ORGANISATION, about.organisation


def _write_csv(sheet: FieldSheet, path: Path) -> None:
    if len(sheet.tables) > 1:
        parts = ", ".join(table.part for table in sheet.tables)
        raise InputError(
            f"a CSV has one table, and this would have {parts}", hint="name one with --of, or end with .xlsx"
        )
    (table,) = sheet.tables
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        write_rows(file, [(TABLE, str(table.part)), *_facts(sheet.about), [column.name for column in table.columns]])
        write_rows(file, ([_csv_cell(cell) for cell in row] for row in table.rows))


def _csv_cell(cell: Cell) -> object:
    if isinstance(cell, datetime):
        return cell.strftime("%Y-%m-%d %H:%M")
    return "" if cell is None else cell


def _write_workbook(sheet: FieldSheet, path: Path) -> None:
    from openpyxl import Workbook

    from schedule.exchange.workbook_cells import bold_cell, value_cell

    book = Workbook(write_only=True)
    for table in sheet.tables:
        _add_table(book, table)
    about = book.create_sheet(ABOUT)
    about.column_dimensions["A"].width, about.column_dimensions["B"].width = 16, 60
    for name, value in _facts(sheet.about):
        about.append([bold_cell(about, name), value_cell(about, value)])
    for line in HOW:
        about.append([None, value_cell(about, line)])
    book.save(path)


def _add_table(book: Any, table: SheetTable) -> None:
    from openpyxl.utils import get_column_letter

    from schedule.exchange.workbook_cells import bold_cell

    page = book.create_sheet(table.part.capitalize())
    last = len(table.rows) + 1
    page.freeze_panes = "D2"
    page.auto_filter.ref = f"A1:{get_column_letter(len(table.columns))}{last}"
    for number, column in enumerate(table.columns, start=1):
        size = page.column_dimensions[get_column_letter(number)]
        size.width, size.hidden = column.width, column.name == ID
    for validation in _validations(table.columns, last):
        page.data_validations.append(validation)
    page.append([bold_cell(page, column.name) for column in table.columns])
    styles = _Styles(page)
    for row in table.rows:
        page.append([styles.cell(column, cell) for column, cell in zip(table.columns, row, strict=True)])


class _Styles:
    """Cells of a page with their colours and formats, which are made once."""

    def __init__(self, page: Any) -> None:
        from openpyxl.styles import PatternFill

        self._page = page
        self._fills = {name: PatternFill("solid", fgColor=name) for name in (TO_FILL, NOTHING, WRONG)}
        self._kept: dict[tuple[str, Sort | None], Any] = {}

    def cell(self, column: Column, value: Cell) -> Any:
        """Return a cell. Times are times, and what is typed into a column of text stays text: a number keeps its zeros."""
        from openpyxl.cell.cell import WriteOnlyCell

        from schedule.exchange.workbook_cells import INSTANT_FORMAT, value_cell

        if column.sort is None and column.name != REFUSED:
            return value_cell(self._page, value)
        made: Any = value_cell(self._page, value) if value not in {None, ""} else None
        cell: Any = made if hasattr(made, "fill") else WriteOnlyCell(self._page, made)
        colour = WRONG if column.name == REFUSED else NOTHING if value is None else TO_FILL
        if (kept := self._kept.get((colour, column.sort))) is not None:
            cell._style = copy(kept)  # noqa: SLF001  to set the fill hashes it, for each cell
            return cell
        cell.fill = self._fills[colour]
        if column.sort is Sort.TIME:
            cell.number_format = INSTANT_FORMAT
        elif column.sort is Sort.TEXT:
            cell.number_format = "@"
        self._kept[colour, column.sort] = cell._style  # noqa: SLF001  the same
        return cell


def _validations(columns: Sequence[Column], last: int) -> Iterator[Any]:
    """Yield what may be typed into the columns that are filled in."""
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    for number, column in enumerate(columns, start=1):
        if column.sort is not None:
            letter, longest = get_column_letter(number), LONGEST.get(column.name, LONGEST_ID)
            rule, what = _rule(column, longest)
            found = DataValidation(**rule, allow_blank=True, showErrorMessage=True, error=f"Write {what}.")
            found.add(f"{letter}2:{letter}{last}")
            yield found


def _rule(column: Column, longest: int) -> tuple[dict[str, Any], str]:
    match column.sort:
        case Sort.TIME:
            return {"type": "date", "operator": "greaterThan", "formula1": "32874"}, Sort.TIME.value
        case Sort.WHOLE if column.most is not None:
            most = str(column.most)
            return {"type": "whole", "operator": "between", "formula1": "0", "formula2": most}, f"0 to {most}"
        case Sort.WHOLE | Sort.NUMBER:
            kind = "whole" if column.sort is Sort.WHOLE else "decimal"
            return {"type": kind, "operator": "greaterThanOrEqual", "formula1": "0"}, f"{column.sort.value}, 0 or more"
        case Sort.CHOICE:
            return {"type": "list", "formula1": f'"{",".join(column.choices)}"'}, " or ".join(column.choices)
    most = str(longest)
    return {"type": "textLength", "operator": "lessThanOrEqual", "formula1": most}, f"at most {most} characters"
