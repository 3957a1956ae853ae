"""The activities of a design (each step at each of its units), its orders, and the links between them.

A step that does not apply is bridged: what follows it waits for what the step would have waited for, and the link names the
steps between. The lag of work that is not done is not added (docs/adr/0003-bridging.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

from steps.catalog.loader import Catalog, Entry
from steps.catalog.schema import Lag, Link, Supply
from steps.catalog.terms import Kind, LinkType, Mapping, Scope
from steps.design.design import Design, DesignUnit
from steps.design.quantities import Values
from steps.errors import InputError
from steps.formula import evaluate, number_of
from steps.schedule.circle import circle
from steps.schedule.durations import ELAPSED_HOURS, WEEK_H, hours_of

DEPTH = {scope: depth for depth, scope in enumerate(Scope)}

Units = list[DesignUnit]


@dataclass(frozen=True)
class Node:
    """A step at a unit before dates: whether it applies, and the values that its formulas read.

    Nodes of one role at units with equal values have the same object as `values`.
    """

    id: str
    entry: Entry
    unit: DesignUnit
    values: Values
    not_applicable_because: str | None

    @property
    def applies(self) -> bool:
        """True if there is something to do."""
        return self.not_applicable_because is None


@dataclass(frozen=True)
class Tranche:
    """One delivery of an order, and the units it serves."""

    id: str
    number: int
    quantity: float
    units: tuple[str, ...]
    after_first_h: float


@dataclass(frozen=True)
class Order:
    """One supply line of an activity that applies."""

    id: str
    node: Node
    supply: Supply
    quantity: float
    tranches: tuple[Tranche, ...]


class ResolvedLink(NamedTuple):
    """A link between two nodes of the network, by id."""

    before: str
    after: str
    reason: str
    map: Mapping = Mapping.SAME
    type: LinkType = LinkType.FS
    lag_h: float = 0.0
    lag_working: bool = False
    bridged: tuple[str, ...] = ()


@dataclass
class Expansion:
    """All activities, orders and links of a design."""

    nodes: dict[str, Node] = field(default_factory=dict)
    orders: dict[str, Order] = field(default_factory=dict)
    links: list[ResolvedLink] = field(default_factory=list)


def expand(catalog: Catalog, design: Design, day_h: float) -> Expansion:
    """Return the network of a design, bridged around everything that does not apply."""
    found = Expansion()
    values = _SharedValues(design)
    for entry in catalog.values():
        for unit in design.units:
            if unit.kind is entry.step.scope:
                node = _node(entry, unit, values.of(unit, entry.step.crew.role), design)
                found.nodes[node.id] = node
    for node in found.nodes.values():
        for order in _orders(node, design) if node.applies else ():
            found.orders[order.id] = order
    raw = list(_raw_links(catalog, design, found, day_h))
    found.links = _bridged(raw, found)
    found.links += _closing_links(found)
    return found


class _SharedValues:
    """The values of units, with the crews of a role: one object for all units whose values are equal."""

    def __init__(self, design: Design) -> None:
        self._crews_of = design.crews_of
        equal: dict[frozenset[tuple[str, object]], int] = {}
        self._kinds = {unit.id: equal.setdefault(frozenset(unit.values.items()), len(equal)) for unit in design.units}
        self._known: dict[tuple[int, str], Values] = {}

    def of(self, unit: DesignUnit, role: str) -> Values:
        kind = (self._kinds[unit.id], role)
        if kind not in self._known:
            self._known[kind] = unit.values | {"crews": self._crews_of(role)}
        return self._known[kind]


def _node(entry: Entry, unit: DesignUnit, values: Values, design: Design) -> Node:
    step = entry.step
    reason = None
    for decision in design.decisions:
        if decision.covers(step.id, step.phase, step.kind):
            reason = decision.reason
    applies = step.applies if isinstance(step.applies, bool) else evaluate(step.applies, values)
    if reason is None and not applies:
        reason = step.not_applicable_because or "does not apply"
    return Node(f"{step.id}@{unit.id}", entry, unit, values, reason)


def _orders(node: Node, design: Design) -> Iterator[Order]:
    for supply in node.entry.step.supplies:
        if supply.when is not None and not evaluate(supply.when, node.values):
            continue
        quantity = number_of(supply.quantity, node.values)
        if quantity <= 0:
            continue
        order_id = f"{node.id}#{supply.item}"
        pods = design.within(node.unit, Scope.POD)
        if supply.tranches == "single" or len(pods) <= 1:
            units = tuple(pod.id for pod in pods) or (node.unit.id,)
            tranches = [Tranche(f"{order_id}/1", 1, quantity, units, 0.0)]
        else:
            tranches = list(_by_pods(order_id, quantity, pods, design))
        yield Order(order_id, node, supply, quantity, tuple(tranches))


def _by_pods(order: str, quantity: float, pods: Units, design: Design) -> Iterator[Tranche]:
    """Yield the deliveries for the pods in the order in which they are built, at a steady pace after the first."""
    size = int(design.figures["pods_per_tranche"])
    weeks = design.figures["weeks_between_tranches"]
    nodes = _nodes_in(pods)
    left = quantity
    for number in range(1, ceil(len(pods) / size) + 1):
        served = pods[(number - 1) * size : number * size]
        is_last = number * size >= len(pods)
        share = float(ceil(quantity * (_nodes_in(served) / nodes)))
        amount = left if is_last else min(left, share)
        left -= amount
        units = tuple(pod.id for pod in served)
        yield Tranche(f"{order}/{number}", number, amount, units, (number - 1) * weeks * WEEK_H)


def _nodes_in(pods: Units) -> float:
    return sum(float(pod.values["nodes_in_pod"]) for pod in pods)


def _raw_links(catalog: Catalog, design: Design, found: Expansion, day_h: float) -> Iterator[ResolvedLink]:
    for node in found.nodes.values():
        for index, link in enumerate(node.entry.step.links):
            if link.when is not None and not evaluate(link.when, node.values):
                continue
            if link.after not in catalog:
                raise InputError(
                    f"step {node.entry.step.id} waits for {link.after}, which does not exist",
                    place=node.entry.place("links", index, "after"),
                )
            yield from _mapped(node, link, index, catalog, design, found, day_h)
    for order in found.orders.values():
        yield from _supply_links(order, catalog, design)


def _mapped(
    node: Node,
    link: Link,
    index: int,
    catalog: Catalog,
    design: Design,
    found: Expansion,
    day_h: float,
) -> Iterator[ResolvedLink]:
    before = catalog[link.after].step
    units = _units(node, link.map, before.scope, design)
    if units is None:
        raise InputError(
            f"{node.entry.step.id} ({node.entry.step.scope}) cannot wait for {before.id} "
            f"({before.scope}) with map {link.map}",
            hint="same: equal scopes; enclosing: a wider predecessor; first, all, as-they-come: a narrower one",
            place=node.entry.place("links", index, "map"),
        )
    lag, working = _lag(link.lag, day_h)
    for number, unit in enumerate(units):
        kind = LinkType.FF if link.map is Mapping.AS_THEY_COME and number else link.type
        for end in _ends(f"{before.id}@{unit.id}", link, node, found):
            yield ResolvedLink(end, node.id, link.reason, link.map, kind, lag, working)


def _units(node: Node, map_: Mapping, scope: Scope, design: Design) -> Units | None:
    """Return the units of a predecessor of this scope that a node waits for, None if the mapping does not fit."""
    own, other = DEPTH[node.unit.kind], DEPTH[scope]
    if map_ is Mapping.SAME and own == other:
        return [node.unit]
    if map_ is Mapping.ENCLOSING and other < own:
        return [design.enclosing(node.unit, scope)]
    if map_ in {Mapping.ALL, Mapping.AS_THEY_COME} and other > own:
        return design.within(node.unit, scope)
    if map_ is Mapping.FIRST and other > own:
        return design.within(node.unit, scope)[:1]
    # a supply line of a wider step: the delivery that serves the unit
    if map_ is Mapping.SAME and other < own:
        return [design.enclosing(node.unit, scope)]
    return None


def _ends(before: str, link: Link, node: Node, found: Expansion) -> list[str]:
    """Return the predecessor itself, or the tranches of its supply line that serve the node's unit."""
    if link.supply is None:
        return [before]
    order = found.orders.get(f"{before}#{link.supply}")
    if order is None:
        return [before]
    serves = [t.id for t in order.tranches if node.unit.id in t.units]
    return serves or [t.id for t in order.tranches]


