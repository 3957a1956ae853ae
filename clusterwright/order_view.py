"""One order or one delivery whole, for eyes and as JSON."""

from collections.abc import Iterator

from clusterwright.activity_view import waits_lines
from clusterwright.order_words import late_cell, price
from clusterwright.output import Document, day, print_lines
from ledger.evidence.plans import read_frame
from ledger.questions.order_history import HistoryRow
from ledger.questions.order_timing import TimedOrder, timed_orders
from ledger.questions.orders import changes, order_history, order_named
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import why
from ledger.rules.rows import ChangeRow, OrderRow, TrancheRow
from ledger.rules.subjects import is_delivery
from steps.amount import counted
from steps.stamps import minute


def order_document(snapshot: Snapshot, name: str) -> Document:
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


def print_order(document: Document, snapshot: Snapshot, name: str) -> None:
    """Print an order's page from its document."""
    zone = site_of(snapshot).time_zone
    order, answer = document["order"], document["why"]
    delivery = f", delivery {order.tranches[0].number}" if is_delivery(name) else ""
    lines = [
        f"{name}  {order.title}{delivery}",
        *_about(order, document["timing"], zone),
        answer.state_sentence,
        *waits_lines(answer, zone),
        *(_delivery(one, order, zone) for one in order.tranches),
        *(_change(one) for one in document["changes"]),
        *(_event(one, zone) for one in document["history"]),
    ]
    print_lines(lines)


def _about(order: OrderRow, timing: TimedOrder, zone: str) -> Iterator[str]:
    said = [
        counted(order.quantity, order.unit_of_measure),
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
        "need by": day(order.late_delivery.need_by if order.late_delivery else order.need_by, zone),
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
        f"need by {day(one.need_by, zone)}" if one.need_by else "",
        f"promised {one.promised}" if one.promised else "",
        f"shipped {one.shipped} {one.carrier} {one.tracking}".rstrip() if one.shipped else "",
        f"complete on {day(one.received_at, zone)}" if one.received_at else "",
    ]
    return f"delivery {one.id}: {', '.join(filter(None, (came, *said)))}"


def _change(one: ChangeRow) -> str:
    return f"change {one.id}: {one.state}, asked by {one.asked_by}: {one.reason}"


def _event(one: HistoryRow, zone: str) -> str:
    return f"{minute(one.at, zone)} {one.person}: {one.said}"
