"""Record that a supplier changed the delivery date.

Example:
    clusterwright promise '001@site#gpu-server' --on 2027-03-15 --reason 'allocation slipped'

"""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from clusterwright.commands.acting import take
from clusterwright.commands.options import DAY, AsOption, OrderId, ReasonOption, SiteOption, a_day
from clusterwright.output import say
from ledger.decisions import orders


def promise(
    order_id: OrderId,
    on: Annotated[date, typer.Option(parser=a_day, metavar=DAY, help="The new delivery date.")],
    reason: ReasonOption,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take(site, who, None, orders.promise, order_id, on, reason=reason)
    say(f"{order_id}: promised for {on}")
