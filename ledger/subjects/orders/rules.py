"""Orders and deliveries: their state, whether they are late, and what may be recorded about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from ledger.rules.readiness import refuse_waiting
from ledger.rules.rows import ChangeRow, OrderRow, TrancheRow, Unmet
from ledger.rules.subjects import order_of
from ledger.rules.times import refuse_past_day
from ledger.subjects.orders.manifest_rules import Received
from schedule.errors import InputError, NotSatisfiedError
from schedule.meant import meant
from steps.amount import counted
from steps.stamps import days_between, local_day, minute
from steps.value import trimmed


def unknown_order(name: str, known: Sequence[str], what: str = "order") -> InputError:
    """Return the error for an unknown order or delivery. It names similar ones."""
    hint = meant(name, known, "`clusterwright orders` lists them", most=3, alike=0.4)
    return InputError(f"there is no {what} {name!r}", hint=hint)


def order_state(placed_at: datetime | None, tranches: Sequence[TrancheRow]) -> str:
    """Return planned, placed, part received or received."""
    if tranches and all(t.received_at for t in tranches):
        return "received"
    if any(t.received_quantity for t in tranches):
        return "part received"
    return "placed" if placed_at else "planned"


def is_order_late(
    now: datetime,
    order_by: datetime | None,
    placed_at: datetime | None,
    tranches: Sequence[TrancheRow],
    zone: str,
) -> bool:
    """Return whether an order is late: it was not placed by its order-by date, or a delivery comes after its need-by date."""
    if placed_at is None:
        return order_by is not None and order_by < now
    return any(_comes_late(t, now, zone) for t in tranches if t.received_at is None)


def _comes_late(t: TrancheRow, now: datetime, zone: str) -> bool:
    is_over = t.need_by is not None and t.need_by < now
    return is_over or delivery_days_late(t, now, zone) > 0


def delivery_days_late(t: TrancheRow, now: datetime, zone: str) -> int:
    """Return how many days after its need-by date a delivery comes: as promised, and not before today. 0 once it is here."""
    if t.need_by is None or t.received_at is not None:
        return 0
    needed = local_day(t.need_by, zone)
    comes = max(t.promised or needed, local_day(now, zone))
    return max(0, (comes - needed).days)


def latest_delivery(tranches: Sequence[TrancheRow], now: datetime, zone: str) -> TrancheRow | None:
    """Return the delivery that comes most days after its need-by date. None where none is late."""
    latest = max(tranches, key=lambda t: delivery_days_late(t, now, zone), default=None)
    return latest if latest is not None and delivery_days_late(latest, now, zone) else None


def days_overdue(t: TrancheRow, now: datetime, zone: str) -> int:
    """Return how many days ago a delivery was promised of which something is still to come. 0 for any other."""
    if t.promised is None or t.received_at is not None or t.received_quantity >= t.ordered:
        return 0
    return max(0, (local_day(now, zone) - t.promised).days)


def order_days_late(order: OrderRow, now: datetime) -> int:
    """Return how many days late an order is: after its order-by date until it is placed, then its latest delivery's."""
    if order.placed_at is None:
        if order.order_by is None:
            return 0
        return max(0, days_between(order.order_by, now, order.time_zone))
    latest = order.late_delivery
    return delivery_days_late(latest, now, order.time_zone) if latest else 0


def refuse_unready(
    order: OrderRow,
    waits: Sequence[Unmet],
    now: datetime,
    *,
    lapsed: bool,
) -> None:
    """Raise for an order that is placed already, or that waits for something.

    `lapsed` is true if the approval of a hold point directly before it has expired.
    """
    if order.placed_at is not None:
        raise NotSatisfiedError(
            f"{order.id} was placed on {local_day(order.placed_at, order.time_zone)}",
            hint="`clusterwright promise` records another delivery date, `change request` another value",
        )
    if is_unready(order, now, lapsed=lapsed):
        option = "; if it was placed all the same, add --out-of-sequence WHY"
        refuse_waiting(order.id, order.title, "be placed", waits, otherwise=option)


def is_unready(order: OrderRow, now: datetime, *, lapsed: bool) -> bool:
    """Return whether an order still waits for something before it."""
    return order.ready_from is None or order.ready_from > now or lapsed


def refuse_unplaced(order: OrderRow) -> None:
    """Raise for an order that is not placed."""
    if order.placed_at is None:
        raise NotSatisfiedError(
            f"{order.id} is not placed yet; nobody promised anything", hint=f"clusterwright order '{order.id}'"
        )


def refuse_ahead(day: date, what: str, latest: date) -> None:
    """Raise if something is said to have happened on a day after `latest`. `what` is the participle, for example shipped."""
    if day > latest:
        raise InputError(f"it cannot have been {what} on {day}: that day has not come")


def refuse_past_promise(subject: str, day: date, today: date) -> None:
    """Raise for a promise of a day that was over when it was made. `today` is that day at the site."""
    refuse_past_day(
        day,
        today,
        f"nobody can promise {subject} for it",
        f"ask the supplier for another day; if it came, `clusterwright receive '{subject}' --at {day}`; "
        "if the promise is older, say when it was made: --at DAY --late-because WHY",
    )


