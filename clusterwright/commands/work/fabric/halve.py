"""Say which servers to measure next as a slow group is halved, down to one server, or two between which it is slow.

RUNS is a table of slow (yes or no) and servers (their names with blanks between), a line a group that was measured. The first line is
the whole group, in an order that has neighbours side by side: by pods and leaf switches.

Example:
    clusterwright fabric halve runs.csv

"""

from pathlib import Path
from typing import Annotated

from typer import Argument

from clusterwright.commands.options import JsonOption
from clusterwright.output import print_json
from clusterwright.pair_results import read_runs
from steps.pairs.halving import halved


def halve(
    runs: Annotated[Path, Argument(help="The groups that were measured.", metavar="CSV")],
    as_json: JsonOption = False,
) -> None:
    order, slow = read_runs(runs)
    step = halved(order, slow)
    if as_json:
        print_json(step)
    elif step.measure:
        print(f"Measure next: {' '.join(step.measure)}")
    elif len(step.left) == 1:
        print(f"It is {step.left[0]}, which is slow by itself.")
    elif step.left:
        print(f"It is what is between {' and '.join(step.left)}: none of them is slow without the others.")
    else:
        print("The whole group is not slow.")
