"""Write the plan for Microsoft Project, Primavera P6, a spreadsheet or a calendar.

The plan in force is written at its forecast dates, with what has happened and with a baseline. Where no plan is in force, it is
what the folder makes. What the form cannot have is said, with how it is carried. The ending says the form: .xml or .mspdi is
Microsoft Project's, .pmxml P6's XML, .xer P6's tables, .xlsx and .csv a table, .ics a calendar with order-by dates, milestones and
inspections.

Example:
    clusterwright export schedule plan.xml
    clusterwright export schedule plan.xer
    clusterwright export schedule p6.xml --form pmxml
    clusterwright export schedule plan.xlsx
    clusterwright export schedule plan.ics

"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.options import SiteOption
from clusterwright.exporting import exported
from clusterwright.output import say
from clusterwright.where import find_site
from schedule.exchange.writing import form_of, write_exchange


def schedule(
    file: Annotated[Path, Argument(help="The file to write; one that is there is replaced.")],
    form: Annotated[
        str | None, Option("--form", help="mspdi, pmxml, xer, csv, xlsx or ics, whatever the ending is.")
    ] = None,
    site: SiteOption = None,
) -> None:
    chosen = form_of(file, form)
    found = exported(find_site(site))
    notices = write_exchange(found.schedule, file, chosen)
    own = found.schedule
    say(f"{file}: {len(own.tasks):,} tasks, {len(own.links):,} links, {len(own.calendars)} calendars, as {chosen}")
    for notice in (*found.notices, *notices):
        say(f"  {notice}")
