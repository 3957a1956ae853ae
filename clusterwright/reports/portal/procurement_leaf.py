"""Orders and deliveries on a page. A supplier's has its own orders, and neither prices nor what the owner's plan makes of them."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.budget_lines import estimates
from clusterwright.order_columns import COLUMNS, LAST, NUMBERS, latest_first, order_cells
from clusterwright.reports.page import Block, Table, Tile, counted_table
from clusterwright.reports.portal.leaf import Leaf
from clusterwright.reports.portal.portal import Portal
from clusterwright.reports.tables import money_table
from ledger.evidence.plans import read_frame
from ledger.questions.order_timing import timed_orders

SUPPLIERS_OWN = ("order", "what", "quantity", "state", "promised")


def procurement_leaf(portal: Portal) -> Leaf:
    """Return the page: late orders first, then deliveries that are on their way, and the money by budget line."""
    blocks: list[Block] = [_orders(portal), _deliveries(portal)]
    if portal.is_owners:
        blocks.append(money_table(portal.asked, estimates(portal.snapshot.site_dir)))
    return Leaf("procurement.html", "Procurement", tiles=tuple(_tiles(portal)), bands=tuple((one,) for one in blocks))


def _tiles(portal: Portal) -> Iterator[Tile]:
    rows = portal.orders
    for state, note in (("planned", "to be placed"), ("placed", "under way"), ("received", "complete")):
        yield Tile(state.capitalize(), f"{sum(row.state == state for row in rows):,}", note)
    yield Tile("Part received", f"{sum(row.state == 'part received' for row in rows):,}", "")
    if portal.is_owners:
        late = [row for row in rows if row.days_late]
        worst = max((row.days_late for row in late), default=0)
        yield Tile("Late", f"{len(late):,}", f"the latest by {worst} days" if worst else "")


def _orders(portal: Portal) -> Table:
    timed = timed_orders(portal.orders, read_frame(portal.snapshot), portal.snapshot.now)
    columns = tuple(COLUMNS) if portal.is_owners else SUPPLIERS_OWN
    rows = []
    for row in sorted(portal.orders, key=lambda row: latest_first(row, timed)):
        cells = order_cells(row, timed.by_id[row.id], portal.asked.zone)
        rows.append(tuple(cells[name] for name in columns))
    right = tuple(place for place, name in enumerate(columns) if name in NUMBERS)
    return counted_table("Orders", columns, (), rows, empty="no order", right=right)


def _deliveries(portal: Portal) -> Table:
    """Return the deliveries of placed orders that are not here yet, those that were promised first on top."""
    placed = [row for row in portal.orders if row.placed_at]
    coming = [(row, one) for row in placed for one in row.tranches if one.received_at is None]
    found = [(one.promised or row.promised, one, row) for row, one in coming]
    found.sort(key=lambda each: (str(each[0] or LAST), each[1].id))
    rows = [
        (
            one.id,
            row.title,
            row.supplier_name,
            one.size(row.unit_of_measure),
            f"{one.received_quantity.normalize():,f}" if one.received_quantity else "",
            portal.day(promised),
            portal.day(one.need_by),
            portal.day(one.shipped),
            " ".join(filter(None, (one.carrier, one.tracking))),
        )
        for promised, one, row in found
    ]
    headers = ("delivery", "what", "supplier", "quantity", "here", "promised", "need by", "shipped", "with")
    return counted_table("Deliveries under way", headers, (), rows)
