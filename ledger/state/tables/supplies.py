"""What is bought: orders, their deliveries, and what came."""

from __future__ import annotations

from datetime import date

from sqlmodel import SQLModel

from ledger.state.columns import Exact, ExactOrNone, Indexed, NumberKey, Utc, UtcOrNone, WordKey, WordList


class OrderLine(SQLModel, table=True):
    """A supply line of the plan, and whether it is placed; `value` is what change orders made of it.

    `ordered` is what was ordered, by delivery, as JSON. An order placed by earlier rules than version 5 has none until they are raised.
    """

    __tablename__ = "order_line"
    id: WordKey
    ordinal: int
    step: str
    unit: str
    item: str
    title: str
    quantity: Exact
    unit_of_measure: str
    supplier: str
    lead_m_h: float
    serialised: bool = False
    order_by: UtcOrNone
    need_by: UtcOrNone
    total_float_h: float | None = None
    in_plan: bool = True
    ready_from: UtcOrNone
    placed_at: UtcOrNone
    placed_by: str | None = None
    early_because: str = ""
    promised: date | None = None
    supplier_name: str = ""
    reference: str = ""
    organisation: str = ""
    value: ExactOrNone
    currency: str = ""
    budget_line: str = ""
    acknowledged: date | None = None
    acknowledgement: str = ""
    expedite_cost: Exact
    ordered: str | None = None


class Tranche(SQLModel, table=True):
    """One delivery of an order; `contracted` is the quantity of a change order, which replaces that of the plan.

    From version 5 of the rules on it does so while the plan has the quantity `contracted_for` which it was decided.
    """

    id: WordKey
    order_line: Indexed
    number: int
    quantity: Exact
    units: WordList
    need_by: UtcOrNone
    in_plan: bool = True
    promised: date | None = None
    received_quantity: Exact
    received_at: UtcOrNone
    contracted: ExactOrNone
    contracted_for: ExactOrNone
    carrier: str = ""
    tracking: str = ""
    shipped: date | None = None
    handling: str = ""


class Delivery(SQLModel, table=True):
    """One receipt for a tranche, with the serial numbers that came."""

    seq: NumberKey
    tranche: Indexed
    quantity: Exact
    serials: WordList
    note: str
    person: str
    at: Utc


class ChangeOrder(SQLModel, table=True):
    """Another quantity of a delivery or value of an order that somebody asked for; `approved` is none while open."""

    __tablename__ = "change_order"
    id: WordKey
    subject: Indexed
    quantity: ExactOrNone
    value: ExactOrNone
    asked_in: str | None = None
    reason: str
    asked_by: str
    asked_at: Utc
    approved: bool | None = None
    decided_by: str | None = None
    decided_at: UtcOrNone
    role: str | None = None
    comment: str = ""
