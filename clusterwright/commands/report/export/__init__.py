"""Write the record or the plan for others.

Example:
    clusterwright export bundle turnover
    clusterwright export schedule plan.xml

"""

from pathlib import Path
from shlex import quote
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.options import KeyOption, SiteOption
from clusterwright.output import say
from clusterwright.where import find_site


def bundle(
    folder: Annotated[Path, Argument(help="A new folder.")],
    key: KeyOption = None,
    site: SiteOption = None,
) -> None:
    """Write the turnover package, with a script that verifies it.

    It holds events, statements, signatures and evidence. OpenSSH and coreutils are enough to verify it. The owner's key signs
    it: with --key, or later the file `manifest` in it. Without that it proves no more than its chain.

    Example:
        clusterwright export bundle turnover
        clusterwright export bundle turnover --key ~/.ssh/id_ed25519

    """
    from ledger.trust.package import write_package

    made = write_package(find_site(site), folder, key)
    signed = f"{made.statements} signed statements, {made.of_engine} signatures of the engine"
    say(f"{folder}: {made.events} events, {signed}, {made.evidence} files of evidence")
    say(f"head {made.head}; verify it with {quote(f'{folder}/verify.sh')}")
    if made.to_sign:
        say(f"chain only until the owner signs it: {made.to_sign}")


def schedule(
    file: Annotated[Path, Argument(help="The file to write; one that is there is replaced.")],
    form: Annotated[
        str | None, Option("--form", help="mspdi, pmxml, xer, csv, xlsx or ics, whatever the ending is.")
    ] = None,
    site: SiteOption = None,
) -> None:
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
    from clusterwright.exporting import exported  # the schedule's engines
    from schedule.exchange.writing import form_of, write_exchange

    chosen = form_of(file, form)
    found = exported(find_site(site))
    notices = write_exchange(found.schedule, file, chosen)
    own = found.schedule
    say(f"{file}: {len(own.tasks):,} tasks, {len(own.links):,} links, {len(own.calendars)} calendars, as {chosen}")
    for notice in (*found.notices, *notices):
        say(f"  {notice}")
