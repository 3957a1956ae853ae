"""What a screen shows as a file that one can mail: text, CSV or HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from html import escape
from io import StringIO
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from schedule.csv_lines import write_rows
from schedule.text import shown_in_line

FOLDER = Path(".clusterwright") / "pages"
WIDE = 160
"""The width of a page in characters; more where ids and dates need it."""

SHORT = 40
"""Cells of up to so many characters stay in one line."""

GAP = " "
"""Between two columns."""


class Printed(NamedTuple):
    """What a screen shows as a table: its title and headings. `about` is the line of the site, with the time."""

    title: str
    about: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def as_text(page: Printed) -> str:
    """Return a page as text."""
    rows = [[*map(shown_in_line, row)] for row in (page.headings, *page.rows)]
    widths = _widths(rows)
    lines = (line for row in rows for line in _lines(row, widths))
    return "".join(f"{line}\n" for line in (shown_in_line(page.about), *lines))


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column: what its cells need if they are short, else a share of what is left of the page."""
    needed = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    long = [width for width in needed if width > SHORT]
    left = WIDE - sum(needed) + sum(long) - len(GAP) * (len(needed) - 1)
    share = max(left // max(len(long), 1), SHORT)
    return [width if width <= SHORT else min(width, share) for width in needed]


def _lines(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a row: what is wider than its column goes on below."""
    parts = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    for cells in zip_longest(*parts, fillvalue=""):
        yield GAP.join(map(set_cell_size, cells, widths)).rstrip()


def _wrapped(cell: str, width: int) -> Sequence[str]:
    if cell_len(cell) <= width:
        return [cell]
    is_narrow = cell_len(cell) == len(cell)
    return wrap(cell, width if is_narrow else width // 2)


def as_html(page: Printed) -> str:
    """Return a page as HTML that needs nothing else."""
    head = f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{escape(page.title)}</title>\n'
    return f"{head}<pre>{escape(as_text(page))}</pre>\n"


def as_csv(page: Printed) -> str:
    """Return a page as CSV."""
    text = StringIO()
    write_rows(text, [page.headings, *page.rows])
    return text.getvalue()


FORMS: dict[str, Callable[[Printed], str]] = {"txt": as_text, "csv": as_csv, "html": as_html}
"""By the end of the file's name."""


def write_page(folder: Path, page: Printed, form: str, at: datetime) -> Path:
    """Write a page in one of the forms into a site's folder, and return where it is."""
    path = folder / FOLDER / f"{page.title.lower() or 'page'}-{at:%Y-%m-%dT%H%M%S}.{form}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FORMS[form](page), encoding="utf-8")
    return path
