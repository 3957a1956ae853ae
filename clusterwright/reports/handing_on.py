"""A report in the form that was asked for: a page as HTML or PDF, or the whole of it as Markdown, CSV or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from clusterwright.commands.asking import AskingPast, dated, when
from clusterwright.forecast_of_today import refresh_forecast
from clusterwright.naming import known_organisation, require_phase
from clusterwright.output import print_json, say
from clusterwright.text_file import writing
from clusterwright.week_report import FORMATS, Span, WeekReport, week_report
from flows.runs.releases.lapsed import lapsed_releases
from ledger.questions.snapshot import Snapshot
from schedule.errors import InputError, UnreachableError

PAGES = ("html", "pdf")
FORMS = (*FORMATS, *PAGES)


class About(NamedTuple):
    """What a report is about: the time until now, and whose part or which phase, where it is not everything."""

    span: Span
    organisation: str | None = None
    phase: str | None = None


def hand_on(ask: AskingPast, about: About, form: str | None, out: Path | None) -> None:
    """Print a report, or write it to a file."""
    form = form_of(form, out)
    with ask.record() as snapshot:
        require_phase(about.phase)
        about = about._replace(organisation=known_organisation(snapshot, about.organisation))
        record = when(snapshot)
        if form in PAGES:
            refresh_forecast(snapshot)
        report = week_report(
            snapshot, record, about.organisation, lapsed_releases(snapshot), span=about.span, phase=about.phase
        )
        if ask.as_json:
            print_json(dated(snapshot, report))
            return
        content = _page(snapshot, about, report, form) if form in PAGES else FORMATS[form](report).encode()
    if record and form == "csv":
        say(record)  # a table for spreadsheets has no head line
    write(content, out)


def form_of(form: str | None, out: Path | None, forms: Sequence[str] = FORMS) -> str:
    """Return the form that is named, else that of the file's name, else Markdown.

    Raise InputError for a PDF without a file, and UnreachableError for a file in a folder that is not there.
    """
    named = form or (out.suffix.lstrip(".").lower() if out and out.suffix else "md")
    if named not in forms:
        raise InputError(f"{named!r} is no format", hint=f"{', '.join(forms[:-1])} or {forms[-1]}")
    if named == "pdf" and out is None:
        raise InputError("a PDF is not for the terminal", hint="name a file: --out week.pdf")
    if out is not None and not out.parent.is_dir():
        raise UnreachableError(f"{out} cannot be written: there is no folder {out.parent}", hint="--out names a file")
    return named


def write(content: bytes, out: Path | None) -> None:
    """Write to a file, or to stdout where none is named."""
    if out is None:
        print(content.decode(), end="")
        return
    with writing(out, "--out names a file"):
        out.write_bytes(content)
    say(f"wrote {out}")


def _page(snapshot: Snapshot, about: About, report: WeekReport, form: str) -> bytes:
    from clusterwright.reports.asked import Asked  # the schedule's engines, and what draws: the extra `report`
    from clusterwright.reports.charts import whole_gantt
    from clusterwright.reports.contractor import contractor_page
    from clusterwright.reports.html import html_page
    from clusterwright.reports.phase import phase_page
    from clusterwright.reports.sponsor import sponsor_page

    asked = Asked(snapshot, *about, record=report.record)
    picture = None
    if about.organisation is not None:
        page = contractor_page(asked)
    elif about.phase is not None:
        page = phase_page(asked, about.phase)
    else:
        page, picture = sponsor_page(asked), whole_gantt(asked) if form == "html" else None
    if form == "html":
        return html_page(page, report, picture).encode()
    from clusterwright.reports.pdf import pdf_page

    return pdf_page(page)
