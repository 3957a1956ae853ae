"""Everything about one order as lines: what is bought, what comes before and after it, its deliveries, changes and history."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import NamedTuple

from ledger.questions.links import predecessors, successors
from ledger.questions.orders import changes, order_history, require_order, serials
from ledger.questions.snapshot import Snapshot
from ledger.questions.supplies import Supply, supplies_of, units_words
from ledger.rules.rows import LinkRow, OrderRow
from steps.amount import counted
from steps.stamps import local_day, minute


class PageLine(NamedTuple):
    """A line about an order. `section` says about what. `subject` is what Enter goes to, empty where there is nothing to go to.

    `is_bad` marks what is late or open against it.
    """

    section: str
    name: str
    said: str
    subject: str = ""
    is_bad: bool = False


def order_page(snapshot: Snapshot, name: str) -> list[PageLine]:
    """Return the lines about an order. Raise InputError for an unknown id."""
    row = require_order(snapshot, name)
    found = supplies_of(snapshot, row)
    lines = list(_facts(row, found[0]))
    for delivery in found[1:]:
        lines += _delivery(snapshot, delivery, row.time_zone)
    lines += _waits_for(snapshot, row)
    lines += _releases(snapshot, row, found)
    lines += _changes(snapshot, row)
    lines += _history(snapshot, row)
    return lines


def _facts(row: OrderRow, supply: Supply) -> Iterator[PageLine]:
    zone = row.time_zone
    late = f", {row.late_words}" if row.late_words else ""
    yield PageLine("order", "state", f"{row.state}{late}", is_bad=bool(row.days_late))
    yield PageLine("order", "what", f"{row.title}: {counted(row.quantity, row.unit_of_measure)}")
    yield PageLine("order", "activity", f"{row.step}@{row.unit}", f"{row.step}@{row.unit}")
    if row.early_because:
        yield PageLine("order", "out of sequence", row.early_because, is_bad=True)
    yield PageLine("order", "supplier", f"{supply.supplier} {row.reference}".strip())
    is_overdue = supply.order_by is not None and supply.days_late > 0
    yield PageLine("order", "order by", _day(row.order_by, zone), is_bad=is_overdue)
    yield PageLine("order", "placed", _day(row.placed_at, zone) or "not placed")
    acknowledged = f"{row.acknowledged} as {row.acknowledgement}" if row.acknowledged else "not acknowledged"
    yield PageLine("order", "acknowledged", acknowledged)
    yield PageLine("order", "need by", _day(row.need_by, zone))
    yield PageLine("order", "promised", _day(row.promised, zone) or "no promise")
    yield PageLine("order", "lead time", f"{row.lead_m_h / 168:.1f} weeks, most likely")
    if row.float_h is not None:
        yield PageLine("order", "float", "critical" if row.critical else f"{row.float_h / 24:.0f} days", "")
    value = "no value is recorded" if row.value is None else f"{row.value:,} {row.currency}"
    yield PageLine("order", "value", value + (f" on {row.budget_line}" if row.budget_line else ""))
    if row.expedite_cost:
        yield PageLine("order", "expediting", f"{row.expedite_cost:,} {row.currency}")
    if row.organisation:
        yield PageLine("order", "organisation", row.organisation)


def _delivery(snapshot: Snapshot, supply: Supply, zone: str) -> Iterator[PageLine]:
    one = supply.delivery
    assert one is not None
    late = f", {supply.days_late} days late" if supply.days_late else ""
    said = f"{supply.state}{late}: {supply.quantity}, need by {_day(one.need_by, zone)}"
    promised = f", promised {supply.promised}" if supply.promised else ""
    units = f", for {units_words(one.units)}" if one.units else ""
    yield PageLine("delivery", one.id, f"{said}{promised}{units}", one.id, bool(supply.days_late))
    if one.shipped:
        by = " ".join(filter(None, (one.carrier, one.tracking)))
        handling = f"; {one.handling}" if one.handling else ""
        yield PageLine("delivery", f"  {one.number} shipped", f"{one.shipped} by {by}{handling}", one.id)
    if one.received_at:
        yield PageLine("delivery", f"  {one.number} received", _day(one.received_at, zone), one.id)
    numbers = serials(snapshot, one.id)
    if numbers:
        more = f" and {len(numbers) - 3} more" if len(numbers) > 3 else ""
        yield PageLine("delivery", f"  {one.number} serials", f"{', '.join(numbers[:3])}{more}", one.id)


def _waits_for(snapshot: Snapshot, row: OrderRow) -> Iterator[PageLine]:
    for link in predecessors(snapshot, row.id):
        yield PageLine("comes after", link.before, _link(link), link.before)


def _releases(snapshot: Snapshot, row: OrderRow, found: list[Supply]) -> Iterator[PageLine]:
    own = [row.id, *(supply.id for supply in found[1:])]
    for name in own:
        for link in successors(snapshot, name):
            if link.after not in own:
                yield PageLine("waits for it", link.after, _link(link), link.after)


def _changes(snapshot: Snapshot, row: OrderRow) -> Iterator[PageLine]:
    for one in changes(snapshot, row.id):
        asked = [f"quantity {one.quantity}" if one.quantity is not None else ""]
        asked += [f"value {one.value:,} {one.currency}".rstrip() if one.value is not None else ""]
        by = f"asked by {one.asked_by}" + (f", {one.state} by {one.decided_by}" if one.decided_by else "")
        said = f"{one.state}: {', '.join(filter(None, asked))}; {one.reason}; {by}"
        yield PageLine("change", one.id, said, is_bad=one.state == "open")


def _history(snapshot: Snapshot, row: OrderRow) -> Iterator[PageLine]:
    for one in reversed(order_history(snapshot, row.id)):
        about = "" if one.subject == row.id else f" ({one.subject.removeprefix(row.id)[1:]})"
        yield PageLine("history", minute(one.at, row.time_zone), f"{one.person}{about}: {one.said}  [event {one.seq}]")


def _link(link: LinkRow) -> str:
    return f"{link.state.replace('_', ' ')}: {link.title} ({link.reason})"


def _day(when: datetime | date | None, zone: str) -> str:
    if isinstance(when, datetime):
        when = local_day(when, zone)
    return "" if when is None else str(when)
