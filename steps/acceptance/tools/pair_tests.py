"""Tests between all pairs of hosts on every rail, as the role `pair_tests` hands them over: what is slow, and what makes it slow.

A pair is tested in both directions, and the slower one counts. A test that was begun and has no result counts as nothing received: a
dead link is named like a slow one.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations
from typing import Any, NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number, share_of
from steps.acceptance.metric import Metric, Tool
from steps.amount import first_of
from steps.cabling.cable import Cable, CableEnd
from steps.pairs.culprits import Culprit, culprits
from steps.pairs.paths import PairTest, Paths
from steps.pairs.slow import Limit, slow_tests

OUTPUT = "pair_tests"
RDMA = ("ib_write_bw", "ib_send_bw", "ib_read_bw")
SHOWN = 5


class Matrix(NamedTuple):
    """What was tested: results of pairs, those that have none, and the least that is good in Gbit/s."""

    tool: str
    paths: Paths
    results: list[PairTest]
    untested: list[str]
    least: float | None

    @property
    def slowest(self) -> PairTest:
        """The slowest of all results."""
        return min(self.results, key=lambda each: each.value)


def fabric_culprits(handed: Handed) -> Found:
    """Count the servers, links and switches that make tests slow, certain or not. A test without a result must have a culprit."""
    matrix = _matrix(handed)
    slow = slow_tests(matrix.results, matrix.paths, Limit(matrix.least))
    found = culprits(matrix.results, slow, matrix.paths)
    if not found and matrix.untested:
        raise NotMeasuredError(f"no result: {first_of(matrix.untested, SHOWN)}")
    note = "; ".join(map(_words, found)) or f"slowest: {_named(matrix.slowest)}, {matrix.tool}"
    return Found(Decimal(len(found)), note)


def tested_ratio(handed: Handed) -> Found:
    """Return the share of pairs, on each rail, that have a result of RDMA, rounded down."""
    matrix = _matrix(handed, RDMA)
    tested = len(matrix.results) - len(matrix.untested)
    return Found(
        share_of(tested, len(matrix.results)),
        f"no result: {first_of(matrix.untested, SHOWN)}" if matrix.untested else "",
    )


def slowest_gbit(handed: Handed, *tools: str) -> Found:
    """Return the Gbit/s of the slowest pair, as one of these tools tested it."""
    matrix = _matrix(handed, tools)
    if matrix.untested:
        raise NotMeasuredError(f"no result: {first_of(matrix.untested, SHOWN)}")
    return Found(Decimal(str(matrix.slowest.value)), _named(matrix.slowest))


def tcp_slowest_gbit(handed: Handed) -> Found:
    """Return the Gbit/s of the slowest pair over TCP."""
    return slowest_gbit(handed, "iperf3")


def _matrix(handed: Handed, tools: tuple[str, ...] = (*RDMA, "iperf3")) -> Matrix:
    """Return what was handed over. Raise NotMeasuredError where another tool tested, or a test was not even begun."""
    document = handed.document(OUTPUT)
    tool, repeats = document["tool"], int(number(document["repeats"]))
    if tool not in tools:
        raise NotMeasuredError(f"pairs were tested by {tool}, not by {' or '.join(tools)}")
    leaves: dict[str, list[str]] = document["leaves"]
    rails = range(len(next(iter(leaves.values()))))
    paths = Paths(_cables(leaves))
    received = dict(_received(document["tests"]))
    asked = [
        (a, b, rail + 1, turn) for a, b in combinations(sorted(leaves), 2) for rail in rails for turn in range(repeats)
    ]
    if len(leaves) < 2 or not asked:
        raise NotMeasuredError("a pair needs two hosts with ports of the fabric")
    if len(received) != 2 * len(asked):
        raise NotMeasuredError(f"tests that were begun: {len(received):,} of {2 * len(asked):,}")
    results, untested = [], []
    for a, b, rail, repeat in asked:
        both = [received[a, b, rail, repeat], received[b, a, rail, repeat]]
        if None in both:
            untested.append(f"{a} with {b} on rail {rail}")
        results.append(PairTest(a, b, str(rail), float(min(each or 0 for each in both))))
    return Matrix(tool, paths, results, untested, _least(handed, document, tool))


def _cables(leaves: dict[str, list[str]]) -> Iterator[Cable]:
    """Yield the links of the hosts."""
    for host, switches in leaves.items():
        for place, switch in enumerate(switches, 1):
            yield Cable(f"{host} {place}", CableEnd(host, str(place)), CableEnd(switch, ""), rail=str(place))


def _received(tests: list[dict[str, Any]]) -> Iterator[tuple[tuple[str, str, int, int], Decimal | None]]:
    """Yield what each test received, by sender, receiver, rail and repetition; None if it has no result."""
    times: dict[tuple[str, str, int], int] = {}
    for test in sorted(tests, key=lambda each: number(each["turn"])):
        key = (test["from"], test["to"], int(test["rail"]))
        repeat = times[key] = times.get(key, -1) + 1
        yield (*key, repeat), None if test["gbit"] is None else number(test["gbit"])


def _least(handed: Handed, document: dict[str, Any], tool: str) -> float | None:
    """Return the least that is good: what the inventory states, or for RDMA the share of the line rate that the design has."""
    if stated := number(document["least_gbit"]):
        return float(stated)
    share, rate = handed.design.get("rdma_write_share"), handed.design.get("link_gb_s")
    return float(share) * float(rate) if tool in RDMA and share and rate else None


def _named(test: PairTest) -> str:
    return f"{test.a} with {test.b} on rail {test.rail}, {test.value:.3f} Gbit/s"


def _words(found: Culprit) -> str:
    """Return a culprit in words; one that is not certain with what else it may be, and the first tests that tell."""
    said = f"{found.part}: {found.slow} of {found.tests} tests slow"
    if found.certain:
        return f"{said}, certain"
    tests = ", ".join(f"{a} with {b} on rail {rail}" for a, b, rail in found.next_tests[:2])
    others = f", or else {', '.join(map(str, found.others[:SHOWN]))}" if found.others else ""
    return f"{said}{others}" + (f"; test {tests}" if tests else "")


TOOL = Tool(
    "pair tests",
    OUTPUT,
    "playbooks/networking/064_pair_tests.yml",
    (
        Metric("fabric.pair_culprits", "count", fabric_culprits),
        Metric("rdma.pairs_tested_ratio", "ratio", tested_ratio),
        Metric("tcp.pair_slowest_gbit", "Gbit/s", tcp_slowest_gbit),
    ),
)
