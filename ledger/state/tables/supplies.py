"""What is bought: orders, their deliveries, and what came."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from sqlmodel import Field, SQLModel

from ledger.state.columns import decimal, maybe_decimal, primary_key, utc, word_list


class OrderLine(SQLModel, table=True):
    """A supply line of the plan, and whether it is placed; `value` is what change orders made of it."""

    __tablename__ = "order_line"
    id: str = primary_key()
    ordinal: int
    step: str
    unit: str
    item: str
    title: str
    quantity: Decimal = decimal()
    unit_of_measure: str
    supplier: str
    lead_m_h: float
    serialised: bool = False
    order_by: datetime | None = utc()
    need_by: datetime | None = utc()
    total_float_h: float | None = None
    in_plan: bool = True
    ready_from: datetime | None = utc()
    placed_at: datetime | None = utc()
    placed_by: str | None = None
    early_because: str = ""
    promised: date | None = None
    supplier_name: str = ""
    reference: str = ""
    organisation: str = ""
    value: Decimal | None = maybe_decimal()
    currency: str = ""
    budget_line: str = ""
    acknowledged: date | None = None
    acknowledgement: str = ""
    expedite_cost: Decimal = decimal()


class Tranche(SQLModel, table=True):
    """One delivery of an order; `contracted` is the quantity of a change order, which replaces that of the plan."""

    id: str = primary_key()
    order_line: str = Field(index=True)
    number: int
    quantity: Decimal = decimal()
    units: tuple[str, ...] = word_list()
    need_by: datetime | None = utc()
    in_plan: bool = True
    promised: date | None = None
    received_quantity: Decimal = decimal()
    received_at: datetime | None = utc()
    contracted: Decimal | None = maybe_decimal()
    carrier: str = ""
    tracking: str = ""
    shipped: date | None = None
    handling: str = ""


class Delivery(SQLModel, table=True):
    """One receipt for a tranche, with the serial numbers that came."""

    seq: int = primary_key()
    tranche: str = Field(index=True)
    quantity: Decimal = decimal()
    serials: tuple[str, ...] = word_list()
    note: str
    person: str
    at: datetime = utc()


class ChangeOrder(SQLModel, table=True):
    """Another quantity of a delivery or value of an order that somebody asked for; `approved` is none while open."""

    __tablename__ = "change_order"
    id: str = primary_key()
    subject: str = Field(index=True)
    quantity: Decimal | None = maybe_decimal()
    value: Decimal | None = maybe_decimal()
    reason: str
    asked_by: str
    asked_at: datetime = utc()
    approved: bool | None = None
    decided_by: str | None = None
    decided_at: datetime | None = utc()
    role: str | None = None
    comment: str = ""
