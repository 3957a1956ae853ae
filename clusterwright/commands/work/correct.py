"""Let an entry that was made by mistake not count any more.

A start, an end, progress, a reading, a checked item, a file, a comment, an order, a promise, a shipment or a receipt. It is
named by the number of its event, as `log` lists it. It stays in the record and does not count; enter the right one anew.

Example:
    clusterwright correct 412 --reason 'pod 2, not pod 1'

"""

from typing import Annotated

from typer import Argument

from clusterwright.commands.acting import Acting
from clusterwright.commands.options import ReasonOption
from clusterwright.output import say
from ledger.subjects.corrections import decisions as corrections


def correct(
    me: Acting,
    event: Annotated[int, Argument(help="The number of the event.")],
    reason: ReasonOption,
) -> None:
    recorded = me.take(corrections.correct, event, reason)
    say(f"{recorded.subject}: event {event} does not count any more")
