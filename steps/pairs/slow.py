"""Which results are slow: below the limit, or far from the median of their equals; and servers and links by rank.

The distance is counted in robust standard deviations (`steps.acceptance.fleet`). If half of the equals are slow, none is far from the
median: then only a limit finds them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.fleet import LEAST, middle_of, outliers
from steps.pairs.paths import LINK, NODE, PairTest, Part, Paths

FAR = Decimal(5)
"""Robust standard deviations; assumption, as the criteria of steps 063 and 064 have it."""


class Limit(NamedTuple):
    """What a result has to reach: the least bandwidth, or with `latency` the most that it may take. None has only the median."""

    value: float | None = None
    latency: bool = False

    @property
    def op(self) -> str:
        """The operator of the criterion."""
        return "<=" if self.latency else ">="


class Ranked(NamedTuple):
    """A server or a link with the median of its results, its distance from the median of all in percent, and how many are slow."""

    part: Part
    median: float
    percent: float
    slow: int
    tests: int


def slow_tests(results: Sequence[PairTest], paths: Paths, limit: Limit) -> frozenset[int]:
    """Return the places of slow results."""
    groups: dict[str, dict[str, Decimal]] = defaultdict(dict)
    for place, result in enumerate(results):
        groups[paths.kind(result)][str(place)] = Decimal(str(result.value))
    found: set[int] = set()
    for values in groups.values():
        if len(values) >= LEAST:
            found |= {int(place) for place in outliers(limit.op, FAR, values)}
    for place, result in enumerate(results):
        if limit.value is not None and (result.value > limit.value if limit.latency else result.value < limit.value):
            found.add(place)
    return frozenset(found)


def ranking(results: Sequence[PairTest], slow: frozenset[int], paths: Paths, limit: Limit) -> list[Ranked]:
    """Return servers and their links, the worst first."""
    values: dict[Part, list[tuple[float, bool]]] = defaultdict(list)
    for place, result in enumerate(results):
        for part in paths.parts(result):
            if part.kind in (NODE, LINK):
                values[part].append((result.value, place in slow))
    middle = middle_of(result.value for result in results)
    found = []
    for part, measured in values.items():
        median = middle_of(value for value, _ in measured)
        percent = (median / middle - 1) * 100 if middle else 0.0
        found.append(Ranked(part, median, percent, sum(bad for _, bad in measured), len(measured)))
    return sorted(
        found, key=lambda each: (-each.slow / each.tests, each.percent * (-1 if limit.latency else 1), each.part)
    )