def _supply_links(order: Order, catalog: Catalog, design: Design) -> Iterator[ResolvedLink]:
    step = order.node.entry.step
    for tranche in order.tranches:
        yield ResolvedLink(order.id, tranche.id, "the order and its delivery")
    if step.kind is Kind.PROCURE:
        yield ResolvedLink(order.node.id, order.id, "the step places the order")
        return
    for tranche in order.tranches:
        yield ResolvedLink(tranche.id, order.node.id, f"{order.supply.title} must be here")
    for before in order.supply.place_after:
        if before not in catalog:
            index = step.supplies.index(order.supply)
            raise InputError(
                f"the order of {order.supply.item} waits for {before}, which does not exist",
                place=order.node.entry.place("supplies", index, "place_after"),
            )
        map_, units = _fitting(order.node, catalog[before].step.scope, design)
        for unit in units:
            yield ResolvedLink(f"{before}@{unit.id}", order.id, "decided before the order is placed", map_)


def _fitting(node: Node, scope: Scope, design: Design) -> tuple[Mapping, Units]:
    """Return the mapping to a predecessor of this scope, and the units that a node waits for."""
    for map_ in (Mapping.SAME, Mapping.ENCLOSING, Mapping.ALL):
        units = _units(node, map_, scope, design)
        if units is not None:
            return map_, units
    raise AssertionError(scope)  # a scope is equal, wider or narrower


