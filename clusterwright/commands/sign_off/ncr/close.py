"""Close a non-conformance: what was decided is done.

Example:
    clusterwright ncr close NCR-0001

"""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.acting import Signing
from ledger.decisions.ncr import close_ncr


def close(
    me: Signing,
    ncr: Annotated[str, typer.Argument(help="Its id, as NCR-0001.")],
    what: Annotated[str, typer.Option("--disposition", help="If none was decided before.")] = "",
) -> None:
    me.once(ncr, "closed", close_ncr, what)
