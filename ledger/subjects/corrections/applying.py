"""Entries that can be taken back are noted before they are applied, with what they replace. A correction puts that back."""

from __future__ import annotations

from decimal import Decimal

from msgspec.json import decode, encode

from ledger.log.chain import Event
from ledger.log.payload import Payload
from ledger.rules.activity import Activity, State
from ledger.rules.subjects import is_delivery, is_supply, order_of
from ledger.rules.version import WHO_AND_WHEN
from ledger.state.hands import free_named
from ledger.state.projection import Handler, Handlers, Projection, Row, Shape, stored
from ledger.subjects.checklists.applying import PASSED
from ledger.subjects.checklists.payloads import ItemsChecked
from ledger.subjects.corrections.payloads import EntryTakenBack
from ledger.subjects.later_words import note_word, said
from ledger.subjects.orders.payloads import (
    OrderAcknowledged,
    OrderExpedited,
    OrderPlaced,
    OrderPromised,
    TrancheReceived,
    TrancheShipped,
)
from ledger.subjects.work.payloads import Attached, Commented, Finished, MeasurementRecorded, Progressed, Started
from steps.stamps import stamp

ENTRY: Shape = ("entry", ("seq", "kind", "subject", "attempt", "person", "at", "said", "before"))
"""What is noted of an entry."""

_ENTRY = "SELECT kind, before FROM entry WHERE seq = :seq"
_CAME = "SELECT id, received_quantity FROM tranche WHERE order_line = :order ORDER BY id <> :id, number DESC"
_FIRST = "SELECT id, promised FROM tranche WHERE order_line = :order ORDER BY number LIMIT 1"

REPLACED: dict[type[Payload], tuple[str, ...]] = {
    Progressed: ("items_done", "percent", "last_note"),
    Finished: ("performers", "items_done", "early_because"),
    OrderPlaced: ("promised", "currency", "value", "budget_line", "supplier_name", "reference"),
    OrderAcknowledged: ("promised", "acknowledged", "acknowledgement"),
    OrderPromised: ("promised",),
    TrancheShipped: ("shipped", "carrier", "tracking", "handling"),
}
"""By kind of entry: the columns of its subject that it replaces."""

_NOT_PLACED: Row = {"placed_at": None, "placed_by": None, "early_because": "", "ordered": None}
"""What an order has that is not placed, besides what it had before."""

WITH_ROWS = ("comment", "measurement", "evidence_item", "item_check", "delivery")
"""Tables in which an entry has rows under the number of its event."""

ENTRIES: tuple[type[Payload], ...] = (
    Started,
    Commented,
    MeasurementRecorded,
    Attached,
    ItemsChecked,
    OrderExpedited,
    TrancheReceived,
    *REPLACED,
)
"""Every kind of entry that can be taken back."""


def note_entry(p: Projection, event: Event, payload: Payload) -> None:
    """Note an entry, before it is applied."""
    subject = event.subject
    attempt = 0 if is_supply(subject) else p.activity(subject).attempt
    before = _before(p, event, payload)
    replaced = encode(before).decode() if before else "{}"
    at = stamp(event.effective_at)
    note_word(p, subject, at)
    row = (
        event.seq,
        event.kind,
        subject,
        attempt,
        event.actor,
        at,
        stored(said(payload)),
        replaced,
    )
    p.add_stored(ENTRY, row)


def _before(p: Projection, event: Event, payload: Payload) -> Row:
    columns = REPLACED.get(type(payload), ())
    if isinstance(payload, OrderExpedited):
        return {"cost": str(payload.cost)}
    if isinstance(payload, TrancheReceived):
        return {"quantity": str(payload.quantity)}
    if not columns:
        return {}
    if is_supply(event.subject):
        names = ", ".join(columns)
        ((*values,),) = p.ask(f"SELECT {names} FROM {_table(event.subject)} WHERE id = :id", id=event.subject)  # noqa: S608  our names
        return dict(zip(columns, values, strict=True))
    row = p.activity(event.subject)
    return {name: getattr(row, name) for name in columns}


def take_back(p: Projection, event: Event, payload: EntryTakenBack) -> None:
    """Put back what an entry replaced, and note who took it back."""
    ((_, text),) = p.ask(_ENTRY, seq=payload.entry)
    before: Row = decode(text)
    for name in WITH_ROWS:
        p.run(f"DELETE FROM {name} WHERE seq = :seq", seq=payload.entry)  # noqa: S608  our names
    if is_supply(event.subject):
        _put_back_supply(p, event.subject, payload.what, before)
    else:
        _put_back(p, p.activity(event.subject), payload, before)
    p.touch(event.subject)
    p.run("UPDATE entry SET taken_back = :by WHERE seq = :seq", by=event.seq, seq=payload.entry)
    p.record(
        "correction",
        event,
        payload,
        kind=payload.what,
        subject=event.subject,
        entered_by=payload.by,
    )


def _put_back(p: Projection, row: Activity, payload: EntryTakenBack, before: Row) -> None:
    counted = {"activity": row.id, "attempt": row.attempt}
    passed = p.ids(PASSED, **counted)[0]
    match payload.what:
        case Started.kind:
            p.change(row, started_at=None, performers=(), early_because="")
        case Finished.kind:
            if p.rules >= WHO_AND_WHEN:
                free_named(p, row, set(row.performers).difference(before["performers"]))
            p.change(row, finished_at=None, performers=tuple(before["performers"]))
            p.change(row, items_done=before["items_done"], early_because=before["early_because"])
        case Progressed.kind:
            p.change(row, percent=before["percent"], last_note=before["last_note"])
            p.change(row, items_done=before["items_done"] if passed is None else passed)
        case ItemsChecked.kind:
            p.change(row, items_done=passed)
    if payload.result is not None:
        p.change(row, state=State(payload.result))


def _put_back_supply(p: Projection, subject: str, kind: str, before: Row) -> None:
    if kind == OrderExpedited.kind:
        order, cost = subject.partition("/")[0], before["cost"]
        ((spent,),) = p.ask("SELECT expedite_cost FROM order_line WHERE id = :id", id=order)
        p.update("order_line", order, expedite_cost=Decimal(spent) - Decimal(cost))
        return
    if kind == TrancheReceived.kind:
        _take_out(p, subject, Decimal(before["quantity"]))
        return
    if "promised" in before and not is_delivery(subject):
        _put_back_promise(p, subject, before["promised"])
    gone = _NOT_PLACED if kind == OrderPlaced.kind else {}
    p.update(_table(subject), subject, **(before | gone))


def _take_out(p: Projection, delivery: str, quantity: Decimal) -> None:
    """Take what did not come out of a delivery; what a later plan moved out of it, out of the order's others, the last one first."""
    for name, came in p.ask(_CAME, id=delivery, order=order_of(delivery)):
        out = min(quantity, Decimal(came))
        if out:
            p.update("tranche", name, received_quantity=Decimal(came) - out, received_at=None)
            p.touch(name)
        quantity -= out


def _put_back_promise(p: Projection, order: str, promised: str | None) -> None:
    """Put back the date of the first delivery, if it is still the one that the order had."""
    ((now,),) = p.ask("SELECT promised FROM order_line WHERE id = :id", id=order)
    for first, date in p.ask(_FIRST, order=order):
        if date == now:
            p.update("tranche", first, promised=promised)


def _table(subject: str) -> str:
    return "tranche" if is_delivery(subject) else "order_line"


FIRST: dict[type[Payload], Handler] = dict.fromkeys(ENTRIES, note_entry)
"""What is applied before the handlers of the other modules."""

HANDLERS: Handlers = {EntryTakenBack: take_back}
