"""The page of one order: what is bought and for when, its deliveries, what it waits for and what waits for it, its history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from ledger.questions.links import predecessors, successors
from ledger.questions.orders import changes, order_history, require_order, serials
from ledger.questions.snapshot import Snapshot
from ledger.questions.supplies import Supply, supplies_of, units_words
from ledger.rules.rows import OrderRow
from steps.amount import counted
from steps.stamps import minute
from tui.acting.actions import About
from tui.keyline import Shown
from tui.lists.column import Span
from tui.looks import Role, day_text, safe
from tui.screens.activity_record import link_line
from tui.screens.page import Page, PageScreen
from tui.screens.page_lines import PageLine, Target
from tui.screens.receiving import receive_by_scanner

ORDER, DELIVERIES, CHANGES, BEFORE, AFTER, HISTORY = (
    *("The order", "Deliveries", "Change orders", "Comes after", "Waits for it", "History"),
)


class OrderScreen(PageScreen):
    """On the line of a delivery, keys are about that delivery; else about the order."""

    TITLE = "Order"
    ABOUT: ClassVar[About] = "order"
    OWN_KEYS: ClassVar[tuple[Shown, ...]] = (("y", "Scan", "receive_by_scanner"),)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "receive_by_scanner", "Receive by scanner", id="order.scan"),
    ]

    def __init__(self, order: str) -> None:
        """Take the order's id."""
        super().__init__()
        self.order = order

    def ask(self, snapshot: Snapshot) -> Page:
        """Return everything that is known of the order."""
        row = require_order(snapshot, self.order)
        supply, *deliveries = supplies_of(snapshot, row)
        lines = list(_facts(row, supply))
        for delivery in deliveries:
            lines += _delivery(snapshot, delivery)
        lines += _changes(snapshot, row)
        lines += _links(snapshot, row)
        lines += _history(snapshot, row)
        return Page(_head(row, supply), lines)

    @property
    def about(self) -> About:
        """A delivery on its line, else the order."""
        return "delivery" if self.delivery else "order"

    @property
    def chosen(self) -> Sequence[str]:
        """The delivery of the line, else the order."""
        return [self.delivery or self.order]

    @property
    def delivery(self) -> str:
        """The delivery of the line under the cursor. Empty on a line of the order."""
        row = self.row
        target = None if row is None else row.target
        return target.id if target is not None and target.kind == "delivery" else ""

    def action_receive_by_scanner(self) -> None:
        """Scan what came of the delivery of the line, or of the only one."""
        targets = [line.target for line in self.lines if line.target is not None]
        all_of_them = dict.fromkeys(target.id for target in targets if target.kind == "delivery")
        receive_by_scanner(self, [self.delivery] if self.delivery else list(all_of_them))


def _head(row: OrderRow, supply: Supply) -> Text:
    text = Text().append(f"{row.id}  ", style="bold").append_text(safe(row.title))
    late = f", {row.late_words}" if row.late_words else ""
    return text.append("\n").append_text(safe(f"{supply.quantity}, {row.state}{late}"))


def _line(section: str, name: str, text: str, target: Target | None = None, *, is_bad: bool = False) -> PageLine:
    said: Span = (f"! {text}", "bad") if is_bad else (text, "text")
    return PageLine(section, ((name, "muted"), said), target, section)


