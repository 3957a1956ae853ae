"""What a person looks at before a decision: evidence, measured against its limit, approvals, what is missing, what comes of it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from ledger.questions.action_items import require_action_item
from ledger.questions.case import require_activity
from ledger.questions.checks import checklist
from ledger.questions.ncrs import ncrs, require_ncr
from ledger.questions.orders import change, require_order
from ledger.questions.records import comments, evidence, sign_offs
from ledger.questions.snapshot import Snapshot
from ledger.questions.waiting import WaitingItem
from ledger.questions.why import criteria, why
from ledger.rules.activity import Activity
from ledger.rules.judgement import (
    ACCEPTED,
    FAILED,
    NOT_MEASURED,
    WAIVED,
    CriterionRow,
    Judged,
    limit_words,
    verdict_words,
)
from schedule.text import shown_in_line
from steps.amount import counted
from steps.stamps import local_day, minute
from tui.looks import coloured, day_text, safe

MOST = 12
"""How many criteria and comments are shown; the activity's page has all. Those that are not met come first."""

VERDICTS = {
    FAILED: ("✘", "bad"),
    NOT_MEASURED: ("○", "attention"),
    WAIVED: ("≈", "attention"),
    ACCEPTED: ("≈", "attention"),
}
"""Glyph and colour of what is not met. What is met has a tick."""


def detail(snapshot: Snapshot, row: WaitingItem, zone: str) -> Text:
    """Return the lines about what is under the cursor."""
    lines = [Text.assemble((f"{row.subject}  ", "bold"), shown_in_line(row.title))]
    if row.blocked_by:
        lines.append(coloured(f"✘ would be refused now: {shown_in_line(row.blocked_by)}", "bad"))
    match row.kind:
        case "ncr":
            lines += _ncr(snapshot, row, zone)
        case "change":
            lines += _change(snapshot, row, zone)
        case "order":
            lines += _order(snapshot, row, zone)
        case "action":
            lines += _action_item(snapshot, row, zone)
        case "activity":
            lines += _activity(snapshot, row, zone)
    return Text("\n").join(lines)


def _activity(snapshot: Snapshot, waiting: WaitingItem, zone: str) -> Iterator[Text]:
    row = require_activity(snapshot, waiting.activity)
    yield from _needs(snapshot, row)
    yield from _evidence(snapshot, row, waiting)
    yield from _criteria(snapshot, row)
    items = checklist(snapshot, row)
    if items is not None:
        yield safe(f"checklist  {items.passed} passed, {items.failed} failed, {items.open} open of {items.items_of}")
    for found in ncrs(snapshot, open_only=True, name=row.id):
        yield coloured(f"✘ {found.id} class {found.ncr_class}: {shown_in_line(found.reason)}", "bad")
    if row.performers:
        yield safe(f"done by  {', '.join(row.performers)}, finished {_when(row, zone)}")
    for signed in sign_offs(snapshot, row.id):
        if signed.attempt == row.attempt:
            said = f": {signed.comment}" if signed.comment else ""
            yield safe(f"{signed.decision}  {signed.person} as {signed.role}, {minute(signed.at, zone)}{said}")
    for one in comments(snapshot, row.id)[-MOST:]:
        yield safe(f"{one.person}, {minute(one.at, zone)}: {one.text}")


def _when(row: Activity, zone: str) -> str:
    return minute(row.finished_at, zone) if row.finished_at else "not yet"


def _needs(snapshot: Snapshot, row: Activity) -> Iterator[Text]:
    found = why(snapshot, row.id)
    said = {_words(one) for one in criteria(snapshot, row.id)}
    for need in found.needs:
        if need in said or need.startswith("evidence: "):  # they have lines of their own
            continue
        yield coloured(f"needs  {shown_in_line(need)}", "attention")
    for wait in found.waits[:MOST]:
        yield coloured(f"waits for  {shown_in_line(f'{wait.names}, {wait.work}')}", "muted")


