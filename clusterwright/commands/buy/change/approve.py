"""Approve a change order that another person asked for.

Example:
    clusterwright change approve CO-0001

"""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.acting import take
from clusterwright.commands.options import AsOption, KeyOption, SiteOption
from clusterwright.output import say
from ledger.decisions.changes import decide_change


def approve(
    change_id: Annotated[str, typer.Argument(metavar="CHANGE", help="Its id, as CO-0001.")],
    reason: Annotated[str, typer.Option("--reason", help="What you add.")] = "",
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take(site, who, key, decide_change, change_id, approve=True, reason=reason)
    say(f"{change_id}: approved")