def _facts(row: OrderRow, supply: Supply) -> Iterator[PageLine]:
    zone, activity = row.time_zone, f"{row.step}@{row.unit}"
    late = f", {row.late_words}" if row.late_words else ""
    yield _line(ORDER, "state", f"{row.state}{late}", is_bad=bool(row.days_late))
    yield _line(ORDER, "activity", activity, Target("activity", activity))
    if row.product_was:
        yield _line(ORDER, "ordered for", row.product_was, is_bad=True)
    if row.early_because:
        yield _line(ORDER, "out of sequence", row.early_because, is_bad=True)
    yield _line(ORDER, "supplier", f"{supply.supplier} {row.reference}".strip())
    is_overdue = supply.order_by is not None and supply.days_late > 0
    yield _line(ORDER, "order by", day_text(row.order_by, zone), is_bad=is_overdue)
    yield _line(ORDER, "placed", day_text(row.placed_at, zone) or "not placed")
    acknowledged = f"{row.acknowledged} as {row.acknowledgement}" if row.acknowledged else "not acknowledged"
    yield _line(ORDER, "acknowledged", acknowledged)
    yield _line(ORDER, "need by", day_text(row.need_by, zone) or "by no day")
    yield _line(ORDER, "promised", day_text(row.promised, zone) or "no promise")
    yield _line(ORDER, "lead time", f"{row.lead_m_h / 168:.1f} weeks, most likely")
    if row.float_h is not None:
        yield _line(ORDER, "float", "critical" if row.critical else counted(round(row.float_h / 24), "day"))
    value = "no value is recorded" if row.value is None else f"{row.value:,} {row.currency}"
    yield _line(ORDER, "value", value + (f" on {row.budget_line}" if row.budget_line else ""))
    if row.expedite_cost:
        yield _line(ORDER, "expediting", f"{row.expedite_cost:,} {row.currency}")
    if row.organisation:
        yield _line(ORDER, "organisation", row.organisation)


def _delivery(snapshot: Snapshot, supply: Supply) -> Iterator[PageLine]:
    one, zone = supply.delivery, supply.order.time_zone
    assert one is not None
    target = Target("delivery", one.id)
    late = f", {counted(supply.days_late, 'day')} late" if supply.days_late else ""
    needed = f", need by {day_text(one.need_by, zone)}" if one.need_by else ""
    said = f"{supply.state}{late}: {supply.quantity}{needed}"
    promised = f", promised {supply.promised}" if supply.promised else ""
    units = f", for {units_words(one.units)}" if one.units else ""
    yield _line(DELIVERIES, one.id, f"{said}{promised}{units}", target, is_bad=bool(supply.days_late))
    if one.shipped:
        by = " ".join(filter(None, (one.carrier, one.tracking)))
        handling = f"; {one.handling}" if one.handling else ""
        yield _line(DELIVERIES, f"  {one.number} shipped", f"{one.shipped} by {by}{handling}", target)
    if one.received_at:
        yield _line(DELIVERIES, f"  {one.number} received", day_text(one.received_at, zone), target)
    numbers = serials(snapshot, one.id)
    if numbers:
        more = f" and {len(numbers) - 3} more" if len(numbers) > 3 else ""
        yield _line(DELIVERIES, f"  {one.number} serials", f"{', '.join(numbers[:3])}{more}", target)


def _changes(snapshot: Snapshot, row: OrderRow) -> Iterator[PageLine]:
    for one in changes(snapshot, row.id):
        asked = [f"quantity {one.quantity}" if one.quantity is not None else ""]
        asked += [f"value {one.value:,} {one.currency}".rstrip() if one.value is not None else ""]
        by = f"asked by {one.asked_by}" + (f", {one.state} by {one.decided_by}" if one.decided_by else "")
        said = f"{one.state}: {', '.join(filter(None, asked))}; {one.reason}; {by}"
        yield _line(CHANGES, one.id, said, is_bad=one.state == "open")


def _links(snapshot: Snapshot, row: OrderRow) -> Iterator[PageLine]:
    """Yield what the order comes after, and what waits for it or for a delivery of it."""
    own = [row.id, *(one.id for one in row.tranches)]
    for link in predecessors(snapshot, row.id):
        yield link_line(BEFORE, link.before, link)
    for name in own:
        for link in successors(snapshot, name):
            if link.after not in own:
                yield link_line(AFTER, link.after, link)


def _history(snapshot: Snapshot, row: OrderRow) -> Iterator[PageLine]:
    for one in reversed(order_history(snapshot, row.id)):
        about = "" if one.subject == row.id else f"{one.subject.removeprefix(row.id)[1:]}: "
        texts = (f"{one.seq}", minute(one.at, row.time_zone), one.person, f"{about}{one.said}")
        roles: Sequence[Role] = ("muted", "muted", "text", "text")
        yield PageLine(HISTORY, tuple(zip(texts, roles, strict=True)), table=HISTORY)
