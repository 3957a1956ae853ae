"""Assign a non-conformance to a person, who makes it good.

Example:
    clusterwright ncr assign NCR-0001 operator --due 2027-01-31

"""

from datetime import date
from typing import Annotated

from typer import Argument

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import NcrId, day_option
from ledger.subjects.ncr.decisions import assign_ncr


def assign(
    me: Reporting,
    ncr: NcrId,
    person: Annotated[str, Argument(help="Who makes it good.")],
    due: Annotated[date | None, day_option("By when.")] = None,
) -> None:
    me.once(ncr, f"assigned to {person}", assign_ncr, person, due)
