"""Decide what is done about a non-conformance.

Example:
    clusterwright ncr disposition NCR-0001 rework --owner operator --due 2027-01-31
    clusterwright ncr disposition NCR-0001 use-as-is --reason 'the tolerance is cosmetic'

"""

from datetime import date
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import DAY, a_day
from ledger.decisions.ncr import disposition_ncr


def disposition(
    me: Signing,
    ncr: Annotated[str, Argument(help="Its id, as NCR-0001.")],
    what: Annotated[str, Argument(help="rework, repair, use-as-is or return.")],
    owner: Annotated[str, Option("--owner", help="Who makes it good.")] = "",
    due: Annotated[
        date | None,
        Option(
            "--due",
            parser=a_day,
            metavar=DAY,
            help="By when.",
        ),
    ] = None,
    reason: Annotated[str, Option("--reason", help="Why; use-as-is needs one.")] = "",
) -> None:
    me.once(ncr, what, disposition_ncr, what, owner=owner, due=due, reason=reason)
