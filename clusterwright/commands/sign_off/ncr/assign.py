"""Assign a non-conformance to a person, who makes it good.

Example:
    clusterwright ncr assign NCR-0001 operator --due 2027-01-31

"""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from clusterwright.commands.acting import Acting
from clusterwright.commands.options import DAY, a_day
from ledger.decisions.ncr import assign_ncr


def assign(
    me: Acting,
    ncr: Annotated[str, typer.Argument(help="Its id, as NCR-0001.")],
    person: Annotated[str, typer.Argument(help="Who makes it good.")],
    due: Annotated[date | None, typer.Option("--due", parser=a_day, metavar=DAY, help="By when.")] = None,
) -> None:
    me.once(ncr, f"assigned to {person}", assign_ncr, person, due)
