"""Decide what is done about a non-conformance.

Example:
    clusterwright ncr disposition NCR-0001 rework --owner operator --due 2027-01-31
    clusterwright ncr disposition NCR-0001 use-as-is --reason 'the tolerance is cosmetic'

"""

from datetime import date
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.options import NcrId, day_option
from ledger.subjects.ncr.decisions import disposition_ncr


def disposition(
    me: SigningReport,
    ncr: NcrId,
    disposition: Annotated[str, Argument(help="rework, repair, use-as-is or return.")],
    owner: Annotated[str, Option(help="Who makes it good.")] = "",
    due: Annotated[date | None, day_option("By when.")] = None,
    reason: Annotated[str, Option(help="Why; use-as-is needs one.")] = "",
) -> None:
    me.once(ncr, disposition, disposition_ncr, disposition, owner=owner, due=due, reason=reason)
