"""Orders and deliveries: how they are seen, what is outstanding, and what may be recorded of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

from ledger.rules.readiness import refuse_waiting
from ledger.rules.rows import ChangeRow, OrderRow, TrancheRow, Unmet
from steps.errors import InputError, NotSatisfiedError


def order_state(placed_at: datetime | None, tranches: Sequence[TrancheRow]) -> str:
    """Return planned, placed, part received or received."""
    if tranches and all(t.received_at for t in tranches):
        return "received"
    if any(t.received_quantity for t in tranches):
        return "part received"
    return "placed" if placed_at else "planned"


def is_order_late(
    now: datetime, order_by: datetime | None, placed_at: datetime | None, tranches: Sequence[TrancheRow]
) -> bool:
    """Return whether an order is not placed by its order-by date, or something outstanding is needed before it comes."""
    if placed_at is None:
        return order_by is not None and order_by < now
    return any(_comes_late(t, now) for t in tranches if t.received_at is None)


def _comes_late(t: TrancheRow, now: datetime) -> bool:
    if t.need_by is None:
        return False
    return t.need_by < now or (t.promised is not None and t.promised > t.need_by.date())


def is_delivery(subject: str) -> bool:
    """Return whether an id names a delivery of an order, as 001@site#gpu-server/2."""
    return "/" in subject.partition("#")[2]


def order_of(subject: str) -> str:
    """Return the id of the order that an order's or a delivery's id names."""
    head, mark, tail = subject.partition("#")
    return f"{head}{mark}{tail.partition('/')[0]}"


def refuse_unready(
    order: OrderRow,
    waits: Sequence[Unmet],
    now: datetime,
    *,
    lapsed: bool,
) -> None:
    """Raise for an order that is placed already, or that waits for something.

    `lapsed` says that a hold point just before it has an approval that is over.
    """
    if order.placed_at is not None:
        raise NotSatisfiedError(
            f"{order.id} was placed on {order.placed_at:%Y-%m-%d}",
            hint="`clusterwright promise` records another delivery date, `change request` another value",
        )
    if order.ready_from is None or order.ready_from > now or lapsed:
        refuse_waiting(order.id, order.title, "be placed", waits)


def refuse_unplaced(order: OrderRow) -> None:
    """Raise for an order that is not placed."""
    if order.placed_at is None:
        raise NotSatisfiedError(
            f"{order.id} is not placed yet; nobody promised anything", hint=f"clusterwright order '{order.id}'"
        )


def refuse_ahead(day: date, what: str, latest: date) -> None:
    """Raise for a day that has not come, and on which something is to have happened."""
    if day > latest:
        raise InputError(f"it cannot have been {what} on {day}: that day has not come")


def refuse_unreceivable(order: OrderRow, tranche: TrancheRow, now: datetime) -> None:
    """Raise for a delivery of which nothing can arrive."""
    if order.placed_at is None:
        raise NotSatisfiedError(
            f"{order.id} is not placed; nothing can arrive", hint=f"clusterwright order '{order.id}'"
        )
    if now < order.placed_at:
        raise InputError(f"{order.id} was placed only at {order.placed_at:%Y-%m-%d %H:%M}Z")
    if tranche.outstanding <= 0:
        raise NotSatisfiedError(f"{tranche.id} is received in full already", hint=_surplus_hint(tranche.id))


def refuse_surplus(tranche: TrancheRow, came: Decimal) -> None:
    """Raise for more than is outstanding: keeping it is a decision, and a change order records it."""
    left = tranche.outstanding
    if not 0 < came <= left:
        hint = _surplus_hint(tranche.id) if came > left else ""
        raise InputError(f"{tranche.id}: {left} outstanding, so not {came}", hint=hint)


def _surplus_hint(tranche: str) -> str:
    return f"send it back, or keep it by decision: clusterwright change request '{tranche}' --quantity N --reason WHY"


def refuse_serials(
    tranche: str, came: Decimal, serials: Sequence[str], received: Mapping[str, tuple[str, str]]
) -> None:
    """Raise for serial numbers that are there twice, too many, or received before.

    `received` are serial numbers by their folded form, each as it was written and with the delivery in which it came.
    """
    if not serials:
        return
    if len({s.casefold() for s in serials}) != len(serials):
        raise InputError(f"{tranche}: a serial number is there twice")
    if len(serials) > came:
        raise InputError(f"{tranche}: {len(serials)} serial numbers for {came} received")
    again = [f"{s} (in {received[s.casefold()][1]})" for s in serials if s.casefold() in received]
    if again:
        raise InputError(f"{tranche}: received already: {', '.join(again[:20])}")


def refuse_too_few(tranche: TrancheRow, wanted: Decimal) -> None:
    """Raise for a quantity of nothing, or of less than is here."""
    if wanted <= 0:
        raise InputError(f"{tranche.id} cannot be for {wanted}", hint="what is not bought is taken out of the plan")
    if wanted < tranche.received_quantity:
        raise NotSatisfiedError(f"{tranche.received_quantity} of {tranche.id} are here; it cannot be for {wanted}")


def refuse_second_change(order: str, changes: Sequence[ChangeRow]) -> None:
    """Raise while a change of an order, or of a delivery of it, waits for a decision."""
    for change in changes:
        if change.state == "open" and order_of(change.subject) == order:
            raise NotSatisfiedError(f"{change.id} of {change.subject} waits for a decision", hint="decide it first")


def refuse_decided(change: ChangeRow) -> None:
    """Raise for a change order that was decided already."""
    if change.state != "open":
        raise NotSatisfiedError(f"{change.id} was {change.state} by {change.decided_by}")
