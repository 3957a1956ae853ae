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
    environment = Environment(loader=PackageLoader("clusterwright"), autoescape=True, finalize=shown, trim_blocks=True)
    environment.globals |= {"m": measures, "svg": svg_of, "base64": lambda content: b64encode(content).decode()}
    return environment.get_template("report.html").render(page=page, behind=behind, picture=picture)


def shown(value: object) -> object:
    """Return text from people and files in one line, with its hidden marks made visible."""
    return in_line(value) if type(value) is str else value
