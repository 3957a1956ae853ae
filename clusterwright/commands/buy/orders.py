"""List orders: by when to place each, and what has come.

--budget lists the money by budget line beside the design's estimate, --history everything recorded of one order.

Example:
    clusterwright orders
    clusterwright orders --budget
    clusterwright orders --history '001@site#gpu-server'

"""

from decimal import Decimal
from pathlib import Path
from typing import Annotated

from typer import Option

from clusterwright.commands.asking import AskingPast
from clusterwright.output import Cells, Document, day, in_line, minute, table
from ledger.questions import orders as questions
from ledger.questions.forecast_words import go_live_lines
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.order_history import HistoryRow
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import OrderRow
from steps.amount import counted
from steps.errors import ClusterwrightError

ESTIMATED_IN = "USD"
"""The currency of the design's figures."""


def orders(
    ask: AskingPast,
    budget: Annotated[bool, Option("--budget", help="What is committed, received and open by budget line.")] = False,
    history: Annotated[str | None, Option(help="Everything recorded of one order.", metavar="ORDER")] = None,
    organisation: Annotated[str | None, Option(help="Only this supplier's or contractor's.")] = None,
) -> None:
    with ask.record() as snapshot:
        zone = site_of(snapshot).time_zone
        if history is not None:
            _history(ask, snapshot, history, zone)
        elif budget:
            lines = _budget(snapshot)
            ask.answer(snapshot, lines, lambda: _print_budget(lines))
        else:
            rows = questions.orders(snapshot, organisation=organisation)
            rows_by_date = sorted(rows, key=lambda r: (r.order_by is None, r.order_by))
            ask.table(
                snapshot,
                rows_by_date,
                ("order by", "order", "what", "quantity", "state", "promised", "need by", "supplier", "value"),
                lambda row: _cells(row, zone),
                document=lambda: rows,
                right=(8,),
                empty="no such order",
            )
            if not ask.as_json:
                for line in go_live_lines(snapshot, kept_forecast(snapshot)):
                    print(in_line(line))


def _cells(r: OrderRow, zone: str) -> Cells:
    return (
        day(r.order_by, zone),
        r.id,
        r.title,
        counted(r.quantity, r.unit_of_measure),
        _state(r),
        day(r.promised_last, zone),
        day(r.latest.need_by if r.latest else r.need_by, zone),
        r.supplier_name,
        "" if r.value is None else f"{r.value:,} {r.currency}",
    )


def _state(r: OrderRow) -> str:
    """Return the state with what the supplier said last: that it accepted, or that some of it is on its way; and how late it is."""
    under_way = sum(t.shipped is not None and t.received_at is None for t in r.tranches)
    said = f"{under_way} shipped" if under_way else ""
    if not under_way and r.acknowledged and r.state == "placed":
        said = "acknowledged"
    return ", ".join(filter(None, (r.state, said, r.late_words)))


def _history(ask: AskingPast, snapshot: Snapshot, order: str, zone: str) -> None:
    def cells(h: HistoryRow) -> Cells:
        delivery = h.subject.removeprefix(order) or "the order"
        return h.seq, minute(h.at, zone), h.person, delivery, h.said

    rows = questions.order_history(snapshot, order)
    headers, empty = ("event", "when", "who", "delivery", "what"), f"nothing was recorded of {order} yet"
    ask.table(snapshot, rows, headers, cells, right=(0,), empty=empty)


def _budget(snapshot: Snapshot) -> list[Document]:
    """Return the money by budget line, with the design's estimate where a line has the name of one of its categories."""
    rows = questions.budget(snapshot)
    estimates = _estimates(snapshot.site_dir) if rows else {}
    document = []
    for row in rows:
        estimate = estimates.get(row.budget_line.casefold())
        in_its_currency = estimate if row.currency == ESTIMATED_IN else None
        over = None if in_its_currency is None else row.committed - in_its_currency
        document.append(row._asdict() | {"estimate_usd": estimate, "over_usd": over})
    return document


def _print_budget(lines: list[Document]) -> None:
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
            for d in lines
        ],
        right=(3, 4, 5, 6, 7),
        empty="no order is placed; `clusterwright orders` lists what to place",
    )


def _estimates(folder: Path) -> dict[str, Decimal]:
    """Return the design's capital cost by category in whole dollars; none where the design does not work out."""
    from clusterwright.planning import site_at  # the calculators are slow to import, and --budget alone needs them
    from steps.design.design import design_of
    from steps.design.dossier import dossier_of

    try:
        money = dossier_of(design_of(site_at(folder), folder)).economics
    except ClusterwrightError:
        return {}
    by_category = money.capex_by_category.items()
    return {name.casefold(): Decimal(round(usd)) for name, usd in by_category if usd}
