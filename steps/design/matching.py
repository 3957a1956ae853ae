"""Which host of the inventory is which planned node: by name, by serial number or by the address of its BMC.

What shares a value belongs together. A node and a host that nothing else shares a value with are a pair; where more
have come together, it is ambiguous, and nobody guesses. Where not one host shares a value with a node, the inventory
says nothing about the design, and hosts are dealt to nodes in the order of both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from ipaddress import ip_interface
from typing import NamedTuple

from steps.acceptance.identity import PLACEHOLDERS


class Key(StrEnum):
    """By what a host was matched."""

    NAME = "name"
    SERIAL = "serial number"
    BMC_ADDRESS = "BMC address"
    ORDER = "order of the inventory"


class Node(NamedTuple):
    """A planned server; its serial number is what people recorded at its position."""

    name: str
    pod: str
    bmc_address: str | None = None
    serial: str | None = None


class Host(NamedTuple):
    """A host of the inventory and what that states of it; `source` is the file or the system that does."""

    name: str
    bmc_address: str | None = None
    serial: str | None = None
    source: str = ""


class Pair(NamedTuple):
    """A node and its host, and by what they were matched."""

    node: Node
    host: Host
    by: tuple[Key, ...]

    @property
    def other_serial(self) -> bool:
        """Whether the record has another serial number at the position than the inventory has for the host."""
        ours, theirs = self.node.serial, self.host.serial
        return ours is not None and theirs is not None and _folded(ours) != _folded(theirs)


class Shared(NamedTuple):
    """A value, and the nodes and hosts that bear it: one of each at the most would be right."""

    key: Key
    value: str
    nodes: tuple[str, ...]
    hosts: tuple[Host, ...]

    def __str__(self) -> str:
        """Say who bears it, hosts with their source."""
        who = [f"node {node}" for node in self.nodes]
        who += [f"host {host.name}{f' ({host.source})' if host.source else ''}" for host in self.hosts]
        return f"{self.key} {self.value}: {', '.join(who)}"


class Ambiguity(NamedTuple):
    """Nodes and hosts that cannot be told apart, and the values that brought them together."""

    nodes: tuple[Node, ...]
    hosts: tuple[Host, ...]
    because: tuple[Shared, ...]


@dataclass(frozen=True)
class Matching:
    """What became of every node and host. Dealt in order, an ambiguous host keeps its place and is dealt as well."""

    pairs: tuple[Pair, ...]
    nodes_left: tuple[Node, ...]
    hosts_left: tuple[Host, ...]
    ambiguous: tuple[Ambiguity, ...]
    in_order: bool

    def hosts_of(self, pod: str) -> tuple[str, ...]:
        """Return the hosts of a pod's nodes, in the design's order."""
        return tuple(self._hosts.get(pod, ()))

    def unmatched_of(self, pod: str) -> tuple[str, ...]:
        """Return a pod's nodes that have no host, in the design's order; none where hosts were dealt in order."""
        return tuple(sorted(self._unmatched.get(pod, ())))

    @cached_property
    def _hosts(self) -> dict[str, list[str]]:
        return _by_pod((pair.node.pod, pair.host.name) for pair in self.pairs)

    @cached_property
    def _unmatched(self) -> dict[str, list[str]]:
        unmatched = [*self.nodes_left, *(node for found in self.ambiguous for node in found.nodes)]
        return {} if self.in_order else _by_pod((node.pod, node.name) for node in unmatched)


def _by_pod(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    by_pod: defaultdict[str, list[str]] = defaultdict(list)
    for pod, name in names:
        by_pod[pod].append(name)
    return by_pod


Value = tuple[Key, str]


def match(nodes: Sequence[Node], hosts: Sequence[Host]) -> Matching:
    """Return what belongs together of planned nodes and of the inventory's hosts, in the order of the nodes."""
    planned = {_folded(node.name) for node in nodes}
    stated: list[tuple[Node | Host, frozenset[Value]]] = [
        *((node, _values(node.name, node)) for node in nodes),
        *((host, _values(_called(host.name, planned), host)) for host in hosts),
    ]
    pairs: list[Pair] = []
    left: list[Node | Host] = []
    ambiguous: list[Ambiguity] = []
    for group in _groups([values for _, values in stated]):
        its_nodes = tuple(one for one, _ in (stated[i] for i in group) if isinstance(one, Node))
        its_hosts = tuple(one for one, _ in (stated[i] for i in group) if isinstance(one, Host))
        if len(group) == 1:
            left += [*its_nodes, *its_hosts]
        elif len(its_nodes) == len(its_hosts) == 1:
            common = stated[group[0]][1] & stated[group[1]][1]
            pairs.append(Pair(its_nodes[0], its_hosts[0], tuple(key for key in Key if key in {k for k, _ in common})))
        else:
            ambiguous.append(Ambiguity(its_nodes, its_hosts, tuple(_shared([stated[i] for i in group]))))
    if not pairs and not any(found.nodes and found.hosts for found in ambiguous):
        return _in_order(nodes, hosts, tuple(ambiguous))
    return Matching(
        tuple(pairs),
        tuple(one for one in left if isinstance(one, Node)),
        tuple(one for one in left if isinstance(one, Host)),
        tuple(ambiguous),
        in_order=False,
    )


