"""The activities of a design (each step at each of its units), its orders, and the links between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import NamedTuple

from schedule.errors import InputError
from steps.catalog.loader import Catalog, Entry
from steps.catalog.schema import Lag, Link, Step
from steps.catalog.terms import Kind, LinkType, Mapping, Scope
from steps.design.design import Design, DesignUnit
from steps.design.preset import Preset
from steps.design.quantities import Values
from steps.formula import evaluate, number_of
from steps.planning.activity import ELAPSED, WORKING, CalendarId
from steps.planning.network.bridging import bridged
from steps.planning.network.durations import ELAPSED_HOURS, WEEK_H, duration_of, hours_of, is_elapsed
from steps.planning.network.parts import Expansion, Node, Order, Tranche
from steps.planning.plan import PlanLink

DEPTH = {scope: depth for depth, scope in enumerate(Scope)}

Units = list[DesignUnit]


def expand(catalog: Catalog, design: Design, day_h: float) -> Expansion:
    """Return the network of a design, bridged around everything that does not apply."""
    found = Expansion()
    values = _SharedValues(design)
    for shipped in catalog.values():
        entry = _lasting_as_in(design.preset, shipped)
        reasons: dict[int, str | None] = {}
        for unit in design.units:
            if unit.kind is entry.step.scope:
                own = values.of(unit, entry.step.crew.role)
                if id(own) not in reasons:
                    reasons[id(own)] = _not_applicable_because(entry, own, design)
                node = Node(f"{entry.step.id}@{unit.id}", entry, unit, own, reasons[id(own)])
                found.nodes[node.id] = node
    for node in found.nodes.values():
        for order in _orders(node, design) if node.applies else ():
            found.orders[order.id] = order
    raw = list(_raw_links(catalog, design, found, day_h))
    found.links = bridged(raw, found)
    found.links += _closing_links(found)
    return found


def _lasting_as_in(preset: Preset, entry: Entry) -> Entry:
    """Return a step with the duration that the preset gives it, unless the site's own catalog has one."""
    duration = preset.durations.get(entry.step.id)
    if duration is None or "duration" in entry.overridden:
        return entry
    return replace(entry, step=entry.step.model_copy(update={"duration": duration}))


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


def _not_applicable_because(entry: Entry, values: Values, design: Design) -> str | None:
    """Return why a step has nothing to do at units with these values. None where it applies."""
    step = entry.step
    reason = None
    for decision in design.decisions:
        if decision.covers(step.id, step.phase, step.kind):
            reason = decision.reason
    applies = step.applies if isinstance(step.applies, bool) else evaluate(step.applies, values)
    if reason is None and not applies:
        reason = step.not_applicable_because or "does not apply"
    return reason


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


def _raw_links(catalog: Catalog, design: Design, found: Expansion, day_h: float) -> Iterator[PlanLink]:
    holding: dict[tuple[str, int], list[_Holding]] = {}
    racks = _HoursOfRacks(day_h)
    for node in found.nodes.values():
        kind = (node.entry.step.id, id(node.values))
        if kind not in holding:
            holding[kind] = list(_holding(node, catalog, day_h))
        for one in holding[kind]:
            yield from _mapped(node, one, design, found, racks)
    for order in found.orders.values():
        yield from _supply_links(order, catalog, design)


class _Holding(NamedTuple):
    """A link of a step that holds at some units: its place in the step, the step before, the lag and its calendar."""

    link: Link
    place: int
    before: Step
    lag_h: float
    lag_calendar: CalendarId


def _holding(node: Node, catalog: Catalog, day_h: float) -> Iterator[_Holding]:
    """Yield the links of a step that hold at units with a node's values."""
    for index, link in enumerate(node.entry.step.links):
        if link.when is not None and not evaluate(link.when, node.values):
            continue
        if link.after not in catalog:
            raise InputError(
                f"step {node.entry.step.id} waits for {link.after}, which does not exist",
                place=node.entry.place("links", index, "after"),
            )
        yield _Holding(link, index, catalog[link.after].step, *_lag(link.lag, day_h))


