"""What makes tests between pairs slow: a server, a link, a switch or a trunk; and what to test next where that is open.

Each part is weighed as the only fault: a slow test that crosses it speaks for it, a fast one against it. The weights are logarithms of
likelihoods. The heaviest part is taken, the tests that it explains are put aside, and what is left is weighed again. A culprit is
certain if every other explanation is a thousand times less likely, also the one that several other parts are bad at once. Else the
other explanations stand beside it, and tests are named that tell them apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf, log
from typing import NamedTuple

from steps.pairs.paths import LINK, NODE, SWITCH, UPLINKS, PairTest, Part, Paths

BAD, GOOD = 0.9, 0.01
"""How often a test that crosses a bad part is slow, and how often any other test is; assumption."""

ONE_OF_MANY = 0.3
"""The same of the uplinks of a switch of which one is bad: a test takes one of them; assumption."""

PRIOR = log(100)
"""What each further fault costs: one part in a hundred is bad; assumption."""

CERTAIN = log(1000)
"""By how much the next explanation must be lighter."""

BEGINNINGS = 8
"""How many of the heaviest other parts an explanation by several parts begins with."""

MOST_TESTS = 8
"""How many tests are named at once."""

ORDER = (NODE, SWITCH, LINK, UPLINKS)
"""Of explanations of the same weight the widest comes first: its test decides most."""

Tests = frozenset[int]


class Culprit(NamedTuple):
    """A part at fault. If it is not certain, `others` may be it, and `next_tests` (server, server, rail) tell them apart."""

    part: Part
    certain: bool
    slow: int
    tests: int
    others: tuple[Part, ...] = ()
    next_tests: tuple[tuple[str, str, str], ...] = ()


def culprits(results: Sequence[PairTest], slow: Tests, paths: Paths) -> list[Culprit]:
    """Return what makes these results slow, the heaviest first. Slow tests that nothing explains are noise, and name nobody."""
    weighing = _Weighing(results, slow, paths)
    found: list[Culprit] = []
    left = slow
    while left and (heaviest := weighing.heaviest(left)):
        found.append(weighing.judged(heaviest, left, [each.part for each in found]))
        left -= weighing.crossing[heaviest]
    return found


class _Weighing:
    """All results by the parts that they cross."""

    def __init__(self, results: Sequence[PairTest], slow: Tests, paths: Paths) -> None:
        self._results = results
        self._slow = slow
        self._paths = paths
        by_part: dict[Part, set[int]] = defaultdict(set)
        for place, result in enumerate(results):
            for part in paths.parts(result):
                by_part[part].add(place)
        self.crossing = {part: frozenset(places) for part, places in by_part.items()}

    def heaviest(self, left: Tests) -> Part | None:
        """Return the part that explains the most of what is left; None if nothing explains more than a fault costs."""
        touched = {part for place in left for part in self._paths.parts(self._results[place])}
        weights = {part: self._weight(part, left) for part in touched}
        best = max(
            weights, key=lambda part: (weights[part], -ORDER.index(part.kind) if part.kind in ORDER else -9, part)
        )
        return best if weights[best] > PRIOR else None

    def judged(self, part: Part, left: Tests, known: Sequence[Part]) -> Culprit:
        """Return a part as a culprit, certain or with what else it may be."""
        explained = left & self.crossing[part]
        weight = self._weight(part, left)
        others = [
            other
            for other in self._touched(explained)
            if other != part and self._weight(other, explained) > weight - CERTAIN
        ]
        several, together = self._without(part, explained)
        if together > weight - CERTAIN:
            others += [other for other in several if other not in others]
        others += [device for device in self._shared(part, known) if device not in others]
        is_certain = not others and weight > PRIOR + CERTAIN
        tests = () if is_certain else tuple(islice(self._next([part, *others]), MOST_TESTS))
        return Culprit(part, is_certain, len(explained), len(self.crossing[part]), tuple(sorted(others)), tests)

    def _weight(self, part: Part, left: Tests) -> float:
        """Return how much more likely the results are if this part is bad. What is explained already counts neither way."""
        rate = ONE_OF_MANY if part.kind == UPLINKS else BAD
        crossing = self.crossing[part]
        slow, fast = len(crossing & left), len(crossing - self._slow)
        return slow * log(rate / GOOD) + fast * log((1 - rate) / (1 - GOOD))

    def _touched(self, tests: Tests) -> set[Part]:
        return {part for place in tests for part in self._paths.parts(self._results[place])}

    def _without(self, part: Part, explained: Tests) -> tuple[list[Part], float]:
        """Return other parts that together explain the same, and their weight; none if they do not explain all of it.

        The heaviest is taken, then what is the heaviest beside it, and so on. As the heaviest need not belong to the best
        explanation, that begins with each of the heaviest few.
        """
        others = self._touched(explained) - {part}
        first = sorted(others, key=lambda other: (self._weight(other, explained), other))[-BEGINNINGS:]
        tried = [self._cover(one, others, explained) for one in first]
        return max(tried, key=lambda each: each[1], default=([], -inf))

    def _cover(self, part: Part, others: set[Part], left: Tests) -> tuple[list[Part], float]:
        found: list[Part] = []
        total = PRIOR
        while (weight := self._weight(part, left)) > 0:
            found.append(part)
            total += weight - PRIOR
            left -= self.crossing[part]
            if not left:
                return found, total
            part = max(others, key=lambda other: (self._weight(other, left), other))
        return [], -inf

    def _belongs(self, unit: Part, device: Part) -> bool:
        """Return whether a link or trunk is one of a server's, or of a switch's."""
        if unit.kind == LINK:
            return device.name == (unit.name if device.kind == NODE else self._paths.leaf(unit.name, unit.of))
        return device.kind == SWITCH and unit.kind not in (NODE, SWITCH) and device.name in (unit.name, unit.of)

    def _shared(self, part: Part, known: Sequence[Part]) -> Iterator[Part]:
        """Yield the server and the switch that a link shares with one that is a culprit already: it may be at fault for both."""
        for other in known:
            if part.kind == other.kind == LINK:
                if part.name == other.name:
                    yield Part(NODE, part.name)
                if self._paths.leaf(part.name, part.of) == self._paths.leaf(other.name, other.of):
                    yield Part(SWITCH, self._paths.leaf(part.name, part.of))

    def _next(self, suspects: Sequence[Part]) -> Iterator[tuple[str, str, str]]:
        """Yield tests that cross some of the suspects and not the others, those that part them in halves first."""
        done = {frozenset((r.a, r.b, f"rail {r.rail}")) for r in self._results}
        suspected = set(suspects)
        ranked = []
        for test in dict.fromkeys(self._possible(suspects)):
            crossed = len(self._paths.parts(test) & suspected)
            if 0 < crossed < len(suspected) or (len(suspected) == 1 and crossed):
                is_done = frozenset((test.a, test.b, f"rail {test.rail}")) in done
                ranked.append((is_done, abs(2 * crossed - len(suspected)), test.a, test.b, test.rail))
        yield from (test[2:] for test in sorted(ranked))

    def _possible(self, suspects: Iterable[Part]) -> Iterator[PairTest]:
        """Yield tests of the links of the suspects with links that were never slow, on the same rail, and of servers by themselves."""
        bad = self._touched(self._slow)
        links = sorted(self._paths.links)
        good = [link for link in links if link not in bad and Part(NODE, link.name) not in suspects]
        for part in suspects:
            own = [part] if part.kind == LINK else [link for link in links if self._belongs(link, part)]
            if part.kind == UPLINKS:
                own = sorted(self._paths.below(part.name))
            nodes = {link.name for link in own}
            for node in sorted(nodes) if part.kind in (NODE, LINK) else ():
                yield PairTest(node, node, next(link.of for link in own if link.name == node), 0)
                own += [link for link in links if link.name == node and link not in own]
            for link in own:
                partners = [each for each in good if each.of == link.of and each.name != link.name]
                yield from (PairTest(link.name, each.name, link.of, 0) for each in partners[:MOST_TESTS])
