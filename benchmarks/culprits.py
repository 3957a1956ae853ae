"""Bad links, servers and switches planted in the results of pair tests: the culprit is to be named, and never a healthy part.

python -m benchmarks.culprits              100 faults of each way to test, and docs/evidence/culprits.md
python -m benchmarks.culprits --count 20   fewer, printed only
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from steps.cabling.cable import Cable
from steps.cabling.designed import designed
from steps.design.design import design_of_preset
from steps.pairs.culprits import Culprit, culprits
from steps.pairs.halving import Halved, halved
from steps.pairs.paths import LINK, NODE, SWITCH, PairTest, Part, Paths
from steps.pairs.rounds import round_robin
from steps.pairs.slow import Limit, slow_tests

EVIDENCE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "culprits.md"
COUNT, SEED = 100, 1

LINE = 392.0
"""Gbit/s of a good pair on a 400 Gbit/s link."""

LEAST = 0.9 * 400
"""The limit of step 064, where a limit is used."""

NOISE = 0.01
ROUNDS_OF_TESTS = 12
"""How often tests that were asked for are run, at most."""

FABRICS = (("superpod-1su", 31), ("superpod-1su", 16), ("superpod-1su", 8), ("superpod-4su", 64), ("h100-10k", 96))
"""Presets with their servers."""


class Way(NamedTuple):
    """A way to test: how many rounds, whether there is a limit, and the least share of a fault's tests that is slow."""

    name: str
    rounds: int | None
    limit: bool
    shown: float


WAYS = (
    Way("all pairs on all rails", None, limit=True, shown=1.0),
    Way("all pairs, no limit: only the median of the equals", None, limit=False, shown=1.0),
    Way("all pairs, slow in 70 to 100 of 100 tests", None, limit=True, shown=0.7),
    Way("two rounds, then the tests that are asked for", 2, limit=True, shown=1.0),
)


class Fault(NamedTuple):
    """A part that is at fault, how fast tests across it are, and how often."""

    part: Part
    share: float
    shown: float


class Tried(NamedTuple):
    """One fault: what was at fault, what was said, and how many tests it took."""

    fault: Fault
    said: list[Culprit]
    tests: int
    asked: int

    @property
    def is_named(self) -> bool:
        """Whether it is named for certain."""
        return any(each.certain and each.part == self.fault.part for each in self.said)

    @property
    def healthy(self) -> list[Part]:
        """Healthy parts that are named for certain."""
        return [each.part for each in self.said if each.certain and each.part != self.fault.part]

    @property
    def is_suspected(self) -> bool:
        """Whether it is among the explanations that are open."""
        return any(self.fault.part in (each.part, *each.others) for each in self.said)


@cache
def fabric(preset: str, nodes: int) -> tuple[tuple[Cable, ...], Paths, tuple[str, ...]]:
    """Return the cables of a preset with so many servers, its paths and its servers."""
    cables = tuple(designed(design_of_preset(preset, {"nodes": nodes}), "site"))
    servers = dict.fromkeys(cable.a.device for cable in cables if cable.tier == "node-leaf")
    return cables, Paths(cables), tuple(servers)


def try_fault(seed: int, way: Way) -> Tried:
    """Plant a fault, test, and test what is asked for, until the culprit is certain or nothing more is asked."""
    draw = random.Random(seed)
    preset, nodes = draw.choice(FABRICS)
    cables, paths, servers = fabric(preset, nodes)
    rails = sorted({cable.rail for cable in cables if cable.tier == "node-leaf"})
    fault = planted(draw, cables, way)

    def measured(a: str, b: str, rail: str) -> PairTest:
        value = LINE * draw.gauss(1, NOISE)
        if fault.part in paths.parts(PairTest(a, b, rail, 0)) and draw.random() < fault.shown:
            value *= fault.share
        return PairTest(a, b, rail, value)

    order = islice(round_robin(servers), way.rounds)
    results = [measured(a, b, rail) for each in order for a, b in each for rail in rails]
    limit = Limit(LEAST if way.limit else None)
    asked = 0
    for _ in range(ROUNDS_OF_TESTS):
        said = culprits(results, slow_tests(results, paths, limit), paths)
        tests = [test for each in said for test in each.next_tests]
        if not tests:
            break
        asked += len(tests)
        results += [measured(*test) for test in tests]
    return Tried(fault, said, len(results), asked)


