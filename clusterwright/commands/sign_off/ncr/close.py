"""Close a non-conformance: what was decided is done.

Example:
    clusterwright ncr close NCR-0001

"""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.acting import take
from clusterwright.commands.options import AsOption, KeyOption, SiteOption
from clusterwright.output import say
from ledger.decisions.ncr import close_ncr


def close(
    ncr: Annotated[str, typer.Argument(help="Its id, as NCR-0001.")],
    what: Annotated[str, typer.Option("--disposition", help="If none was decided before.")] = "",
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take(site, who, key, close_ncr, ncr, what)
    say(f"{ncr}: closed")
