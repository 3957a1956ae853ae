"""What was ordered and what came, put into the deliveries of a plan that cuts an order in another way.

Where pods move from one delivery to another, the goods follow: they fill the deliveries of the plan in their order. What is left
over stays with deliveries that the plan no longer has, else with the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal

from ledger.rules.rows import OrderRow, TrancheRow
from ledger.subjects.plan.payloads import Lot
from steps.planning.plan import Plan, PlanOrder, PlanTranche


def recut(plan: Plan, orders: Iterable[OrderRow]) -> Iterator[Lot]:
    """Yield what each delivery holds under a plan, of the placed orders that it cuts in another way."""
    planned = {order.id: order for order in plan.orders}
    for row in orders:
        order = planned.get(row.id)
        if order is not None and row.placed_at is not None and _moves_pods(row, order):
            yield from _filled(row, order)


def _moves_pods(row: OrderRow, order: PlanOrder) -> bool:
    was = _by_pod(one for one in row.tranches if one.in_plan)
    has = _by_pod(order.tranches)
    both = was.keys() & has.keys()
    return any(was[pod] != has[pod] for pod in both)


def _by_pod(deliveries: Iterable[TrancheRow | PlanTranche]) -> Mapping[str, str]:
    return {pod: one.id for one in deliveries for pod in one.units}


def _filled(row: OrderRow, order: PlanOrder) -> Iterator[Lot]:
    names = {one.id for one in order.tranches}
    dropped = [one for one in row.tranches if one.id not in names]
    keeper = dropped[0].id if dropped else order.tranches[-1].id
    quantities = {one.id: one.quantity for one in order.tranches}
    quantities |= {one.id: Decimal(0) for one in dropped}
    came = sum((one.received_quantity for one in row.tranches), Decimal(0))
    ordered = _parts(quantities, row.ordered, keeper)
    received = _parts(quantities, came, keeper)
    promised = {one.id: _promise(row, one) for one in order.tranches}
    for name in quantities:
        yield Lot(
            delivery=name,
            ordered=ordered[name],
            received=received[name],
            promised=promised.get(name),
        )


def _parts(
    quantities: Mapping[str, Decimal],
    whole: Decimal,
    keeper: str,
) -> dict[str, Decimal]:
    """Return how much of the whole each delivery gets, in order up to its quantity. What is left over goes to the keeper."""
    parts = {}
    for name, quantity in quantities.items():
        parts[name] = min(quantity, whole)
        whole -= parts[name]
    parts[keeper] += whole
    return parts


def _promise(row: OrderRow, delivery: PlanTranche) -> date | None:
    """Return the latest promise of what its pods waited for before."""
    pods = {*delivery.units}
    before = (one for one in row.tranches if one.in_plan and {*one.units} & pods)
    return max((one.promised for one in before if one.promised), default=None)
