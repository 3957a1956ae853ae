"""Matches hosts of the inventory with planned nodes: by name, by serial number, or by the address of the BMC.

Nodes and hosts that share a value form a group. A group of one node and one host is a pair. A larger group is ambiguous, and
no pair is guessed. If no host shares a value with any node, the inventory says nothing about the design, and hosts are
assigned to nodes in the order of both.
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
    """The kind of value by which a host was matched."""

    NAME = "name"
    SERIAL = "serial number"
    BMC_ADDRESS = "BMC address"
    ORDER = "order of the inventory"


class PlannedNode(NamedTuple):
    """A planned server; its serial number is the one that people recorded at its position."""

    name: str
    pod: str
    bmc_address: str | None = None
    serial: str | None = None


class Host(NamedTuple):
    """A host of the inventory and its values there; `source` is the file or the system that states them."""

    name: str
    bmc_address: str | None = None
    serial: str | None = None
    source: str = ""


class Pair(NamedTuple):
    """A node and its host, and the kinds of values by which they were matched."""

    node: PlannedNode
    host: Host
    by: tuple[Key, ...]

    @property
    def other_serial(self) -> bool:
        """True if the serial number recorded at the position differs from that of the host in the inventory."""
        ours, theirs = self.node.serial, self.host.serial
        return ours is not None and theirs is not None and _folded(ours) != _folded(theirs)


class SharedValue(NamedTuple):
    """A value that several nodes and hosts have; at most one of each would be right."""

    key: Key
    value: str
    nodes: tuple[str, ...]
    hosts: tuple[Host, ...]

    def __str__(self) -> str:
        """Return the value with its nodes and hosts; hosts are named with their source."""
        who = [f"node {node}" for node in self.nodes]
        who += [f"host {host.name}{f' ({host.source})' if host.source else ''}" for host in self.hosts]
        return f"{self.key} {self.value}: {', '.join(who)}"


class Ambiguity(NamedTuple):
    """Nodes and hosts that cannot be told apart, and the values that they share."""

    nodes: tuple[PlannedNode, ...]
    hosts: tuple[Host, ...]
    because: tuple[SharedValue, ...]


@dataclass(frozen=True)
class Matching:
    """The result for every node and host. If they are assigned in order, an ambiguous host is assigned as well."""

    pairs: tuple[Pair, ...]
    nodes_left: tuple[PlannedNode, ...]
    hosts_left: tuple[Host, ...]
    ambiguous: tuple[Ambiguity, ...]
    in_order: bool

    def hosts_of(self, pod: str) -> tuple[str, ...]:
        """Return the hosts of a pod's nodes, in the design's order."""
        return tuple(self._hosts.get(pod, ()))

    def unmatched_of(self, pod: str) -> tuple[str, ...]:
        """Return the names of a pod's nodes without a host, sorted; empty if hosts were assigned in order."""
        return tuple(sorted(self._unmatched.get(pod, ())))

    @cached_property
    def _hosts(self) -> dict[str, list[str]]:
        return _by_pod((pair.node.pod, pair.host.name) for pair in self.pairs)

    @cached_property
    def _unmatched(self) -> dict[str, list[str]]:
        unmatched = list(self.nodes_left)
        for found in self.ambiguous:
            unmatched += found.nodes
        return {} if self.in_order else _by_pod((node.pod, node.name) for node in unmatched)


def _by_pod(names: Iterable[tuple[str, str]]) -> NamesByPod:
    by_pod: NamesByPod = defaultdict(list)
    for pod, name in names:
        by_pod[pod].append(name)
    return by_pod


Split = tuple[tuple[PlannedNode, ...], tuple[Host, ...]]
NamesByPod = dict[str, list[str]]
Value = tuple[Key, str]
Stated = tuple[PlannedNode | Host, frozenset[Value]]
"""A node or host with its values."""


