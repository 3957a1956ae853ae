"""Record that a supplier changed the delivery date, and say what that moves.

Example:
    clusterwright promise '001@site#gpu-server' --on 2027-03-15 --reason 'allocation slipped'

"""

from datetime import date
from typing import Annotated

from clusterwright.commands.acting import Reporting
from clusterwright.commands.moving import say_what_moves
from clusterwright.commands.options import OrderId, ReasonOption, day_option
from ledger.subjects.orders import decisions as orders


def promise(
    me: Reporting,
    order_id: OrderId,
    on: Annotated[date, day_option("The new delivery date.")],
    reason: ReasonOption,
) -> None:
    me.once(order_id, f"promised for {on}", orders.promise, on, reason=reason)
    say_what_moves(me)