def refuse_promise_of_received(subject: str, tranches: Sequence[TrancheRow]) -> None:
    """Raise for a promise of what is here. `tranches` are the deliveries that are promised."""
    if tranches and all(t.to_come <= 0 for t in tranches):
        raise NotSatisfiedError(
            f"{subject} is received in full; there is nothing more to promise",
            hint=f"if the receipt is wrong: `clusterwright log '{tranches[0].id}'` has its number, `clusterwright correct` with this number takes it back",
        )


def refuse_before_order(order: OrderRow, day: date, what: str) -> None:
    """Raise if a supplier is said to have done something on a day before the order was placed. `what` is the participle."""
    placed = order.placed_at and local_day(order.placed_at, order.time_zone)
    if placed is not None and day < placed:
        raise InputError(
            f"{order.id} was placed on {placed}; it cannot have been {what} on {day}",
            hint=f"look at the day; if the order is older: `clusterwright log '{order.id}'` has the number N of the entry, "
            "`clusterwright correct` with its number takes it back, and `order --at DAY` places it anew",
        )


def refuse_unreceivable(order: OrderRow, tranche: TrancheRow, now: datetime) -> None:
    """Raise for a delivery of which nothing can be received: its order is not placed, or nothing is outstanding."""
    if order.placed_at is None:
        raise NotSatisfiedError(
            f"{order.id} is not placed; nothing can arrive", hint=f"clusterwright order '{order.id}'"
        )
    if now < order.placed_at:
        raise InputError(f"{order.id} was placed only at {minute(order.placed_at, order.time_zone)}")
    refuse_nothing_to_come(order, tranche)


def refuse_surplus(tranche: TrancheRow, came: Decimal) -> None:
    """Raise if more came than is outstanding. Keeping the surplus is a decision, which a change order records."""
    left = tranche.to_come
    if not 0 < came <= left:
        hint = _surplus_hint(tranche.id) if came > left else ""
        raise InputError(f"{tranche.id}: {trimmed(left)} outstanding, so not {trimmed(came)}", hint=hint)


def refuse_nothing_to_come(order: OrderRow, tranche: TrancheRow) -> None:
    """Raise if all of a delivery that was ordered is here."""
    if tranche.to_come > 0:
        return
    said = f"{tranche.id} is received in full already"
    if tranche.unordered:
        planned = counted(tranche.quantity, order.unit_of_measure)
        said = f"all of {tranche.id} that was ordered is here; the plan has {planned}"
    raise NotSatisfiedError(said, hint=_surplus_hint(tranche.id))


def refuse_fraction(order: OrderRow, amount: Decimal) -> None:
    """Raise for a part of a piece. What is ordered by length or power, as busway, may be any amount."""
    is_counted = order.serialised or order.unit_of_measure == "each"
    if is_counted and amount % 1:
        raise InputError(f"{order.id} is counted in whole pieces, so not {trimmed(amount)}")


def _surplus_hint(tranche: str) -> str:
    return f"send it back, or keep it by decision: clusterwright change request '{tranche}' --quantity N --reason WHY"


def refuse_serials(tranche: str, came: Decimal, serials: Sequence[str], received: Received) -> None:
    """Raise if serial numbers are there twice, too many, or were received before."""
    if not serials:
        return
    folded = {serial.casefold(): serial for serial in serials}
    if len(folded) != len(serials):
        raise InputError(f"{tranche}: a serial number is there twice")
    if len(serials) > came:
        raise InputError(f"{tranche}: {len(serials)} serial numbers for {came} received")
    again = [f"{serial} (in {received[key][1]})" for key, serial in folded.items() if key in received]
    if again:
        raise InputError(f"{tranche}: received already: {', '.join(again[:20])}")


def refuse_unscanned(
    order: OrderRow,
    tranche: str,
    came: Decimal,
    serials: Sequence[str],
    why: str,
) -> None:
    """Raise for pieces that have serial numbers and come without them, unless somebody says why."""
    if not order.serialised or why.strip() or len(serials) == came:
        return
    raise InputError(
        f"{tranche}: {order.title} have serial numbers; {came} came with {len(serials)} of them",
        hint=f"clusterwright receive '{tranche}' --manifest FILE --scanned FILE, or --serials FILE, or --unscanned WHY",
    )


def refuse_too_few(tranche: TrancheRow, wanted: Decimal) -> None:
    """Raise if the wanted quantity is less than was received already, or zero while the plan has the delivery."""
    if wanted <= 0 and tranche.in_plan:
        taken_back = "`clusterwright correct` takes an order back that was cancelled, and it can be placed again"
        raise InputError(
            f"{tranche.id} cannot be for {wanted}", hint=f"what is not bought is taken out of the plan; {taken_back}"
        )
    if wanted < tranche.received_quantity:
        raise NotSatisfiedError(f"{tranche.received_quantity} of {tranche.id} are here; it cannot be for {wanted}")


def refuse_second_change(order: str, changes: Sequence[ChangeRow]) -> None:
    """Raise while another change of an order, or of one of its deliveries, waits for a decision."""
    for change in changes:
        if change.state == "open" and order_of(change.subject) == order:
            raise NotSatisfiedError(f"{change.id} of {change.subject} waits for a decision", hint="decide it first")


def refuse_decided(change: ChangeRow) -> None:
    """Raise if a change order was decided already."""
    if change.state != "open":
        raise NotSatisfiedError(f"{change.id} was {change.state} by {change.decided_by}")
