"""Orders on the terminal: the list, the history of one, and the money by budget line beside the design's estimate."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterwright.output import day, minute, say, table
from ledger.questions.orders import budget as budget_lines
from ledger.questions.orders import order_history, orders
from ledger.questions.site import site_of

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot
    from ledger.rules.rows import OrderRow

Answer = tuple[Any, Callable[[], None]]
"""What --json prints, and what prints it for people."""

ESTIMATED_IN = "USD"
"""The currency of the design's figures."""


def listed(reader: Snapshot, organisation: str | None) -> Answer:
    """Give every order, or an organisation's."""
    rows = orders(reader, organisation=organisation)
    return rows, lambda: _print_orders(rows, site_of(reader).time_zone)


def _print_orders(rows: list[OrderRow], zone: str) -> None:
    if not rows:
        say("no such order")
        return
    table(
        ("order by", "order", "what", "quantity", "state", "promised", "need by", "supplier", "value"),
        [
            (
                day(r.order_by, zone),
                r.id,
                r.title,
                f"{r.quantity} {r.unit_of_measure}",
                _state(r),
                day(r.promised, zone),
                day(r.need_by, zone),
                r.supplier_name,
                "" if r.value is None else f"{r.value:,} {r.currency}",
            )
            for r in sorted(rows, key=lambda r: (r.order_by is None, r.order_by))
        ],
        right=(8,),
    )


def _state(r: OrderRow) -> str:
    """Give the state with what the supplier said last: that it accepted, or that some of it is on its way."""
    under_way = sum(t.shipped is not None and t.received_at is None for t in r.tranches)
    said = [f"{under_way} shipped"] if under_way else ["acknowledged"] if r.acknowledged and r.state == "placed" else []
    return ", ".join([r.state, *said])


def history(reader: Snapshot, order: str) -> Answer:
    """Give everything recorded of an order and its deliveries."""
    rows = order_history(reader, order)
    zone = site_of(reader).time_zone

    def shown() -> None:
        if not rows:
            say(f"nothing was recorded of {order} yet")
            return
        cells = [
            (h.seq, minute(h.at, zone), h.person, h.subject.removeprefix(order) or "the order", h.said) for h in rows
        ]
        table(("event", "when", "who", "delivery", "what"), cells, right=(0,))

    return rows, shown


def budget(reader: Snapshot, folder: Path) -> Answer:
    """Give the money by budget line, and the design's estimate where a line bears the name of one of its categories."""
    rows = budget_lines(reader)
    estimates = _estimates(folder) if rows else {}
    document = [
        row._asdict() | {"estimate_usd": estimates.get(row.budget_line.casefold()), "over_usd": None} for row in rows
    ]
    for row, said in zip(rows, document, strict=True):
        if said["estimate_usd"] is not None and row.currency == ESTIMATED_IN:
            said["over_usd"] = row.committed - said["estimate_usd"]

    def shown() -> None:
        if not rows:
            say("no order is placed; `clusterwright orders` lists what to place")
            return
        table(
            ("budget line", "", "orders", "committed", "received", "open", "estimate USD", "over it"),
            [
                (
                    d["budget_line"] or "no budget line",
                    d["currency"] or "no value",
                    f"{d['orders']}" + (f", {d['unpriced']} without a value" if d["unpriced"] else ""),
                    *(f"{d[name]:,}" for name in ("committed", "received", "open")),
                    *("" if d[name] is None else f"{d[name]:,}" for name in ("estimate_usd", "over_usd")),
                )
                for d in document
            ],
            right=(3, 4, 5, 6, 7),
        )

    return document, shown


def _estimates(folder: Path) -> dict[str, Decimal]:
    """Give the design's capital cost by category, as whole dollars; none where the design does not work out."""
    from steps.catalog.loader import read_roles
    from steps.design.design import design_of
    from steps.design.dossier import dossier_of
    from steps.design.site import read_site
    from steps.errors import ClusterwrightError

    try:
        site = read_site(folder, {slug: str(role["title"]) for slug, role in read_roles(folder).items()})
        money = dossier_of(design_of(site, folder)).economics
    except ClusterwrightError:
        return {}
    return {name.casefold(): Decimal(round(usd)) for name, usd in money.capex_by_category.items() if usd}
