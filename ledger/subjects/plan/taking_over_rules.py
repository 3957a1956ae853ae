"""What was done and bought under the plan in force counts for what a later release has in its place.

The new plan states which steps are at a wider unit, and which orders buy what others bought before (`steps.catalog.moved`). A step at
the wider unit is done once all that it replaces are done. An order is placed once all that it replaces are placed, and a delivery is
received once all those of its units are received. What is done in part is named with what is left to do, and is not taken over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ledger.rules.activity import Activity, State
from ledger.rules.rows import OrderRow, TrancheRow
from ledger.subjects.plan.upgrading_rules import Upgrade
from steps.amount import counted, first_of
from steps.planning.activity import PlanActivity
from steps.planning.plan import Plan, PlanOrder, PlanTranche

_UNDONE = frozenset({State.OPEN, State.NOT_APPLICABLE})


class Replacing(NamedTuple):
    """An activity, an order or a delivery that counts as done, when it was done, and what it takes the place of."""

    subject: str
    was: tuple[str, ...]
    started: datetime
    finished: datetime
    by: str = ""

    @property
    def note(self) -> str:
        """What it takes the place of, in words."""
        return f"was {some(self.was)}"


class InPart(NamedTuple):
    """An activity, an order or a delivery of which only a part was done, and what was."""

    subject: str
    was: tuple[str, ...]
    why: str


class TakenOver(NamedTuple):
    """What a plan takes over from the one in force, and what it cannot."""

    taken: tuple[Replacing, ...] = ()
    left: tuple[InPart, ...] = ()


def some(names: Sequence[str]) -> str:
    """Return names in words: the first, and how many there are besides."""
    return first_of(names, 1)


def taken_over(
    old: Plan,
    new: Plan,
    activities: Mapping[str, Activity],
    orders: Mapping[str, OrderRow],
) -> TakenOver:
    """Return what `new` takes over from `old`. `activities` and `orders` are those on record, by id."""
    upgrade = Upgrade(old, new)
    if not upgrade.keeps:
        return TakenOver()
    enclosing = _Enclosing(new)
    found: list[Replacing | InPart] = []
    for activity in new.activities:
        now = activities.get(activity.id)
        is_free = now is None or now.state in _UNDONE
        if is_free and activity.applicable and activity.step in upgrade.moved.widened:
            inside = [one for one in old.activities if enclosing.has(activity, one)]
            found += _activity(activity, inside, activities)
    planned = {order.id for order in new.orders}
    for order in new.orders:
        names = upgrade.moved.bought.get(f"{order.step}#{order.item}", ())
        if names and order.id not in orders:
            of_name = (row for row in orders.values() if f"{row.step}#{row.item}" in names)
            inside_it = [row for row in of_name if enclosing.is_within(row.unit, order.unit)]
            found += _order(order, inside_it, planned)
    taken = tuple(one for one in found if isinstance(one, Replacing))
    return TakenOver(taken, tuple(one for one in found if isinstance(one, InPart)))


class _Enclosing:
    """Which units of a plan are within which."""

    def __init__(self, plan: Plan) -> None:
        self._parents = {unit.id: unit.parent for unit in plan.units}

    def is_within(self, unit: str, around: str) -> bool:
        """Return whether a unit is another one, or inside it."""
        at: str | None = unit
        while at is not None and at != around:
            at = self._parents.get(at)
        return at == around

    def has(self, activity: PlanActivity, earlier: PlanActivity) -> bool:
        """Return whether an activity at a unit takes the place of an earlier one inside that unit."""
        is_other = earlier.step == activity.step and earlier.id != activity.id and earlier.applicable
        return is_other and self.is_within(earlier.unit, activity.unit)


def _activity(
    activity: PlanActivity,
    earlier: Sequence[PlanActivity],
    standing: Mapping[str, Activity],
) -> Iterator[Replacing | InPart]:
    begun = [standing[one.id] for one in earlier if one.id in standing]
    asked = len(earlier) - sum(row.state is State.NOT_APPLICABLE for row in begun)  # a person decided so
    done = [row for row in begun if row.state is State.DONE and not row.stale]
    was = tuple(one.id for one in earlier)
    if done and len(done) == asked:
        last = max(done, key=_finished)
        started = min(row.started_at or _finished(row) for row in done)
        by = next(iter(last.performers), "")
        yield Replacing(activity.id, was, started, _finished(last), by)
    elif done:
        yield InPart(activity.id, was, f"{len(done)} of {asked} are done; finish it when the rest is")


def _finished(row: Activity) -> datetime:
    at = row.finished_at or row.done_at
    assert at is not None  # what is done has a time
    return at


def _order(
    order: PlanOrder,
    earlier: Sequence[OrderRow],
    planned: Collection[str],
) -> Iterator[Replacing | InPart]:
    """Yield what becomes of an order. What the plan has in the place of orders that it no longer has must have been bought in full."""
    placed = [row.placed_at for row in earlier if row.placed_at is not None]
    was = tuple(row.id for row in earlier)
    gone = [row for row in earlier if row.id not in planned and row.unit_of_measure == order.unit_of_measure]
    bought = sum(row.ordered for row in gone)
    if not placed:
        return
    if len(placed) < len(earlier):
        yield InPart(order.id, was, f"{len(placed)} of {len(earlier)} orders are placed; order the rest here")
    elif gone and bought < order.quantity:
        short = counted(order.quantity - bought, order.unit_of_measure)
        yield InPart(order.id, was, f"{short} fewer were ordered than are needed; order the rest here")
    else:
        yield Replacing(order.id, was, min(placed), max(placed))
        for tranche in order.tranches:
            yield from _tranche(tranche, [one for row in earlier for one in _of_units(row.tranches, tranche)])


def _of_units(earlier: Iterable[TrancheRow], tranche: PlanTranche) -> Iterator[TrancheRow]:
    units = set(tranche.units)
    return (one for one in earlier if not units or units & set(one.units))


def _tranche(tranche: PlanTranche, earlier: Sequence[TrancheRow]) -> Iterator[Replacing | InPart]:
    received = [one.received_at for one in earlier if one.received_at is not None]
    was = tuple(one.id for one in earlier)
    if earlier and len(received) == len(earlier):
        yield Replacing(tranche.id, was, min(received), max(received))
    elif received:
        yield InPart(
            tranche.id, was, f"{len(received)} of {len(earlier)} deliveries are here; receive it with the rest"
        )
