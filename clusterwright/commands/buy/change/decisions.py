"""Asking for a change of an order, and deciding about it."""

from typing import Annotated, Any

from typer import Argument, Option

from clusterwright.commands.acting import Reporting, SigningReport
from clusterwright.commands.options import ChangeId, ReasonOption
from clusterwright.output import say
from ledger.subjects.orders.change_decisions import ask_change, decide_change


def request(
    me: Reporting,
    order_id: Annotated[str, Argument(metavar="ORDER", help="An order; for a quantity, one delivery of it.")],
    reason: ReasonOption,
    quantity: Annotated[str | None, Option(help="How many it is to be, in all.")] = None,
    value: Annotated[str | None, Option(help="What the whole order is to cost.")] = None,
) -> None:
    """Ask for another quantity or value of an order.

    Keeping more than was ordered is such a change too.

    Example:
        clusterwright change request '001@site#gpu-server/1' --quantity 34 --reason 'two spares'

    """
    event: Any = me.take(ask_change, order_id, reason=reason, quantity=quantity, value=value)
    say(f"{event.payload.change}: waits for a decision")


def approve(me: SigningReport, change_id: ChangeId, reason: Annotated[str, Option(help="What you add.")] = "") -> None:
    """Approve a change order that another person asked for.

    Example:
        clusterwright change approve CO-0001

    """
    me.once(change_id, "approved", decide_change, approve=True, reason=reason)


def refuse(me: SigningReport, change_id: ChangeId, reason: ReasonOption) -> None:
    """Refuse a change order.

    Example:
        clusterwright change refuse CO-0001 --reason 'the budget is spent'

    """
    me.once(change_id, "refused", decide_change, approve=False, reason=reason)
