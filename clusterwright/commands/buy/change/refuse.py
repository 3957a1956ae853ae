"""Refuse a change order.

Example:
    clusterwright change refuse CO-0001 --reason 'the budget is spent'

"""

from typing import Annotated

from typer import Argument

from clusterwright.commands.acting import Signing
from clusterwright.commands.options import ReasonOption
from ledger.decisions.changes import decide_change


def refuse(
    me: Signing,
    change_id: Annotated[str, Argument(metavar="CHANGE", help="Its id, as CO-0001.")],
    reason: ReasonOption,
) -> None:
    me.once(change_id, "refused", decide_change, approve=False, reason=reason)
