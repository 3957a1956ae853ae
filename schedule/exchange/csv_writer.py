"""Writes a schedule as CSV: lines with the start, the data date and the time zone, then the columns of the table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import datetime

from schedule.exchange.model import Exchange
from schedule.exchange.table import COLUMNS, Value, table_notices, table_rows
from schedule.files.head import DATA_DATE, START, ZONE
from schedule.text import spreadsheet_text


def csv_of(found: Exchange) -> tuple[Iterator[str], Sequence[str]]:
    """Return the pieces of the file's text, and what the table cannot have, in sentences."""
    return _pieces(found), table_notices(found)


def _pieces(found: Exchange) -> Iterator[str]:
    yield _line([START, _cell(found.start)])
    if found.data_date is not None:
        yield _line([DATA_DATE, _cell(found.data_date)])
    if found.zone:
        yield _line([ZONE, _cell(found.zone)])
    yield _line(COLUMNS)
    for row in table_rows(found):
        yield _line([_cell(value) for value in row])


def _line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()


def _cell(value: Value) -> str:
    match value:
        case None:
            return ""
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M")
        case float():
            return f"{value:.6f}".rstrip("0").rstrip(".")
        case int():
            return str(value)
    return spreadsheet_text(value)
