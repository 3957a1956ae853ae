"""List orders: between which days to place each, what coming early costs, and what has come.

Late orders come first, the latest at the top; then what is to be placed or to come, by its order-by date; then what has come.
An order placed on its `order by` date is in time in 80 of 100 cases. Where that date is before `order from`, the order is late by the
days of `late at P80`, and the lines below the table say what may help. --json also has the latest date, with the most likely lead time.

--budget lists the money by budget line beside the design's estimate, --history everything recorded of one order.

Example:
    clusterwright orders
    clusterwright orders --late
    clusterwright orders --csv
    clusterwright orders --budget
    clusterwright orders --history '001@site#gpu-server'

"""

import sys
from collections.abc import Iterator
from operator import attrgetter
from typing import Annotated

from typer import Option

from clusterwright.budget_lines import budget_lines
from clusterwright.commands.asking import AskingPast
from clusterwright.naming import known_organisation
from clusterwright.order_columns import ALL, COLUMNS, NUMBERS, OPEN, PLACED, days_late, latest_first, order_cells
from clusterwright.order_words import LateOrder, and_more, early_cost_words, late_lines
from clusterwright.output import Cells, print_lines, table
from flows.runs.releases.lapsed import lapsed_releases
from ledger.evidence.plans import read_frame
from ledger.questions import orders as questions
from ledger.questions.headlines import headlines
from ledger.questions.order_timing import TimedOrder, TimedOrders, timed_orders
from ledger.questions.orders import HistoryRow
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import OrderRow
from schedule.csv_lines import write_rows
from schedule.errors import InputError
from steps.stamps import minute

CSV_COLUMNS = (*COLUMNS, "reference", "currency", "price usd")


def orders(
    ask: AskingPast,
    budget: Annotated[bool, Option("--budget", help="What is committed, received and open by budget line.")] = False,
    history: Annotated[str | None, Option(help="Everything recorded of one order.", metavar="ORDER")] = None,
    organisation: Annotated[str | None, Option(help="Only this supplier's or contractor's.")] = None,
    late: Annotated[bool, Option("--late", help="Only what is late, or would be with a long lead time.")] = False,
    as_csv: Annotated[bool, Option("--csv", help="Print the table as CSV, with every column.")] = False,
) -> None:
    if (budget or history) and (late or as_csv):
        raise InputError("--late and --csv are of the list", hint="leave --budget and --history out")
    with ask.record() as snapshot:
        known_organisation(snapshot, organisation)
        zone = site_of(snapshot).time_zone
        if history is not None:
            _history(ask, snapshot, history, zone)
        elif budget:
            ask.table(
                snapshot,
                budget_lines(snapshot),
                ("budget line", "", "orders", "committed", "received", "open", "estimate USD", "over it"),
                attrgetter("cells"),
                right=(3, 4, 5, 6, 7),
                empty="no order is placed; `clusterwright orders` lists what to place",
            )
        else:
            rows = questions.orders(snapshot, organisation=organisation)
            timed = timed_orders(rows, read_frame(snapshot), snapshot.now)
            if late:
                rows = [row for row in rows if days_late(row, timed)]
            late_first = sorted(rows, key=lambda row: latest_first(row, timed))
            if as_csv:
                written = [_csv_cells(row, timed.by_id[row.id], zone) for row in late_first]
                write_rows(sys.stdout, [CSV_COLUMNS, *([one[name] for name in CSV_COLUMNS] for one in written)])
                return
            top = headlines(snapshot, lapsed_releases(snapshot))
            left = None if top.contingency is None else top.contingency.left
            ask.answer(
                snapshot,
                [row._asdict() | timed.by_id[row.id]._asdict() for row in rows],
                lambda: _print_orders(late_first, timed, snapshot, left),
            )
            if organisation is None and not ask.as_json:  # what is handed to a supplier has no figure of the owner's
                print_lines(top.lines)


def _print_orders(rows: list[OrderRow], timed: TimedOrders, snapshot: Snapshot, left: int | None) -> None:
    """Print what concerns orders that are to be placed, those that are, or both, where there are both."""
    zone = site_of(snapshot).time_zone
    needed = {OPEN: timed.early_cost.orders > 0, PLACED: any(row.placed_at for row in rows), ALL: True}
    columns = [name for name, orders in COLUMNS.items() if needed[orders]]
    cells = [order_cells(row, timed.by_id[row.id], zone) for row in rows]
    table(
        columns,
        [[one[name] for name in columns] for one in cells],
        right=[place for place, name in enumerate(columns) if name in NUMBERS],
        empty="no order is late" if timed.by_id else "no such order",
    )
    for line in late_lines(_late(rows, timed), snapshot.now, zone, left):
        print(line)
    cost = timed.early_cost
    if cost.orders and timed.rate is not None:
        print(early_cost_words(cost, timed.rate))


def _late(rows: list[OrderRow], timed: TimedOrders) -> Iterator[LateOrder]:
    """Yield what is late with the P80 of its lead time: of orders that each pod has for itself, the one that is latest."""
    alike: dict[tuple[str, str], list[LateOrder]] = {}
    for row in rows:
        one = timed.by_id[row.id]
        if one.late_days_p80 and one.order_from:
            late = LateOrder(row.id, one.late_days_p80, one.order_from, one.in_time_with)
            alike.setdefault((row.step, row.item), []).append(late)
    for orders in alike.values():
        worst = max(orders, key=lambda one: one.days)
        yield worst._replace(name=and_more(worst.name, len(orders)))


def _csv_cells(r: OrderRow, timed: TimedOrder, zone: str) -> dict[str, object]:
    """Return the cells of an order as a spreadsheet and `clusterwright order` read them: numbers without words."""
    return order_cells(r, timed, zone) | {
        "late at P80": None if timed.late_days_p80 is None else round(timed.late_days_p80, 2),
        "value": r.value,
        "early costs": timed.early_cost_usd,
        "reference": r.reference,
        "currency": r.currency if r.value is not None else "",
        "price usd": timed.price_usd,
    }


def _history(ask: AskingPast, snapshot: Snapshot, order: str, zone: str) -> None:
    def cells(h: HistoryRow) -> Cells:
        delivery = h.subject.removeprefix(order) or "the order"
        return h.seq, minute(h.at, zone), h.person, delivery, h.said

    rows = questions.order_history(snapshot, order)
    headers, empty = ("event", "when", "who", "delivery", "what"), f"nothing was recorded of {order} yet"
    ask.table(snapshot, rows, headers, cells, right=(0,), empty=empty)
