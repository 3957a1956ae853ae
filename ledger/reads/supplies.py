"""Orders and deliveries as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from ledger.reads.connected import Connected, words
from ledger.reads.rows import OrderRow, TrancheRow
from ledger.stamps import day, instant


class SupplyReads(Connected):
    """Questions about what is bought."""

    def orders(self, now: datetime) -> list[OrderRow]:
        """Give every order of the plan with its deliveries, in plan order."""
        tranches: dict[str, list[TrancheRow]] = {}
        for order, *row in self.rows(
            "SELECT order_line, id, number, quantity, units, need_by, promised, received_at,"
            " received_quantity FROM tranche ORDER BY order_line, number"
        ):
            tranches.setdefault(order, []).append(_tranche(row))
        found = self.rows(
            "SELECT id, step, unit, item, title, quantity, unit_of_measure, supplier,"
            " supplier_name, reference, order_by, need_by, ready_from, promised, placed_at,"
            " lead_m_h, total_float_h FROM order_line ORDER BY ordinal"
        )
        return [_order(row, tuple(tranches.get(row[0], ())), now) for row in found]


def _tranche(row: Sequence[Any]) -> TrancheRow:
    name, number, quantity, units, need_by, promised, received_at, received = row
    return TrancheRow(
        name,
        number,
        Decimal(quantity),
        words(units),
        instant(need_by),
        day(promised),
        instant(received_at),
        Decimal(received),
    )


def _order(row: Sequence[Any], tranches: tuple[TrancheRow, ...], now: datetime) -> OrderRow:
    order_by, need_by, ready_from, placed = map(instant, (row[10], row[11], row[12], row[14]))
    total_float = row[16]
    return OrderRow._make(
        (
            *row[:5],
            Decimal(row[5]),
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
