"""Record that a delivery has left the supplier.

Example:
    clusterwright ship '001@site#gpu-server/1' --carrier Freight --on 2027-02-20 --tracking 1Z99

"""

from datetime import date
from typing import Annotated

from typer import Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import TrancheId, day_option
from ledger.subjects.orders import delivery_decisions as deliveries


def ship(
    me: Reporting,
    tranche: TrancheId,
    carrier: Annotated[str, Option(help="Who carries it.")],
    on: Annotated[date, day_option("The day it left.")],
    tracking: Annotated[str, Option(help="Tracking number.")] = "",
    handling: Annotated[str, Option(help="Tilt and shock indicators: which, and how they are to look.")] = "",
) -> None:
    me.once(
        tranche,
        "shipped",
        deliveries.ship,
        shipped=on,
        carrier=carrier,
        tracking=tracking,
        handling=handling,
    )