def _evidence(snapshot: Snapshot, row: Activity, waiting: WaitingItem) -> Iterator[Text]:
    of_attempt = [one for one in evidence(snapshot, row.id) if one.attempt == row.attempt]
    for one in of_attempt:
        yield safe(f"✔ {one.kind}  {one.name}, {one.size:,} bytes, by {one.by}")
    for kind in waiting.missing:
        yield coloured(f"✘ {kind}  missing", "bad")
    if not of_attempt and not waiting.missing:
        yield coloured("no evidence is asked for", "muted")


def _criteria(snapshot: Snapshot, row: Activity) -> Iterator[Text]:
    found = sorted(criteria(snapshot, row.id), key=lambda one: one.verdict not in VERDICTS)
    for one in found[:MOST]:
        yield _criterion(one)
    if len(found) > MOST:
        yield coloured(f"and {len(found) - MOST} more criteria", "muted")


def _criterion(one: CriterionRow) -> Text:
    glyph, role = VERDICTS.get(one.verdict, ("✔", "good"))
    readers = f", read by {', '.join(one.readers)}" if one.readers else ""
    return coloured(shown_in_line(f"{glyph} {_words(one)}{readers}"), role)


def _words(one: CriterionRow) -> str:
    """Return a criterion with its verdict, as `why` says it."""
    verdict = verdict_words(one, Judged(one.verdict, one.measured, one.worst, one.note))
    return f"{limit_words(one)}: {verdict}"


def _ncr(snapshot: Snapshot, row: WaitingItem, zone: str) -> Iterator[Text]:
    found = require_ncr(snapshot, row.subject)
    yield safe(f"class {found.ncr_class}, of {found.activity}, attempt {found.attempt}")
    yield safe(f"opened by {found.opened_by}, {minute(found.opened_at, zone)}: {found.reason}")
    yield safe(f"decided: {found.decided or 'nothing yet'}; owner: {found.owner or 'nobody'}; due: {found.due or '-'}")
    yield safe(f"inspected again: {counted(found.inspections, 'time')}")


def _change(snapshot: Snapshot, row: WaitingItem, zone: str) -> Iterator[Text]:
    found = change(snapshot, row.subject)
    if found is None:
        return
    yield safe(f"of {found.subject}, asked for by {found.asked_by}, {minute(found.asked_at, zone)}")
    order = require_order(snapshot, found.subject.partition("/")[0])
    if found.quantity is not None:
        yield safe(f"quantity {order.ordered} → {found.quantity} {order.unit_of_measure}")
    if found.value is not None:
        yield safe(f"value {order.value or 'unknown'} → {found.value} {found.currency}")


def _action_item(snapshot: Snapshot, row: WaitingItem, zone: str) -> Iterator[Text]:
    found = require_action_item(snapshot, row.subject)
    is_late = found.due < local_day(snapshot.now, zone)
    yield coloured(f"was due on {found.due}", "bad") if is_late else safe(f"due {found.due}")
    yield safe(f"agreed by {found.agreed_by}, {minute(found.agreed_at, zone)}")
    if found.activity:
        yield safe(f"about {found.activity} {require_activity(snapshot, found.activity).plan.title}")


def _order(snapshot: Snapshot, row: WaitingItem, zone: str) -> Iterator[Text]:
    found = require_order(snapshot, row.subject)
    yield safe(f"{counted(found.quantity, found.unit_of_measure)} from a {found.supplier.replace('-', ' ')}")
    late = f", {found.late_words}" if found.days_late else ""
    yield safe(f"order by {day_text(found.order_by, zone)}{late}; needed by {day_text(found.need_by, zone)}")
    deliveries = "1 delivery" if len(found.tranches) == 1 else f"{len(found.tranches)} deliveries"
    yield safe(f"lead time {counted(round(found.lead_m_h / 168), 'week')}; {deliveries}")
