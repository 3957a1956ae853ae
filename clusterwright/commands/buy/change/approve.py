"""Approve a change order that another person asked for.

Example:
    clusterwright change approve CO-0001

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.options import ChangeId
from ledger.subjects.orders.change_decisions import decide_change


def approve(
    me: SigningReport,
    change_id: ChangeId,
    reason: Annotated[str, Option(help="What you add.")] = "",
) -> None:
    me.once(change_id, "approved", decide_change, approve=True, reason=reason)
