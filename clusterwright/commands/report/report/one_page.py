"""Reports on one page of A4, with the details behind it."""

from typing import Annotated

from typer import Argument

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import FormOption, OrganisationOption, OutOption
from clusterwright.reports.handing_on import About, hand_on


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
