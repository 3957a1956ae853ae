"""Record that a supplier accepted an order.

Example:
    clusterwright acknowledge '001@site#gpu-server' --on 2026-12-01 --reference A-204 --promised 2027-03-01

"""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from clusterwright.commands.acting import take
from clusterwright.commands.options import DAY, AsOption, OrderId, SiteOption, a_day
from clusterwright.output import say
from ledger.decisions import orders


def acknowledge(
    order_id: OrderId,
    on: Annotated[date, typer.Option(parser=a_day, metavar=DAY, help="The day the supplier accepted it.")],
    reference: Annotated[str, typer.Option(help="The supplier's reference.")],
    promised: Annotated[
        date | None, typer.Option(parser=a_day, metavar=DAY, help="The delivery date it names.")
    ] = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take(
        site,
        who,
        None,
        orders.acknowledge,
        order_id,
        on=on,
        reference=reference,
        promised=promised,
    )
    say(f"{order_id}: acknowledged")
