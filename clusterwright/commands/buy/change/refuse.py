"""Refuse a change order.

Example:
    clusterwright change refuse CO-0001 --reason 'the budget is spent'

"""

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.options import ChangeId, ReasonOption
from ledger.subjects.orders.change_decisions import decide_change


def refuse(
    me: SigningReport,
    change_id: ChangeId,
    reason: ReasonOption,
) -> None:
    me.once(change_id, "refused", decide_change, approve=False, reason=reason)
