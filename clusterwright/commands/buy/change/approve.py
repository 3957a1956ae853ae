"""Approve a change order that another person asked for.

Example:
    clusterwright change approve CO-0001

"""

from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Signing
from ledger.decisions.changes import decide_change


def approve(
    me: Signing,
    change_id: Annotated[str, Argument(metavar="CHANGE", help="Its id, as CO-0001.")],
    reason: Annotated[str, Option("--reason", help="What you add.")] = "",
) -> None:
    me.once(change_id, "approved", decide_change, approve=True, reason=reason)
