"""Record that an order is expedited, and what that costs.

Example:
    clusterwright expedite '001@site#gpu-server/1' --reason 'pod 1 waits' --cost 12000.00

"""

from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import ReasonOption
from ledger.subjects.orders import decisions as orders


def expedite(
    me: Reporting,
    order_id: Annotated[str, Argument(metavar="ORDER", help="An order, or one delivery of it.")],
    reason: ReasonOption,
    cost: Annotated[str, Option(help="What it costs extra.")] = "0",
    currency: Annotated[str | None, Option(help="The order's if not given.")] = None,
) -> None:
    me.once(order_id, "expedited", orders.expedite, reason=reason, cost=cost, currency=currency)
