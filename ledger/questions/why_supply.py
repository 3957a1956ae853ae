"""Why an order is not placed yet, or why a delivery has not come: what it waits for, and the command that records the next step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ledger.questions.links import predecessors
from ledger.questions.orders import order_named, require_tranche
from ledger.questions.snapshot import Snapshot
from ledger.questions.turns import Turn
from ledger.rules.activity import State
from ledger.rules.readiness import unmet
from ledger.rules.rows import OrderRow, TrancheRow, Unmet, grouped
from ledger.rules.subjects import is_delivery
from steps.amount import counted, first_of
from steps.stamps import local_day


class Waits(NamedTuple):
    """The same work at some units, which is waited for in the same state and for the same reason."""

    unmet: tuple[Unmet, ...]

    @property
    def names(self) -> str:
        """The first id, and how many more there are."""
        return first_of([one.predecessor for one in self.unmet], 1)

    @property
    def work(self) -> str:
        """Title, state and why it comes before, in words."""
        one = self.unmet[0]
        through = f", through {', '.join(one.bridged)}" if one.bridged else ""
        return f"{one.title} ({one.state}{through}): {one.reason}"


class Why(NamedTuple):
    """Why an activity does not proceed: what it waits for (`unmet`), and what it still `needs`, in words.

    `turn` is its place among the runs that wait for hosts in use. None if it is not among them.
    """

    activity: str
    state: State
    state_sentence: str
    unmet: tuple[Unmet, ...]
    needs: tuple[str, ...]
    turn: Turn | None = None

    @property
    def waits(self) -> list[Waits]:
        """What it waits for, with the same work at several units in one."""
        alike = grouped((_work(one), one) for one in self.unmet)
        return [Waits(tuple(same)) for same in alike.values()]

    def lines(self, zone: str) -> Iterator[str]:
        """Yield what it waits for, its place among the runs, and what it needs itself, in words."""
        yield from (f"waits for {one.names}, {one.work}" for one in self.waits)
        if self.turn is not None:
            yield self.turn.words(zone)
        yield from (f"needs {need}" for need in self.needs)


def _work(unmet: Unmet) -> tuple[str, ...]:
    """Return what is the same of work at several units."""
    names = (unmet.predecessor, *unmet.bridged)
    steps = [name.partition("@")[0] for name in names]
    return (unmet.title, unmet.state, unmet.reason, *steps)


def why_supply(snapshot: Snapshot, name: str) -> Why:
    """Return why an order or a delivery does not proceed. Raise InputError for an unknown id."""
    order = order_named(snapshot, name)
    if is_delivery(name):
        return _delivery(order, require_tranche(snapshot, name))
    if order.placed_at is not None:
        said = (
            f"{order.state} on {local_day(order.placed_at, order.time_zone)}"
            if order.state == "placed"
            else order.state
        )
        missing: tuple[Unmet, ...] = ()
        if order.early_because:
            said += f", out of sequence ({order.early_because})"
            missing = tuple(unmet(predecessors(snapshot, name), "start", snapshot.now, order.time_zone))
        return Why(name, _state(order.state), said, missing, tuple(_needs_of_placed(order)))
    waits = unmet(predecessors(snapshot, name), "start", snapshot.now, order.time_zone)
    if waits:
        return Why(name, State.BLOCKED, "not placed: it waits for what comes before it.", tuple(waits), ())
    to_place = f"to be placed: clusterwright order '{name}' --supplier NAME --reference NUMBER"
    return Why(name, State.READY, "not placed: it may be placed now.", (), (to_place,))


def _delivery(order: OrderRow, tranche: TrancheRow) -> Why:
    if order.placed_at is None:
        needs = (f"its order to be placed: clusterwright why '{order.id}'",)
        return Why(tranche.id, State.BLOCKED, "not received: its order is not placed.", (), needs)
    if tranche.outstanding <= 0:
        said = "received in full." if tranche.quantity else "nothing of it is to come."
        return Why(tranche.id, State.DONE, said, (), ())
    came = f"{tranche.received_quantity.normalize():,f} of {counted(tranche.quantity, order.unit_of_measure)} received"
    needed = [*_needs_more(tranche, order)]
    if tranche.to_come > 0:
        needed.insert(0, f"to be received: clusterwright receive '{tranche.id}'")
    return Why(tranche.id, State.IN_PROGRESS, f"{came}.", (), tuple(needed))


def _needs_more(tranche: TrancheRow, order: OrderRow) -> Iterator[str]:
    """Yield what settles a delivery of which less was ordered than the plan now has."""
    if tranche.unordered:
        size = tranche.size(order.unit_of_measure)
        change = f"clusterwright change request '{tranche.id}' --quantity N --reason WHY"
        yield f"{tranche.id} is for {size}: order the rest, or say how many are enough: {change}"


def _needs_of_placed(order: OrderRow) -> list[str]:
    needs = []
    if order.acknowledged is None and order.state != "received":
        needs.append(f"the supplier's acceptance: clusterwright acknowledge '{order.id}' --on DATE --reference NUMBER")
    if order.product_was:
        change = f"clusterwright change request '{order.id}' --value V --reason WHY"
        needs.append(f"another product: it is {order.size}; agree on it with the supplier, and record that: {change}")
    for tranche in order.tranches:
        if tranche.to_come > 0:
            needs.append(f"{tranche.id} to be received")
        needs += _needs_more(tranche, order)
    return needs


def _state(state: str) -> State:
    return State.DONE if state == "received" else State.IN_PROGRESS