def _mapped(
    node: Node,
    holding: _Holding,
    design: Design,
    found: Expansion,
    racks: _HoursOfRacks,
) -> Iterator[PlanLink]:
    link: Link = holding.link
    _, place, before, lag_h, lag_calendar = holding
    units = _units(node, link.map, before.scope, design)
    if units is None:
        raise InputError(
            f"{node.entry.step.id} ({node.entry.step.scope}) cannot wait for {before.id} "
            f"({before.scope}) with map {link.map}",
            hint="same: equal scopes; enclosing: a wider predecessor; first, all, as-they-come: a narrower one",
            place=node.entry.place("links", place, "map"),
        )
    if link.overlap is not None:
        yield from _overlapped(found.nodes[f"{before.id}@{node.unit.id}"], node, link, racks)
        return
    for number, unit in enumerate(units):
        kind = LinkType.FF if link.map is Mapping.AS_THEY_COME and number else link.type
        for end in _ends(f"{before.id}@{unit.id}", link, node, found):
            yield PlanLink(
                before=end,
                after=node.id,
                type=kind,
                lag_h=lag_h,
                lag_calendar=lag_calendar,
                map=link.map,
                reason=link.reason,
            )


def _overlapped(before: Node, after: Node, link: Link, hours: _HoursOfRacks) -> Iterator[PlanLink]:
    """Yield the links of two pieces of work that follow each other rack by rack; one after the other in a single rack."""
    racks = number_of("racks_in_pod", after.values)
    if racks <= 1 or not (before.applies and after.applies):
        yield _without_lag(before.id, after.id, link.reason)
        return
    (first, _), (_, last) = hours.of(before), hours.of(after)
    for kind, lag_h, whose in ((LinkType.SS, first, before), (LinkType.FF, last, after)):
        yield PlanLink(
            before=before.id,
            after=after.id,
            type=kind,
            lag_h=lag_h,
            lag_calendar=ELAPSED if is_elapsed(whose.entry.step) else WORKING,
            map=Mapping.SAME,
            reason=link.reason,
        )


class _HoursOfRacks:
    """The hours until the first of a node's racks is done, with what it takes once, and those of its last rack."""

    def __init__(self, day_h: float) -> None:
        self._day_h = day_h
        self._known: dict[tuple[str, int], tuple[float, float]] = {}

    def of(self, node: Node) -> tuple[float, float]:
        step, values = node.entry.step, node.values
        kind = (step.id, id(values))
        if kind not in self._known:
            whole = duration_of(step, values, self._day_h).m
            once = step.duration.fixed.points[1] * hours_of(step.duration.fixed.unit, self._day_h)
            each = (whole - once) / number_of("racks_in_pod", values)
            self._known[kind] = once + each, each
        return self._known[kind]


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


def _supply_links(order: Order, catalog: Catalog, design: Design) -> Iterator[PlanLink]:
    step = order.node.entry.step
    for tranche in order.tranches:
        yield _without_lag(order.id, tranche.id, "the order and its delivery")
    if step.kind is Kind.PROCURE:
        yield _without_lag(order.node.id, order.id, "the step places the order")
        return
    for tranche in order.tranches:
        yield _without_lag(tranche.id, order.node.id, f"{order.supply.title} must be here")
    for before in order.supply.place_after:
        if before not in catalog:
            index = step.supplies.index(order.supply)
            raise InputError(
                f"the order of {order.supply.item} waits for {before}, which does not exist",
                place=order.node.entry.place("supplies", index, "place_after"),
            )
        map_, units = _fitting(order.node, catalog[before].step.scope, design)
        for unit in units:
            yield _without_lag(f"{before}@{unit.id}", order.id, "decided before the order is placed", map_)


def _fitting(node: Node, scope: Scope, design: Design) -> tuple[Mapping, Units]:
    """Return the mapping to a predecessor of this scope, and the units that a node waits for."""
    for map_ in (Mapping.SAME, Mapping.ENCLOSING, Mapping.ALL):
        units = _units(node, map_, scope, design)
        if units is not None:
            return map_, units
    raise AssertionError(scope)  # a scope is equal, wider or narrower


def _lag(lag: Lag | None, day_h: float) -> tuple[float, CalendarId]:
    if lag is None:
        return 0.0, ELAPSED
    return lag.value * hours_of(lag.unit, day_h), ELAPSED if lag.unit in ELAPSED_HOURS else WORKING


def _closing_links(found: Expansion) -> list[PlanLink]:
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
    return [_without_lag(end, last, reason, Mapping.ALL) for end in loose]


def _without_lag(before: str, after: str, reason: str, map_: Mapping = Mapping.SAME) -> PlanLink:
    """Return a link from a finish to a start, without a lag."""
    return PlanLink(before=before, after=after, lag_calendar=ELAPSED, map=map_, reason=reason)
