"""Orders and deliveries as they stand, what they cost by budget line, what was changed, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from ledger.money import share
from ledger.reads.connected import Connected, words
from ledger.reads.order_history import history
from ledger.reads.rows import BudgetRow, ChangeRow, HistoryRow, OrderRow, TrancheRow
from steps.stamps import day, instant

_CHANGE_STATE = {None: "open", 1: "approved", 0: "refused"}


class SupplyReads(Connected):
    """Questions about what is bought."""

    def orders(self, now: datetime, *, organisation: str | None = None) -> list[OrderRow]:
        """Give every order of the plan with its deliveries, in plan order; or those of one organisation or supplier."""
        tranches: dict[str, list[TrancheRow]] = {}
        for order, *row in self.rows(
            "SELECT order_line, id, number, coalesce(contracted, quantity), units, need_by, promised, received_at,"
            " received_quantity, quantity, carrier, tracking, shipped, handling FROM tranche"
            " ORDER BY order_line, number"
        ):
            tranches.setdefault(order, []).append(_tranche(row))
        found = self.rows(
            "SELECT id, step, unit, item, title, quantity, unit_of_measure, supplier,"
            " supplier_name, reference, order_by, need_by, ready_from, promised, placed_at,"
            " lead_m_h, total_float_h, organisation, value, currency, budget_line, acknowledged,"
            " acknowledgement, expedite_cost FROM order_line"
            " WHERE ?1 IS NULL OR lower(?1) IN (lower(organisation), lower(supplier_name)) ORDER BY ordinal",
            organisation,
        )
        return [_order(row, tuple(tranches.get(row[0], ())), now) for row in found]

    def budget(self, now: datetime) -> list[BudgetRow]:
        """Give what is committed, received and open by budget line and currency; expediting is committed too.

        What was received of an order is its share of the order's quantity; currencies are never added.
        """
        lines: dict[tuple[str, str], list[OrderRow]] = {}
        for order in self.orders(now):
            if order.placed_at is not None:
                lines.setdefault((order.budget_line, order.currency), []).append(order)
        return [_budget(*key, orders) for key, orders in sorted(lines.items())]

    def changes(self, order: str | None = None) -> list[ChangeRow]:
        """Give change orders, oldest first; those of one order and its deliveries where it is named."""
        found = self.rows(
            "SELECT c.id, c.subject, c.approved, c.quantity, c.value,"
            " coalesce((SELECT o.currency FROM order_line o"
            "  WHERE c.subject = o.id OR substr(c.subject, 1, length(o.id) + 1) = o.id || '/'), ''),"
            " c.reason, c.asked_by, c.asked_at, c.decided_by, c.decided_at, c.role, c.comment FROM change_order c"
            " WHERE ?1 IS NULL OR c.subject = ?1 OR substr(c.subject, 1, length(?1) + 1) = ?1 || '/' ORDER BY c.id",
            order,
        )
        return [
            ChangeRow(
                row[0],
                row[1],
                _CHANGE_STATE[row[2]],
                _figure(row[3]),
                _figure(row[4]),
                row[5],
                row[6],
                row[7],
                instant(row[8]),
                row[9],
                instant(row[10]),
                row[11],
                row[12],
            )
            for row in found
        ]

    def order_history(self, order: str) -> list[HistoryRow]:
        """Give everything that was recorded of an order and its deliveries, oldest first, as it was said then."""
        known = [row[0] for row in self.rows("SELECT id FROM order_line ORDER BY ordinal")]
        if order not in known:
            from ledger.nearest import unknown_order

            raise unknown_order(order, known)
        found = self.rows(
            "SELECT seq, effective_at, actor, kind, subject, payload FROM event"
            " WHERE subject = ?1 OR (subject > ?1 || '/' AND subject < ?1 || '0') ORDER BY seq",  # '0' follows '/'
            order,
        )
        return history(found)


def _figure(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _budget(line: str, currency: str, orders: Sequence[OrderRow]) -> BudgetRow:
    committed = received = Decimal(0)
    for order in orders:
        whole = (order.value or Decimal(0)) + order.expedite_cost
        came = sum((t.received_quantity for t in order.tranches), Decimal(0))
        committed += whole
        received += share(whole, came, order.quantity)
    unpriced = sum(order.value is None for order in orders)
    return BudgetRow(line, currency, len(orders), unpriced, committed, received, committed - received)


def _tranche(row: Sequence[Any]) -> TrancheRow:
    name, number, quantity, units, need_by, promised, received_at, received, planned, carrier, tracking, *rest = row
    return TrancheRow(
        name,
        number,
        Decimal(quantity),
        words(units),
        instant(need_by),
        day(promised),
        instant(received_at),
        Decimal(received),
        Decimal(planned),
        carrier,
        tracking,
        day(rest[0]),
        rest[1],
    )


def _order(row: Sequence[Any], tranches: tuple[TrancheRow, ...], now: datetime) -> OrderRow:
    order_by, need_by, ready_from, placed = map(instant, (row[10], row[11], row[12], row[14]))
    total_float = row[16]
    changed = sum((t.quantity - t.planned_quantity for t in tranches), Decimal(0))
    return OrderRow._make(
        (
            *row[:5],
            Decimal(row[5]) + changed,
            *row[6:10],
            order_by,
            need_by,
            _state(placed, tranches),
            ready_from,
            day(row[13]),
            placed,
            row[15],
            total_float,
            total_float is not None and total_float < 1e-6,
            _is_late(now, order_by, placed, tranches),
            tranches,
            row[17],
            _figure(row[18]),
            *row[19:21],
            day(row[21]),
            row[22],
            Decimal(row[23]),
        )
    )


def _state(placed: datetime | None, tranches: tuple[TrancheRow, ...]) -> str:
    if tranches and all(t.received_at for t in tranches):
        return "received"
    if any(t.received_quantity for t in tranches):
        return "part received"
    return "placed" if placed else "planned"


def _is_late(now: datetime, order_by: datetime | None, placed: datetime | None, all_: tuple[TrancheRow, ...]) -> bool:
    """Not placed by its order-by date; or something outstanding is needed before it comes."""
    if placed is None:
        return order_by is not None and order_by < now
    open_ = [t for t in all_ if t.received_at is None and t.need_by is not None]
    return any(
        t.need_by is not None and (t.need_by < now or (t.promised is not None and t.promised > t.need_by.date()))
        for t in open_
    )
