"""What a screen shows as a file that one can mail: text, CSV or HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from schedule.csv_lines import write_rows
from tui.looks import safe

FOLDER = Path(".clusterwright") / "pages"
WIDE = 160
"""The width of a page in characters; more where ids and dates need it."""

WIDEST = 1000
SHORT = 40
"""Cells of up to so many characters stay in one line."""


class Printed(NamedTuple):
    """What a screen shows as a table: its title and headings. `about` is the line of the site, with the time."""

    title: str
    about: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def _table(page: Printed) -> Table:
    table = Table(title=safe(page.about), title_justify="left", box=None, pad_edge=False)
    for place, heading in enumerate(page.headings):
        is_short = all(len(row[place]) <= SHORT for row in page.rows)
        table.add_column(heading, overflow="fold", no_wrap=is_short)
    for row in page.rows:
        table.add_row(*map(safe, row))
    return table


def _printed(page: Printed) -> Console:
    table, console = _table(page), Console(width=WIDE, color_system=None, file=StringIO(), record=True)
    console.width = max(WIDE, table.__rich_measure__(console, console.options.update(max_width=WIDEST)).minimum)
    console.print(table)
    return console


def as_text(page: Printed) -> str:
    """Return a page as text."""
    return _printed(page).export_text()


def as_html(page: Printed) -> str:
    """Return a page as HTML that needs nothing else."""
    return _printed(page).export_html(inline_styles=True)


def as_csv(page: Printed) -> str:
    """Return a page as CSV."""
    text = StringIO()
    write_rows(text, [page.headings, *page.rows])
    return text.getvalue()


FORMS: dict[str, Callable[[Printed], str]] = {"txt": as_text, "csv": as_csv, "html": as_html}
"""By the end of the file's name."""


def write_page(folder: Path, page: Printed, form: str, at: datetime) -> Path:
    """Write a page in one of the forms into a site's folder, and return where it is."""
    path = folder / FOLDER / f"{page.title.lower()}-{at:%Y-%m-%dT%H%M%S}.{form}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FORMS[form](page), encoding="utf-8")
    return path
