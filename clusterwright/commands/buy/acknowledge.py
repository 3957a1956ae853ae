"""Record that a supplier accepted an order.

Example:
    clusterwright acknowledge '001@site#gpu-server' --on 2026-12-01 --reference A-204 --promised 2027-03-01

"""

from datetime import date
from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import OrderId, day_option
from ledger.subjects.orders import decisions as orders


def acknowledge(
    me: Reporting,
    order_id: OrderId,
    on: Annotated[date, day_option("The day the supplier accepted it.")],
    reference: Annotated[str, Option(help="The supplier's reference.")],
    promised: Annotated[date | None, day_option("The delivery date it names.")] = None,
) -> None:
    me.once(order_id, "acknowledged", orders.acknowledge, on=on, reference=reference, promised=promised)
