"""Orders and their deliveries as one list: each with its state, its dates, what it is worth, and by how much it is late."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from ledger.questions.orders import changes, order_named, orders
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import OrderRow, TrancheRow, grouped
from ledger.rules.subjects import order_of
from ledger.subjects.orders.rules import delivery_days_late
from steps.stamps import local_day

_ROLES = "SELECT o.id, a.role FROM order_line o JOIN activity a ON a.id = o.step || '@' || o.unit"
_PLACES = {"planned": 0, "placed": 1, "shipped": 1, "part received": 1, "received": 2}
"""By state: what is to be placed comes first, what is here last."""

SOON = timedelta(weeks=3)
NAMED = 3
"""How many units of a delivery are named one by one."""

NEVER = datetime.max.replace(tzinfo=UTC)


class Supply(NamedTuple):
    """An order, or one delivery of an order: then `delivery` is set.

    `state` is planned, placed, shipped, part received or received. `role` places it. `is_due` says that it is to be placed, or to come
    as things are, within `SOON`. `changes` are its change orders with their states.
    """

    id: str
    order: OrderRow
    delivery: TrancheRow | None
    state: str
    days_late: int
    role: str
    changes: tuple[str, ...]
    is_due: bool = False

    @property
    def title(self) -> str:
        """What is bought; of a delivery, the units that it releases."""
        if self.delivery is None:
            return self.order.title
        count, units = len(self.order.tranches), units_words(self.delivery.units)
        which = f"delivery {self.delivery.number} of {count}" if count > 1 else "all of it"
        return f"{which} for {units}" if units else which

    @property
    def order_by(self) -> datetime | None:
        """By when it is to be placed. None once it is."""
        return self.order.order_by if self.delivery is None and self.order.placed_at is None else None

    @property
    def need_by(self) -> datetime | None:
        """When it must be here."""
        return (self.delivery or self.order).need_by

    @property
    def promised(self) -> date | None:
        """What the supplier has promised. A delivery without a promise of its own has the order's."""
        if self.delivery is None:
            return self.order.promised_last
        return self.delivery.promised or self.order.promised

    @property
    def comes(self) -> date | None:
        """When it is to come as things are: as promised, else when it must be here."""
        return self.promised or (local_day(self.need_by, self.order.time_zone) if self.need_by else None)

    @property
    def came(self) -> Decimal:
        """How much of it is here: of an order in the plan, how much of what the plan has."""
        if self.delivery is not None:
            return self.delivery.received_quantity
        wanted = (one for one in self.order.tranches if one.in_plan == self.order.in_plan)
        return sum((one.received_quantity for one in wanted), Decimal(0))

    @property
    def quantity(self) -> str:
        """How much it is, and how much of that is here if it is a part, in words."""
        row, one = self.order, self.delivery
        whole = row.quantity if one is None else one.quantity
        words = row.size if one is None else one.size(row.unit_of_measure)
        return f"{self.came.normalize():,f} of {words}" if 0 < self.came < whole else words

    @property
    def supplier(self) -> str:
        """The supplier that it was placed with, else what kind of supplier sells it."""
        return self.order.supplier_name or self.order.supplier


def units_words(units: Sequence[str]) -> str:
    """Return the units that a delivery releases: named, or the first and the last of many."""
    if len(units) <= NAMED:
        return ", ".join(units)
    return f"{units[0]} to {units[-1]}, {len(units)} in all"


def supplies(snapshot: Snapshot) -> list[Supply]:
    """Return every order, each followed by its deliveries. What is to be placed first is on top, what is received at the end."""
    known = _known(snapshot)
    found: list[Supply] = []
    for row in sorted(orders(snapshot), key=_place):
        found += _with_deliveries(row, known)
    return found


def supplies_of(snapshot: Snapshot, row: OrderRow) -> list[Supply]:
    """Return one order, followed by its deliveries."""
    return list(_with_deliveries(row, _known(snapshot)))


def supply_named(snapshot: Snapshot, name: str) -> Supply:
    """Return an order or a delivery by its id. Raise InputError for an unknown one."""
    return next(one for one in supplies_of(snapshot, order_named(snapshot, name)) if one.id == name)


class _Known(NamedTuple):
    """What rows are made with: roles by order, change orders with their states by what they are about, and the time."""

    roles: dict[str, str]
    asked: dict[str, list[str]]
    now: datetime

    def changes_of(self, order: str) -> Iterator[str]:
        """Yield the change orders of an order and of its deliveries."""
        for subject, found in self.asked.items():
            if order_of(subject) == order:
                yield from found


def _known(snapshot: Snapshot) -> _Known:
    asked = grouped((change.subject, f"{change.id} {change.state}") for change in changes(snapshot))
    return _Known(dict(snapshot.ask(_ROLES)), asked, snapshot.now)


def _place(row: OrderRow) -> tuple[int, datetime]:
    when = row.order_by if row.placed_at is None else row.need_by
    return _PLACES[row.state], when or NEVER


def _with_deliveries(row: OrderRow, known: _Known) -> Iterator[Supply]:
    role = known.roles.get(row.id, "")
    asked = tuple(known.changes_of(row.id))
    own = Supply(row.id, row, None, row.state, row.days_late, role, asked)
    yield own._replace(is_due=_is_due(own, known.now))
    for one in row.tranches:
        late = delivery_days_late(one, known.now, row.time_zone) if row.placed_at else 0
        asked = tuple(known.asked.get(one.id, ()))
        delivery = Supply(one.id, row, one, _delivery_state(row, one), late, role, asked)
        yield delivery._replace(is_due=_is_due(delivery, known.now))


def _is_due(supply: Supply, now: datetime) -> bool:
    if supply.order_by is not None:
        return supply.order_by < now + SOON
    if supply.delivery is not None and supply.delivery.unordered:
        return True
    if supply.comes is None or supply.state == "received":
        return False
    return supply.comes <= local_day(now + SOON, supply.order.time_zone)


def _delivery_state(row: OrderRow, one: TrancheRow) -> str:
    if one.received_at is not None:
        return "received"
    if one.received_quantity:
        return "part received"
    if one.shipped is not None:
        return "shipped"
    return "planned" if row.placed_at is None else "placed"
