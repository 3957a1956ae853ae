"""Assign a non-conformance to a person, who makes it good.

Example:
    clusterwright ncr assign NCR-0001 operator --due 2027-01-31

"""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from clusterwright.commands.acting import take
from clusterwright.commands.options import DAY, AsOption, SiteOption, a_day
from clusterwright.output import say
from ledger.decisions.ncr import assign_ncr


def assign(
    ncr: Annotated[str, typer.Argument(help="Its id, as NCR-0001.")],
    person: Annotated[str, typer.Argument(help="Who makes it good.")],
    due: Annotated[
        date | None,
        typer.Option("--due", parser=a_day, metavar=DAY, help="By when."),
    ] = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take(site, who, None, assign_ncr, ncr, person, due)
    say(f"{ncr}: assigned to {person}")