def _lag(lag: Lag | None, day_h: float) -> tuple[float, bool]:
    if lag is None:
        return 0.0, False
    return lag.value * hours_of(lag.unit, day_h), lag.unit not in ELAPSED_HOURS


def _bridged(raw: list[ResolvedLink], found: Expansion) -> list[ResolvedLink]:
    """Return the links between what applies: those into and out of what does not are replaced by links around it."""
    bridges = _Bridges(raw, found)
    kept = [link for link in bridges.links if not bridges.skipped(link.after)]
    whole = [around for link in kept for around in bridges.through(link)]
    return [link for link in _strongest(whole) if link.before != link.after]


class _Bridges:
    """The links into each node, and the ways around the nodes that do not apply."""

    def __init__(self, raw: list[ResolvedLink], found: Expansion) -> None:
        self._nodes = found.nodes
        self._around: dict[str, list[ResolvedLink]] = {}
        self.links = [self._waited_for(link) for link in raw]
        self._into: dict[str, list[ResolvedLink]] = {}
        for link in self.links:
            self._into.setdefault(link.after, []).append(link)

    def skipped(self, end: str) -> bool:
        """Return whether a link's end is an activity that does not apply."""
        return end in self._nodes and not self._nodes[end].applies

    def through(self, link: ResolvedLink) -> list[ResolvedLink]:
        """Return a link, or the links around its predecessor if that does not apply."""
        if not self.skipped(link.before):
            return [link]
        return [_joined(first, link) for first in self._links_into(link.before)]

    def _links_into(self, end: str) -> list[ResolvedLink]:
        """Return the links into a node that does not apply, around all such nodes before it.

        What is before it is worked out first, in a loop: a chain may be longer than calls can be nested.
        """
        way = {} if end in self._around else {end: None}
        while way:
            node = next(reversed(way))
            before = self._open_before(node)
            if before is None:
                links = [around for link in self._into.get(node, ()) for around in self.through(link)]
                # there are thousands of ways around a hall that is in service; only the strongest for a pair is kept
                self._around[node] = _strongest(links)
                del way[node]
            elif before in way:
                names = [*way]
                raise circle([*names[names.index(before) :], before][::-1])
            else:
                way[before] = None
        return self._around[end]

    def _open_before(self, node: str) -> str | None:
        """Return a predecessor that does not apply and that is not worked out yet. None if there is none."""
        ends = (link.before for link in self._into.get(node, ()))
        return next((end for end in ends if self.skipped(end) and end not in self._around), None)

    def _waited_for(self, link: ResolvedLink) -> ResolvedLink:
        """Return a link without the lag of work that is not done; a lag before a finish is the successor's own work."""
        whose = link.before if link.type[1] == "S" else link.after
        if not link.lag_h or not self.skipped(whose):
            return link
        return link._replace(lag_h=0.0, lag_working=False)


def _strongest(links: Iterable[ResolvedLink]) -> list[ResolvedLink]:
    """Return one link for each pair of nodes and type: the one with the longest lag, then the fewest bridges."""
    held: dict[tuple[str, str, LinkType], ResolvedLink] = {}
    for link in links:
        key = (link.before, link.after, link.type)
        other = held.get(key)
        if other is None or _strength(link) > _strength(other):
            held[key] = link
    return list(held.values())


def _strength(link: ResolvedLink) -> tuple[float, int]:
    return link.lag_h, -len(link.bridged)


def _joined(first: ResolvedLink, second: ResolvedLink) -> ResolvedLink:
    """Return one link for two that meet at a node without a duration, whose start is its finish."""
    return ResolvedLink(
        before=first.before,
        after=second.after,
        type=LinkType(first.type[0] + second.type[1]),
        lag_h=first.lag_h + second.lag_h,
        lag_working=first.lag_working if first.lag_h else second.lag_working,
        map=first.map if first.map is not Mapping.SAME else second.map,
        reason=second.reason,
        bridged=(*first.bridged, second.before, *second.bridged),
    )


def _closing_links(found: Expansion) -> list[ResolvedLink]:
    """Return links from every open end to the step that closes the project, except from work that continues after it."""
    nodes = [node for node in found.nodes.values() if node.applies]
    closing = [node for node in nodes if node.entry.step.closes_project]
    if not closing:
        return []
    ends = [node.id for node in nodes if not node.entry.step.continuing]
    for order in found.orders.values():
        ends += [tranche.id for tranche in order.tranches]
    waited_for = {link.before for link in found.links if link.type[0] == "F"}
    last = closing[0].id
    reason = "go-live closes the project: every open end is accounted for"
    loose = [end for end in ends if end not in waited_for and end != last]
    return [ResolvedLink(end, last, reason, Mapping.ALL) for end in loose]
