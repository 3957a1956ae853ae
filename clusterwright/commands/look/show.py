"""Show one activity, order or delivery whole.

Of an activity that is its state, policy, criteria, checklist, evidence, sign-offs, orders, runs and links. A step that is done once at
the site may be named by its number: 195 is 195@site. Of an order or a delivery it is its dates, its value, what it waits for, and
everything recorded of it.

Example:
    clusterwright show 034@pod-001
    clusterwright show 195
    clusterwright show '001@site#gpu-server'
    clusterwright show '001@site#gpu-server/1'

"""

from collections.abc import Iterator
from typing import Annotated

from typer import Argument

from clusterwright.activity_view import activity_document, print_activity
from clusterwright.commands.asking import AskingPast
from clusterwright.commands.look.why import with_need_of_run
from clusterwright.order_words import late_cell, price
from clusterwright.output import Document, day, print_lines
from ledger.evidence.plans import read_frame
from ledger.questions.case import require_activity
from ledger.questions.meant import activity_named
from ledger.questions.order_timing import TimedOrder, timed_orders
from ledger.questions.orders import changes, order_history, order_named
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import why
from ledger.rules.rows import OrderRow, TrancheRow
from ledger.rules.subjects import is_delivery, is_supply
from steps.amount import counted
from steps.stamps import minute


def show(
    ask: AskingPast,
    name: Annotated[
        str, Argument(metavar="ACTIVITY|ORDER", help="Its id, as 034@pod-001; of an order, of a delivery, or a step.")
    ],
) -> None:
    with ask.record() as snapshot:
        if is_supply(name):
            found = _order_document(snapshot, name)
            ask.answer(snapshot, found, lambda: _print_order(found, snapshot, name))
            return
        row = require_activity(snapshot, activity_named(snapshot, name))
        document = activity_document(snapshot, row)
        document["why"] = with_need_of_run(snapshot, document["why"])
        ask.answer(snapshot, document, lambda: print_activity(document, snapshot, row))


def _order_document(snapshot: Snapshot, name: str) -> Document:
    """Return everything the ledger knows of an order, or of the one delivery of it that `name` is."""
    order = order_named(snapshot, name)
    if is_delivery(name):
        order = order._replace(tranches=tuple(one for one in order.tranches if one.id == name))
    return {
        "order": order,
        "timing": timed_orders([order], read_frame(snapshot), snapshot.now).by_id[order.id],
        "why": why(snapshot, name),
        "changes": [one for one in changes(snapshot) if one.subject in {name, order.id}],
        "history": order_history(snapshot, name),
    }


def _print_order(document: Document, snapshot: Snapshot, name: str) -> None:
    """Print an order's page from its document."""
    zone = site_of(snapshot).time_zone
    order, answer = document["order"], document["why"]
    delivery = f", delivery {order.tranches[0].number}" if is_delivery(name) else ""
    lines = [
        f"{name}  {order.title}{delivery}",
        *_about(order, document["timing"], zone),
        answer.state_sentence,
        *answer.lines(zone),
        *(_delivery(one, order, zone) for one in order.tranches),
        *(f"change {one.id}: {one.state}, asked by {one.asked_by}: {one.reason}" for one in document["changes"]),
        *(f"{minute(one.at, zone)} {one.person}: {one.said}" for one in document["history"]),
    ]
    print_lines(lines)


def _about(order: OrderRow, timing: TimedOrder, zone: str) -> Iterator[str]:
    said = [
        order.size,
        order.state,
        order.late_words,
        order.supplier_name,
        order.reference,
    ]
    yield " · ".join(filter(None, said))
    dates = {
        "order from": day(timing.order_from, zone),
        "order by": day(order.order_by, zone),
        "promised": day(order.promised_last, zone),
        "need by": day(order.need_by, zone),
    }
    yield ", ".join(f"{name} {date}" for name, date in dates.items() if date)
    if late := late_cell(timing.late_days_p80):
        yield f"late with the P80 lead time: {late}; what may help: {', '.join(timing.in_time_with)}"
    if order.value is not None:
        line = f", budget line {order.budget_line}" if order.budget_line else ""
        yield f"value {order.value:,} {order.currency}{line}"
    elif timing.order_from is not None:
        yield f"value {price(timing.price_usd, about='about ')}"


def _delivery(one: TrancheRow, order: OrderRow, zone: str) -> str:
    whole = counted(one.quantity, order.unit_of_measure)
    came = f"{one.received_quantity.normalize():,f} of {whole} received" if one.received_quantity else whole
    said = [
        f"{one.ordered.normalize():,f} ordered" if one.ordered != one.quantity else "",
        "" if one.in_plan else "not in the plan any more",
        f"need by {day(one.need_by, zone)}" if one.need_by else "",
        f"promised {one.promised}" if one.promised else "",
        f"shipped {one.shipped} {one.carrier} {one.tracking}".rstrip() if one.shipped else "",
        f"complete on {day(one.received_at, zone)}" if one.received_at and one.quantity else "",
    ]
    return f"delivery {one.id}: {', '.join(filter(None, (came, *said)))}"
