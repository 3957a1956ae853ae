"""The parts of an expanded design: its activities before dates, its orders with their deliveries, and the links between them."""

from __future__ import annotations

from dataclasses import dataclass, field

from steps.catalog.loader import Entry
from steps.catalog.schema import Supply
from steps.design.design import DesignUnit
from steps.design.quantities import Values
from steps.planning.plan import PlanLink


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


@dataclass
class Expansion:
    """All activities, orders and links of a design."""

    nodes: dict[str, Node] = field(default_factory=dict)
    orders: dict[str, Order] = field(default_factory=dict)
    links: list[PlanLink] = field(default_factory=list)
