"""What a test between two servers crosses: their links to the leaf switches, the switches, and what is above them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from schedule.errors import InputError
from steps.cabling.cable import Cable

NODE, LINK, SWITCH, UPLINKS, TRUNK = "node", "link", "switch", "uplinks", "trunk"


class Part(NamedTuple):
    """A part of the fabric that can be at fault. `name` is its server or switch, `of` the rail of a link, or a trunk's far end."""

    kind: str
    name: str
    of: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "link":
                return f"link of {self.name}, rail {self.of}" if self.of else f"link of {self.name}"
            case "uplinks":
                return f"one of the uplinks of {self.name}"
            case "trunk":
                return f"trunk from {self.name} to {self.of}"
            case _:
                return f"{self.kind} {self.name}"


class PairTest(NamedTuple):
    """What a test measured. `via` is the spine that it crossed, where that is known; a server is tested against itself too."""

    a: str
    b: str
    rail: str
    value: float
    via: str = ""


class Paths:
    """The ways through a fabric, from its cable schedule."""

    def __init__(self, cables: Iterable[Cable]) -> None:
        self._leaf: dict[tuple[str, str], str] = {}
        self.cable: dict[Part, str] = {}
        self._below: dict[str, set[Part]] = defaultdict(set)
        for cable in cables:
            if cable.tier in ("node-leaf", ""):
                link = Part(LINK, cable.a.device, cable.rail)
                self._leaf[link.name, link.of] = cable.b.device
                self._below[cable.b.device].add(link)
                self.cable[link] = cable.name
            elif cable.tier == "leaf-spine":
                self.cable.setdefault(Part(TRUNK, cable.a.device, cable.b.device), cable.name)

    @property
    def links(self) -> Iterable[Part]:
        """The links of all servers."""
        return (Part(LINK, node, rail) for node, rail in self._leaf)

    def leaf(self, node: str, rail: str) -> str:
        """Return the switch of a server's link. Raise InputError for a link that is not drawn."""
        try:
            return self._leaf[node, rail]
        except KeyError:
            raise InputError(f"the schedule has no link of {node} on rail {rail!r}") from None

    def units(self, test: PairTest) -> frozenset[Part]:
        """Return the links and trunks that a test crosses. A test of a server against itself crosses none."""
        if test.a == test.b:
            return frozenset()
        sides = [(node, self.leaf(node, test.rail)) for node in (test.a, test.b)]
        crossed = {Part(LINK, node, test.rail) for node, _ in sides}
        (_, one), (_, other) = sides
        if one != other:
            crossed |= {Part(TRUNK, leaf, test.via) if test.via else Part(UPLINKS, leaf) for leaf in (one, other)}
        return frozenset(crossed)

    def parts(self, test: PairTest) -> frozenset[Part]:
        """Return everything that a test crosses."""
        nodes = {Part(NODE, test.a), Part(NODE, test.b)}
        if test.a == test.b:
            return frozenset(nodes)
        leaves = {Part(SWITCH, self.leaf(node, test.rail)) for node in (test.a, test.b)}
        spines = {Part(SWITCH, test.via)} if test.via and len(leaves) == 2 else set()
        return frozenset(nodes | leaves | spines) | self.units(test)

    def kind(self, test: PairTest) -> str:
        """Return the kind of way that a test takes. Only ways of one kind are equals."""
        if test.a == test.b:
            return "itself"
        return "one leaf" if self.leaf(test.a, test.rail) == self.leaf(test.b, test.rail) else "across"

    def below(self, leaf: str) -> frozenset[Part]:
        """Return the links at a leaf switch."""
        return frozenset(self._below[leaf])