def planted(draw: random.Random, cables: Iterable[Cable], way: Way) -> Fault:
    """Return a fault of a link, a server or a leaf switch."""
    cable = draw.choice([cable for cable in cables if cable.tier == "node-leaf"])
    part = draw.choice(
        (Part(LINK, cable.a.device, cable.rail), Part(NODE, cable.a.device), Part(SWITCH, cable.b.device))
    )
    return Fault(part, draw.uniform(0.2, 0.85), draw.uniform(way.shown, 1))


def try_halving(seed: int) -> tuple[bool, int]:
    """Plant a slow server, or two servers between which it is slow, and halve. Return whether it is named, and after how many groups."""
    draw = random.Random(seed)
    names = [f"node-{number:03}" for number in range(draw.randint(4, 512))]
    bad = frozenset(draw.sample(names, draw.choice((1, 2))))
    slow: dict[frozenset[str], bool] = {}
    while (step := halved(names, slow)).measure:
        slow[frozenset(step.measure)] = bad <= frozenset(step.measure)
    return step == Halved(left=tuple(sorted(bad))), len(slow)


def page(count: int, seed: int) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Culprits of slow pairs"
    yield ""
    yield f"Written by `python -m benchmarks.culprits` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC (seed {seed})."
    yield "[How a culprit is found](../how-to/pair-tests.md)."
    yield ""
    yield f"{count} faults of each way to test: a link, a server or a leaf switch, drawn at random, in the fabrics of"
    yield ", ".join(f"{preset} with {nodes} servers" for preset, nodes in FABRICS) + ". A good test measures"
    yield f"{LINE:g} Gbit/s with {NOISE:.0%} of noise, one across the fault 20 to 85 percent of that. The results are simulated: no card ran."
    yield "*Named* is the right part, for certain. *Open* is that the right part is among several explanations. *Healthy* is a healthy part"
    yield "that is named for certain, which must never be."
    yield ""
    yield "| way to test | faults | named | open | not found | healthy | tests, on average | of these asked for |"
    yield "|---|---|---|---|---|---|---|---|"
    for way in WAYS:
        tried = [try_fault(seed * 10_000 + number, way) for number in range(count)]
        named = sum(each.is_named for each in tried)
        suspected = sum(each.is_suspected and not each.is_named for each in tried)
        healthy = sum(bool(each.healthy) for each in tried)
        tests, asked = (
            sum(column) / count for column in zip(*((each.tests, each.asked) for each in tried), strict=True)
        )
        yield (
            f"| {way.name} | {count} | **{named}** | {suspected} | {count - named - suspected} | **{healthy}** | {tests:,.0f} | {asked:.1f} |"
        )
        kinds = Counter(each.fault.part.kind for each in tried)
        right = Counter(each.fault.part.kind for each in tried if each.is_named)
        by_kind = ", ".join(f"{kind} {right[kind]} of {number}" for kind, number in sorted(kinds.items()))
        yield f"| | | {by_kind} | | | | | |"
    halvings = [try_halving(seed * 10_000 + number) for number in range(count)]
    yield ""
    yield f"Halving a group of 4 to 512 servers with one slow server, or two between which it is slow: {sum(ok for ok, _ in halvings)} of {count}"
    yield f"named, after {sum(groups for _, groups in halvings) / count:.1f} groups on average."


def main() -> None:
    """Plant faults, and print the page or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args()
    text = "\n".join(page(asked.count, asked.seed)) + "\n"
    if (asked.count, asked.seed) == (COUNT, SEED):
        EVIDENCE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
