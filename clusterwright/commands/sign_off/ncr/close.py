"""Close a non-conformance: what was decided is done.

Example:
    clusterwright ncr close NCR-0001

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.options import NcrId
from ledger.subjects.ncr.decisions import close_ncr


def close(
    me: SigningReport,
    ncr: NcrId,
    disposition: Annotated[str, Option("--disposition", help="If none was decided before.")] = "",
) -> None:
    me.once(ncr, "closed", close_ncr, disposition)
