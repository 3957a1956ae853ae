"""Refuse a change order.

Example:
    clusterwright change refuse CO-0001 --reason 'the budget is spent'

"""

from __future__ import annotations

from typing import Annotated

import typer

from clusterwright.commands.acting import take
from clusterwright.commands.options import AsOption, KeyOption, ReasonOption, SiteOption
from clusterwright.output import say
from ledger.decisions.changes import decide_change


def refuse(
    change_id: Annotated[str, typer.Argument(metavar="CHANGE", help="Its id, as CO-0001.")],
    reason: ReasonOption,
    key: KeyOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take(site, who, key, decide_change, change_id, approve=False, reason=reason)
    say(f"{change_id}: refused")
