"""Orders and deliveries as they stand."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from ledger.reads.connected import Connected, words
from ledger.reads.rows import OrderRow, TrancheRow
from ledger.stamps import day, instant


class SupplyReads(Connected):
    """Questions about what is bought."""

    def orders(self, now: datetime) -> list[OrderRow]:
        """Give every order of the plan with its deliveries, in plan order."""
        tranches: dict[str, list[TrancheRow]] = {}
        for row in self.rows(
            "SELECT order_line, id, number, quantity, units, need_by, promised, received_at,"
            " received_quantity FROM tranche ORDER BY order_line, number"
        ):
            tranches.setdefault(row[0], []).append(
                TrancheRow(
                    row[1],
                    row[2],
                    Decimal(row[3]),
                    words(row[4]),
                    instant(row[5]),
                    day(row[6]),
                    instant(row[7]),
                    Decimal(row[8]),
                )
            )
        found = self.rows(
            "SELECT id, step, unit, item, title, quantity, unit_of_measure, supplier,"
            " supplier_name, reference, order_by, need_by, ready_from, promised, placed_at,"
            " lead_m_h, total_float_h FROM order_line ORDER BY ordinal"
        )
        rows = []
        for r in found:
            mine = tuple(tranches.get(r[0], ()))
            order_by, need_by, placed = instant(r[10]), instant(r[11]), instant(r[14])
            rows.append(
                OrderRow._make(
                    (
                        *r[:5],
                        Decimal(r[5]),
                        *r[6:10],
                        order_by,
                        need_by,
                        _state(placed, mine),
                        instant(r[12]),
                        day(r[13]),
                        placed,
                        r[15],
                        r[16],
                        r[16] is not None and r[16] < 1e-6,
                        _is_late(now, order_by, placed, mine),
                        mine,
                    )
                )
            )
        return rows


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
