"""List which servers are tested with which, round by round: all pairs, and each server in one pair of a round.

All pods run side by side. With --between the pods meet each other as well, server by server. A round is run on every rail.

Example:
    clusterwright fabric rounds --unit pod-001
    clusterwright fabric rounds --between --json

"""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated

from typer import Option

from clusterwright.commands.options import JsonOption, SiteOption
from clusterwright.found_links import ScheduleOption, UnitOption, cables_of
from clusterwright.output import print_json, table
from steps.cabling.cable import Cable
from steps.pairs.rounds import between_pods, within_pods


def rounds(
    schedule: ScheduleOption = None,
    unit: UnitOption = "site",
    between: Annotated[bool, Option("--between", help="Pairs of servers of different pods too.")] = False,
    as_json: JsonOption = False,
    site: SiteOption = None,
) -> None:
    pods = list(_pods(cables_of(schedule, unit, None, site)))
    order = list(chain(within_pods(pods), between_pods(pods) if between else ()))
    if as_json:
        print_json({"rounds": order})
        return
    rows = [(number, *pair) for number, each in enumerate(order, 1) for pair in each]
    table(("round", "server", "with"), rows, empty="there is one server, and no pair")


def _pods(cables: list[Cable]) -> Iterator[list[str]]:
    """Yield the servers of each pod, which their names begin with: `pod-001-n01`, `gpu-01`."""
    pods: dict[str, dict[str, None]] = {}
    for cable in cables:
        if cable.tier in ("node-leaf", ""):
            pods.setdefault(cable.a.device.rpartition("-")[0], {})[cable.a.device] = None
    yield from map(list, pods.values())
