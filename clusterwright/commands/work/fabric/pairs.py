"""Pairs and groups of servers: which are to be tested, and what makes some of them slow."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from clusterwright.commands.options import JsonOption, SiteOption
from clusterwright.found_links import NamesOption, ScheduleOption, UnitOption, cables_of
from clusterwright.output import print_json, table
from clusterwright.pair_results import read_results, read_runs
from schedule.errors import NotSatisfiedError
from steps.cabling.cable import Cable
from steps.pairs.culprits import Culprit
from steps.pairs.culprits import culprits as found_culprits
from steps.pairs.halving import halved
from steps.pairs.paths import Paths
from steps.pairs.rounds import between_pods, within_pods
from steps.pairs.slow import Limit, Ranked, ranking, slow_tests

SHOWN = 10
"""How many servers and links of the ranking are printed; the JSON has all."""


def rounds(
    schedule: ScheduleOption = None,
    unit: UnitOption = "site",
    between: Annotated[bool, Option("--between", help="Pairs of servers of different pods too.")] = False,
    as_json: JsonOption = False,
    site: SiteOption = None,
) -> None:
    """List which servers are tested with which, round by round: all pairs, and each server in one pair of a round.

    All pods run side by side. With --between the pods meet each other as well, server by server. A round is run on every rail.

    Example:
        clusterwright fabric rounds --unit pod-001
        clusterwright fabric rounds --between --json

    """
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


def culprits(
    results: Annotated[Path, Argument(help="What the tests measured.", metavar="CSV")],
    schedule: ScheduleOption = None,
    unit: UnitOption = "site",
    names: NamesOption = None,
    limit: Annotated[float | None, Option("--limit", help="The least that is good; with --latency the most.")] = None,
    latency: Annotated[bool, Option("--latency", help="Less is better.")] = False,
    as_json: JsonOption = False,
    site: SiteOption = None,
) -> None:
    """Find what makes pairs of servers slow: the server, link, switch or trunk, and what to test next while that is open.

    CSV is a table of a, b, rail and value, a line a test, and of via where the spine is known. A server may be tested with itself.
    A result is slow below --limit, or far from the median of its equals. With --latency less is better, and it is slow above.

    Example:
        clusterwright fabric culprits pairs.csv --unit pod-001 --limit 360
        clusterwright fabric culprits latency.csv --latency --json

    """
    paths = Paths(cables_of(schedule, unit, names, site))
    tests = read_results(results, paths)
    bound = Limit(limit, latency)
    slow = slow_tests(tests, paths, bound)
    found = found_culprits(tests, slow, paths)
    ranked = ranking(tests, slow, paths, bound)
    if as_json:
        document = {
            "culprits": [_document(each, paths) for each in found],
            "ranking": [_ranked(each) for each in ranked],
        }
        print_json({"tests": len(tests), "slow": len(slow)} | document)
    else:
        print(f"{len(slow):,} of {len(tests):,} tests are slow.")
        table(
            ("culprit", "slow", "of", "certain", "or else", "test next"),
            map(_cells, found),
            right=(1, 2),
            empty="no culprit",
        )
        rows = [(str(r.part), f"{r.median:,.1f}", f"{r.percent:+.1f} %", r.slow, r.tests) for r in ranked[:SHOWN]]
        table(("the slowest", "median", "from all", "slow", "of"), rows, right=(1, 2, 3, 4))
    if slow:
        alone = "one slow test names nobody: test its servers with others"
        raise NotSatisfiedError(
            f"slow tests: {len(slow):,}, culprits: {len(found):,}",
            hint="what is put right is tested again" if found else alone,
        )


def _cells(each: Culprit) -> tuple[object, ...]:
    others = ", ".join(map(str, each.others))
    tests = ", ".join(f"{a} with {b if b != a else 'itself'} on rail {rail}" for a, b, rail in each.next_tests)
    return str(each.part), each.slow, each.tests, "yes" if each.certain else "no", others, tests


def _document(each: Culprit, paths: Paths) -> dict[str, object]:
    return {
        **each.part._asdict(),
        "cable": paths.cable.get(each.part, ""),
        "certain": each.certain,
        "slow": each.slow,
        "tests": each.tests,
        "others": each.others,
        "next_tests": [{"a": a, "b": b, "rail": rail} for a, b, rail in each.next_tests],
    }


def _ranked(each: Ranked) -> dict[str, object]:
    return each.part._asdict() | {
        "median": each.median,
        "percent": each.percent,
        "slow": each.slow,
        "tests": each.tests,
    }


def halve(
    runs: Annotated[Path, Argument(help="The groups that were measured.", metavar="CSV")],
    as_json: JsonOption = False,
) -> None:
    """Say which servers to measure next as a slow group is halved, down to one server, or two between which it is slow.

    CSV is a table of slow (yes or no) and servers (their names with blanks between), a line a group that was measured. The first line is
    the whole group, in an order that has neighbours side by side: by pods and leaf switches.

    Example:
        clusterwright fabric halve runs.csv

    """
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
