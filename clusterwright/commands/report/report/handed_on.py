"""Reports that are handed on: a week, a month or a phase on one page, a meeting's list, and the site as a folder of pages."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.asking import AskingPast, dated, when
from clusterwright.commands.options import FormOption, OrganisationOption, OutOption
from clusterwright.forecast_of_today import refresh_forecast
from clusterwright.naming import known_organisation, named
from clusterwright.output import print_json, say
from clusterwright.reports.handing_on import About, form_of, hand_on, write
from clusterwright.reports.meeting import meeting_report
from clusterwright.week_report import FORMATS
from flows.runs.releases.lapsed import lapsed_releases

HTML = "html"
MB = 1e6


def week(
    ask: AskingPast, form: FormOption = None, out: OutOption = None, organisation: OrganisationOption = None
) -> None:
    """Report the week on one page of A4, with the details behind it.

    As HTML or PDF it is the page that a sponsor is handed: dates against baseline and last week, charts, what slipped and why, orders
    at risk, money, quality, and the decisions that are needed by name and day. As Markdown, CSV or JSON it has every row, sorted by owner.

    With --organisation it is a contractor's: their work, dates, constraints and what they hand in, and nothing that is the owner's.

    Example:
        clusterwright report week --out week.pdf
        clusterwright report week --out week.html
        clusterwright report week --organisation 'Sparks Ltd' --out sparks.pdf

    """
    hand_on(ask, About("week", organisation), form, out)


def month(
    ask: AskingPast, form: FormOption = None, out: OutOption = None, organisation: OrganisationOption = None
) -> None:
    """Report the month on one page of A4, with the details behind it: as `report week`, held against the same day of the month before.

    Example:
        clusterwright report month --out november.pdf
        clusterwright report month --as-of 2026-10-31 --out october.html

    """
    hand_on(ask, About("month", organisation), form, out)


def phase(
    ask: AskingPast,
    name: Annotated[str, Argument(help="Which phase.", metavar="PHASE")],
    form: FormOption = None,
    out: OutOption = None,
) -> None:
    """Report one phase on one page of A4, with the details behind it.

    PHASE is procurement, server_assembly, networking, power, cooling, storage, software_stack, monitoring or go_live.

    Example:
        clusterwright report phase power --out power.pdf

    """
    hand_on(ask, About("week", phase=name), form, out)


def meeting(
    ask: AskingPast,
    trade: Annotated[str | None, Option(help="Only this trade's.", metavar="ROLE")] = None,
    form: FormOption = None,
    out: OutOption = None,
    organisation: OrganisationOption = None,
) -> None:
    """List the next three weeks for a meeting: by trade and contractor, with the constraints to remove and the decisions they need.

    A trade is a role, as rigger; `list` names them.

    Example:
        clusterwright report meeting --trade rigger
        clusterwright report meeting --organisation 'Sparks Ltd' --out meeting.html

    """
    into = form_of(form, out, (*FORMATS, HTML))
    with ask.record() as snapshot:
        if trade is not None:
            named("trade", [trade], snapshot.column("SELECT DISTINCT role FROM activity"))
        whose = known_organisation(snapshot, organisation)
        report = meeting_report(snapshot, trade, whose, when(snapshot), lapsed_releases(snapshot))
        if ask.as_json:
            print_json(dated(snapshot, report))
            return
    if into == HTML:
        from clusterwright.reports.html import html_page  # the extra `report`

        write(html_page(None, report).encode(), out)
    else:
        write(FORMATS[into](report).encode(), out)


def site(
    ask: AskingPast,
    html: Annotated[Path, Option("--html", help="The folder, new or a portal's.", metavar="DIR")],
    organisation: OrganisationOption = None,
) -> None:
    """Write the site as a folder of pages that opens from a USB stick, with a search: no network and no server.

    Overview, Gantt chart, floor, procurement, quality, record, and a page for each activity, as of the last event of the record. A folder
    that holds anything but a portal is refused; a portal in it is replaced.

    With --organisation it is a contractor's: their work alone, and nothing that is the owner's.

    Example:
        clusterwright report site --html portal
        clusterwright report site --html sparks --organisation 'Sparks Ltd'

    """
    with ask.record() as snapshot:
        whose = known_organisation(snapshot, organisation)
        from clusterwright.reports.portal.making import make_portal  # what draws: the extra `report`

        refresh_forecast(snapshot)
        written = make_portal(snapshot, html, whose, when(snapshot))
        if ask.as_json:
            print_json(dated(snapshot, written))
            return
    say(f"wrote {written.files:,} files, {written.bytes / MB:,.1f} MB: open {html / 'index.html'}")
