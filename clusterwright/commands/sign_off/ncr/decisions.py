"""Deciding on non-conformances."""

from datetime import date
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Reporting, SigningReport
from clusterwright.commands.options import NcrId, day_option
from ledger.subjects.ncr.decisions import assign_ncr, close_ncr, disposition_ncr


def assign(
    me: Reporting,
    ncr: NcrId,
    person: Annotated[str, Argument(help="Who makes it good.")],
    due: Annotated[date | None, day_option("By when.")] = None,
) -> None:
    """Assign a non-conformance to a person, who makes it good.

    Example:
        clusterwright ncr assign NCR-0001 operator --due 2027-01-31

    """
    me.once(ncr, f"assigned to {person}", assign_ncr, person, due)


def disposition(
    me: SigningReport,
    ncr: NcrId,
    disposition: Annotated[str, Argument(help="rework, repair, use-as-is or return.")],
    owner: Annotated[str, Option(help="Who makes it good.")] = "",
    due: Annotated[date | None, day_option("By when.")] = None,
    reason: Annotated[str, Option(help="Why; use-as-is needs one.")] = "",
) -> None:
    """Decide what is done about a non-conformance.

    Example:
        clusterwright ncr disposition NCR-0001 rework --owner operator --due 2027-01-31
        clusterwright ncr disposition NCR-0001 use-as-is --reason 'the tolerance is cosmetic'

    """
    me.once(ncr, disposition, disposition_ncr, disposition, owner=owner, due=due, reason=reason)


def close(
    me: SigningReport,
    ncr: NcrId,
    disposition: Annotated[str, Option("--disposition", help="If none was decided before.")] = "",
) -> None:
    """Close a non-conformance: what was decided is done.

    Example:
        clusterwright ncr close NCR-0001

    """
    me.once(ncr, "closed", close_ncr, disposition)
