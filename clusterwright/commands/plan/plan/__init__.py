"""Work out dates, critical path and orders.

Without a verb the plan of the site's folder is worked out as it is now, and nothing is adopted.

Example:
    clusterwright plan
    clusterwright plan --gantt --all
    clusterwright plan adopt --as owner

"""

from typing import Annotated

from typer import Option

from clusterwright.commands.asking import Asking
from clusterwright.output import print_json
from clusterwright.plan_view import gantt_lines, plan_document, print_plan
from clusterwright.planning import plan_of


def plan(
    ask: Asking,
    gantt: Annotated[bool, Option("--gantt", help="Draw bars instead of the tables.")] = False,
    everything: Annotated[bool, Option("--all", help="Every activity, not only critical ones.")] = False,
) -> None:
    made = plan_of(ask.folder)
    if ask.as_json:
        print_json(plan_document(made))
    elif gantt:
        for line in gantt_lines(made, everything=everything):
            print(line)
    else:
        print_plan(made, everything=everything)
