"""Record that orders are placed.

Example:
    clusterwright order '001@site#gpu-server' --supplier Maker --reference PO-17 --value 9600000.00
    clusterwright order 'H08@*#compute-rack' --supplier Maker --reference PO-18

"""

from datetime import date
from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.moving import say_what_moves
from clusterwright.commands.options import OrderIds, SequenceOption, day_option
from ledger.subjects.orders import decisions as orders


def order(
    me: Reporting,
    order_ids: OrderIds,
    supplier: Annotated[str, Option(help="The organisation that delivers.")],
    reference: Annotated[str, Option(help="Purchase order number.")],
    value: Annotated[str | None, Option(help="What each of them costs, as 1250000.00.")] = None,
    currency: Annotated[str | None, Option(help="As EUR; the site's if not given.")] = None,
    budget_line: Annotated[str, Option(help="Which line of the budget pays.")] = "",
    organisation: Annotated[str, Option(help="Whose people report on it, beside your buyers.")] = "",
    promised: Annotated[date | None, day_option("The delivery date promised.")] = None,
    out_of_sequence: SequenceOption = "",
) -> None:
    me.each_order(
        order_ids,
        "placed",
        orders.order,
        promised=promised,
        supplier=supplier,
        reference=reference,
        value=value,
        currency=currency,
        budget_line=budget_line,
        organisation=organisation,
        out_of_sequence=out_of_sequence,
    )
    if promised is not None:
        say_what_moves(me)
