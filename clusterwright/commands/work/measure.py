"""Record a reading against an acceptance criterion.

It is judged at once, and one that fails opens a non-conformance. `show` names the criteria of an activity.

Example:
    clusterwright measure H08@pod-001 rack.bond_resistance 50 mohm --source 'Megger 4' --item rack-07

"""

from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.acting import Reporting
from clusterwright.commands.handing import say_shut_out
from clusterwright.commands.options import ActivityId
from ledger.subjects.work import decisions as work


def measure(
    me: Reporting,
    activity: ActivityId,
    metric: Annotated[str, Argument(help="What was read, as the criterion names it.")],
    value: Annotated[str, Argument(help="A number, or true or false.")],
    unit: Annotated[str, Argument(help="The unit it was read in.")],
    source: Annotated[str, Option(help="The instrument or document.")],
    item: Annotated[str | None, Option(help="Which rack, host, link.")] = None,
) -> None:
    said = f"{metric} = {value} {unit}"
    say_shut_out(me, [activity])
    me.each(
        [activity],
        said,
        work.measure,
        metric,
        value,
        unit,
        item=item,
        source=source,
    )
