"""What happens to an order between its placing and its coming: what the supplier says and sends, and what is done to hurry it."""

from datetime import date
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.consequences import say_what_moves
from clusterwright.commands.options import OrderId, ReasonOption, TrancheId, day_option
from ledger.subjects.orders import decisions as orders
from ledger.subjects.orders import delivery_decisions as deliveries


def acknowledge(
    me: Reporting,
    order_id: OrderId,
    on: Annotated[date, day_option("The day the supplier accepted it.")],
    reference: Annotated[str, Option(help="The supplier's reference.")],
    promised: Annotated[date | None, day_option("The delivery date it names.")] = None,
) -> None:
    """Record that a supplier accepted an order.

    Example:
        clusterwright acknowledge '001@site#gpu-server' --on 2026-12-01 --reference A-204 --promised 2027-03-01

    """
    me.once(order_id, "acknowledged", orders.acknowledge, on=on, reference=reference, promised=promised)


def promise(
    me: Reporting, order_id: OrderId, on: Annotated[date, day_option("The new delivery date.")], reason: ReasonOption
) -> None:
    """Record that a supplier changed the delivery date, and say what that moves.

    Example:
        clusterwright promise '001@site#gpu-server' --on 2027-03-15 --reason 'allocation slipped'

    """
    me.once(order_id, f"promised for {on}", orders.promise, on, reason=reason)
    say_what_moves(me)


def expedite(
    me: Reporting,
    order_id: Annotated[str, Argument(metavar="ORDER", help="An order, or one delivery of it.")],
    reason: ReasonOption,
    cost: Annotated[str, Option(help="What it costs extra.")] = "0",
    currency: Annotated[str | None, Option(help="The order's if not given.")] = None,
) -> None:
    """Record that an order is expedited, and what that costs.

    Example:
        clusterwright expedite '001@site#gpu-server/1' --reason 'pod 1 waits' --cost 12000.00

    """
    me.once(order_id, "expedited", orders.expedite, reason=reason, cost=cost, currency=currency)


def ship(
    me: Reporting,
    tranche: TrancheId,
    carrier: Annotated[str, Option(help="Who carries it.")],
    on: Annotated[date, day_option("The day it left.")],
    tracking: Annotated[str, Option(help="Tracking number.")] = "",
    handling: Annotated[str, Option(help="Tilt and shock indicators: which, and how they are to look.")] = "",
) -> None:
    """Record that a delivery has left the supplier.

    Example:
        clusterwright ship '001@site#gpu-server/1' --carrier Freight --on 2027-02-20 --tracking 1Z99

    """
    me.once(tranche, "shipped", deliveries.ship, shipped=on, carrier=carrier, tracking=tracking, handling=handling)
