"""By what the products that were ordered differ from those of the plan in force.

An order is for the product of the plan that was in force when it was placed, or when a change order of it was approved last.
"""

from __future__ import annotations

from collections.abc import Iterable
from json import loads
from typing import Any, NamedTuple

from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import OrderRow
from ledger.rules.subjects import order_of
from steps.design.products import product_changes
from steps.stamps import stamp

_DESIGNS = "SELECT adopted_at, figures, choices FROM plan_revision ORDER BY revision"
_APPROVED = "SELECT subject, decided_at FROM change_order WHERE approved ORDER BY decided_at"


class _Design(NamedTuple):
    """The figures and choices of a plan, and when it was adopted."""

    adopted_at: str
    values: dict[str, Any]


def other_products(snapshot: Snapshot, orders: Iterable[OrderRow]) -> dict[str, str]:
    """Return by what the product of an order differs from the plan's, in words, by order. Orders of the same product are left out."""
    designs = []
    for adopted_at, figures, choices in snapshot.ask(_DESIGNS):
        designs.append(_Design(adopted_at, loads(figures) | loads(choices)))
    if len(designs) < 2:
        return {}
    approved = {order_of(subject): at for subject, at in snapshot.ask(_APPROVED)}
    found = {}
    for row in orders:
        if row.placed_at is not None and row.in_plan:
            agreed = max(stamp(row.placed_at), approved.get(row.id, ""))
            was = _in_force(designs, agreed)
            if said := product_changes(row.item, was.values, designs[-1].values):
                found[row.id] = said
    return found


def _in_force(designs: list[_Design], at: str) -> _Design:
    """Return the design in force at a time. What happened before the first plan is for that one."""
    found = designs[0]
    for design in designs:
        if design.adopted_at <= at:
            found = design
    return found
