"""Report one phase on one page of A4, with the details behind it.

PHASE is procurement, server_assembly, networking, power, cooling, storage, software_stack, monitoring or go_live.

Example:
    clusterwright report phase power --out power.pdf

"""

from typing import Annotated

from typer import Argument

from clusterwright.commands.asking import AskingPast
from clusterwright.commands.options import FormOption, OutOption
from clusterwright.reports.handing_on import About, hand_on


def phase(
    ask: AskingPast,
    name: Annotated[str, Argument(help="Which phase.", metavar="PHASE")],
    form: FormOption = None,
    out: OutOption = None,
) -> None:
    hand_on(ask, About("week", phase=name), form, out)