def match(nodes: Sequence[PlannedNode], hosts: Sequence[Host]) -> Matching:
    """Return the pairs of planned nodes and hosts in the order of the nodes, what is left, and what is ambiguous."""
    planned = {_folded(node.name) for node in nodes}
    stated: list[Stated] = [
        *((node, _values(node.name, node)) for node in nodes),
        *((host, _values(_called(host.name, planned), host)) for host in hosts),
    ]
    pairs: list[Pair] = []
    left: list[PlannedNode | Host] = []
    ambiguous: list[Ambiguity] = []
    for numbers in _groups([values for _, values in stated]):
        group = [stated[number] for number in numbers]
        its_nodes, its_hosts = _split(one for one, _ in group)
        if len(group) == 1:
            left += [*its_nodes, *its_hosts]
        elif len(its_nodes) == len(its_hosts) == 1:
            pairs.append(Pair(its_nodes[0], its_hosts[0], tuple(_common_keys(group))))
        else:
            ambiguous.append(Ambiguity(its_nodes, its_hosts, tuple(_shared(group))))
    if not pairs and not any(found.nodes and found.hosts for found in ambiguous):
        return _in_order(nodes, hosts, tuple(ambiguous))
    return Matching(tuple(pairs), *_split(left), tuple(ambiguous), in_order=False)


def _split(ones: Iterable[PlannedNode | Host]) -> Split:
    """Return the nodes and the hosts among these, each in their order."""
    nodes, hosts = [], []
    for one in ones:
        if isinstance(one, Host):
            hosts.append(one)
        else:
            nodes.append(one)
    return tuple(nodes), tuple(hosts)


def _common_keys(group: Sequence[Stated]) -> list[Key]:
    """Return the kinds of values that all of a group share, in the order of `Key`."""
    common = {key for key, _ in frozenset.intersection(*(values for _, values in group))}
    return [key for key in Key if key in common]


def _in_order(
    nodes: Sequence[PlannedNode],
    hosts: Sequence[Host],
    ambiguous: tuple[Ambiguity, ...],
) -> Matching:
    both = zip(nodes, hosts, strict=False)
    pairs = tuple(Pair(node, host, (Key.ORDER,)) for node, host in both)
    nodes_left, hosts_left = nodes[len(pairs) :], hosts[len(pairs) :]
    return Matching(pairs, tuple(nodes_left), tuple(hosts_left), ambiguous, in_order=True)


def _values(name: str, of: PlannedNode | Host) -> frozenset[Value]:
    """Return the values of a node or host that may be matched."""
    values = {(Key.NAME, _folded(name))}
    if of.serial and _folded(of.serial) not in PLACEHOLDERS:
        values.add((Key.SERIAL, _folded(of.serial)))
    if of.bmc_address:
        values.add((Key.BMC_ADDRESS, _address(of.bmc_address)))
    return frozenset(values)


def _called(host: str, planned: set[str]) -> str:
    """Return the name under which a host may be planned: without its domain if only that name is planned."""
    short = host.partition(".")[0]
    return short if _folded(host) not in planned and _folded(short) in planned else host


def _folded(text: str) -> str:
    return text.strip().casefold()


def _address(text: str) -> str:
    """Return an address without its prefix and in its shortest form; a name is returned as it is."""
    try:
        return str(ip_interface(text.strip()).ip)
    except ValueError:
        return _folded(text)


def _groups(stated: Sequence[frozenset[Value]]) -> Iterator[list[int]]:
    """Yield the numbers of those that share values, directly or through others; groups and members in order."""
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


def _shared(group: Iterable[Stated]) -> Iterator[SharedValue]:
    """Yield the values that more than one of a group has."""
    bearers: defaultdict[Value, list[PlannedNode | Host]] = defaultdict(list)
    for one, values in group:
        for borne in values:
            bearers[borne].append(one)
    for (key, value), ones in sorted(bearers.items()):
        if len(ones) > 1:
            nodes, hosts = _split(ones)
            yield SharedValue(key, value, tuple(node.name for node in nodes), hosts)
