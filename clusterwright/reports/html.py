"""A report as HTML that needs nothing else: its page, and the details behind it.

The page prints as one sheet of A4, and after it the details that somebody has opened.
"""

from __future__ import annotations

from base64 import b64encode

from jinja2 import Environment, PackageLoader

from clusterwright.output import in_line
from clusterwright.pictures.canvas import Picture, svg_of
from clusterwright.reports import page as measures
from clusterwright.reports.page import Sheet
from clusterwright.week_report import WeekReport


def html_page(page: Sheet | None, behind: WeekReport, picture: Picture | None = None) -> str:
    """Return a page, and behind it the sections of a report and a picture that is too large for the page.

    Without a page the sections are all there is, and open.
    """
    return environment().get_template("report.html").render(m=measures, page=page, behind=behind, picture=picture)


def environment() -> Environment:
    """Return what pages are rendered in: text is escaped and in one line, and there are functions for pictures and photos."""
    made = Environment(
        loader=PackageLoader("clusterwright"),
        autoescape=True,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"svg": svg_of, "base64": lambda content: b64encode(content).decode()}
    return made


def _shown(value: object) -> object:
    """Return text from people and files in one line, with its hidden marks made visible."""
    return in_line(value) if type(value) is str else value
