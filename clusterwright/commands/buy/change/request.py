"""Ask for another quantity or value of an order.

Keeping more than was ordered is such a change too.

Example:
    clusterwright change request '001@site#gpu-server/1' --quantity 34 --reason 'two spares'

"""

from typing import Annotated, Any

from typer import Argument, Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import ReasonOption
from clusterwright.output import say
from ledger.subjects.orders.change_decisions import ask_change


def request(
    me: Reporting,
    order_id: Annotated[str, Argument(metavar="ORDER", help="An order; for a quantity, one delivery of it.")],
    reason: ReasonOption,
    quantity: Annotated[str | None, Option(help="How many it is to be, in all.")] = None,
    value: Annotated[str | None, Option(help="What the whole order is to cost.")] = None,
) -> None:
    event: Any = me.take(
        ask_change,
        order_id,
        reason=reason,
        quantity=quantity,
        value=value,
    )
    say(f"{event.payload.change}: waits for a decision")
