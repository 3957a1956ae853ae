"""Close a non-conformance: what was decided is done.

Example:
    clusterwright ncr close NCR-0001

"""

from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Signing
from ledger.decisions.ncr import close_ncr


def close(
    me: Signing,
    ncr: Annotated[str, Argument(help="Its id, as NCR-0001.")],
    what: Annotated[str, Option("--disposition", help="If none was decided before.")] = "",
) -> None:
    me.once(ncr, "closed", close_ncr, what)