def _in_order(nodes: Sequence[Node], hosts: Sequence[Host], ambiguous: tuple[Ambiguity, ...]) -> Matching:
    pairs = tuple(Pair(node, host, (Key.ORDER,)) for node, host in zip(nodes, hosts, strict=False))
    return Matching(pairs, tuple(nodes[len(hosts) :]), tuple(hosts[len(nodes) :]), ambiguous, in_order=True)


def _values(name: str, of: Node | Host) -> frozenset[Value]:
    """Return what tells a node or host from others."""
    values = {(Key.NAME, _folded(name))}
    if of.serial and _folded(of.serial) not in PLACEHOLDERS:
        values.add((Key.SERIAL, _folded(of.serial)))
    if of.bmc_address:
        values.add((Key.BMC_ADDRESS, _address(of.bmc_address)))
    return frozenset(values)


def _called(host: str, planned: set[str]) -> str:
    """Return the name by which a host may be planned: a design's names have no domain."""
    short = host.partition(".")[0]
    return short if _folded(host) not in planned and _folded(short) in planned else host


def _folded(text: str) -> str:
    return text.strip().casefold()


def _address(text: str) -> str:
    """Return an address without its prefix and in its shortest form; a name stays a name."""
    try:
        return str(ip_interface(text.strip()).ip)
    except ValueError:
        return _folded(text)


def _groups(stated: Sequence[frozenset[Value]]) -> Iterator[list[int]]:
    """Return the numbers of those that hang together by values, groups and members in their order."""
    bearers: defaultdict[Value, list[int]] = defaultdict(list)
    for number, values in enumerate(stated):
        for value in values:
            bearers[value].append(number)
    seen: set[int] = set()
    for first in range(len(stated)):
        group, front = [], [] if first in seen else [first]
        seen.add(first)
        while front:
            one = front.pop()
            group.append(one)
            front += (new := {other for value in stated[one] for other in bearers[value]} - seen)
            seen |= new
        if group:
            yield sorted(group)


def _shared(group: Iterable[tuple[Node | Host, frozenset[Value]]]) -> Iterator[Shared]:
    """Return the values that more than one of a group bears."""
    bearers: defaultdict[Value, list[Node | Host]] = defaultdict(list)
    for one, values in group:
        for borne in values:
            bearers[borne].append(one)
    for (key, value), ones in sorted(bearers.items()):
        if len(ones) > 1:
            nodes = tuple(one.name for one in ones if isinstance(one, Node))
            yield Shared(key, value, nodes, tuple(one for one in ones if isinstance(one, Host)))
