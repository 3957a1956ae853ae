"""The tables of a sponsor's page: what slipped, what drives go-live, orders, decisions, quality, money, and what was done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from clusterwright.budget_lines import ESTIMATED_IN, Estimates
from clusterwright.look_ahead import AHEAD
from clusterwright.output import MINUTES_OF_DAY, money, signed_days
from clusterwright.reports.asked import Asked
from clusterwright.reports.page import Table, counted_table
from clusterwright.week_report import done_since, owner_of
from ledger.evidence.plans import read_frame
from ledger.questions.decisions_needed import KINDS, Needed, everybody
from ledger.questions.open_quality import quality
from ledger.questions.order_timing import timed_orders
from ledger.questions.orders import budget, orders
from ledger.rules.activity import Activity
from ledger.rules.rows import OrderRow
from steps.amount import counted
from steps.planning.record.driving import driving_chain
from steps.planning.record.slip_of_plan import SlippedPart

LEAST_MINUTES = 72
"""Half of a tenth of a day: less of a slip is not shown."""
MANY = 2
"""So many people are named who may take a decision; of more it is said how many."""


def where(names: list[str]) -> str:
    """Return the unit of the first of some activities, orders or deliveries, and how many more there are."""
    unit = names[0].partition("@")[2].partition("#")[0]
    return unit if len(names) == 1 else f"{unit} +{len(names) - 1}"


class _Slip(NamedTuple):
    """Parts of a slip that are alike: the same work, by the same people, for the same cause."""

    title: str
    owner: str
    words: str


def slip_table(asked: Asked) -> Table:
    """Return what made go-live later or earlier than planned, the greatest first, since the last report and at what cost."""
    parts = [part for part in asked.slipped.parts if asked.is_about(part.id)]
    now, then = _sums(parts), _sums(asked.before.parts if asked.before else ())
    ids: dict[_Slip, list[str]] = {}
    for part in parts:
        ids.setdefault(_alike(part), []).append(part.id)
    rows = []
    for key, minutes in sorted(now.items(), key=lambda one: -abs(one[1])):
        if abs(minutes) < LEAST_MINUTES:
            continue
        since = "–" if asked.before is None else signed_days(minutes - then.get(key, 0))
        cost = minutes / MINUTES_OF_DAY * asked.plan.slip_day_usd
        rows.append((key.title, where(ids[key]), key.owner, key.words, signed_days(minutes), since, _usd(cost)))
    headers = ("what", "where", "who", "why", "days", f"this {asked.span}", "cost")
    return counted_table(
        "What slipped, why and at what cost",
        headers,
        (31, 12, 14, 27, 6, 8, 8),
        rows,
        empty="go-live is as planned",
        right=(4, 5, 6),
    )


def _sums(parts: Iterable[SlippedPart]) -> dict[_Slip, int]:
    sums: dict[_Slip, int] = {}
    for part in parts:
        sums[_alike(part)] = sums.get(_alike(part), 0) + part.minutes
    return sums


def _alike(part: SlippedPart) -> _Slip:
    return _Slip(part.title, part.owner, part.words)


def _usd(usd: float) -> str:
    return f"−{money(-usd)}" if usd < 0 else money(usd) if usd else "–"


def chain_table(asked: Asked) -> Table:
    """Return what drives go-live from now on, in the order in which it drives. The same work at several units is one row."""
    chain = driving_chain(asked.solved, asked.slipped.target)
    ahead = [one for one in chain if one.finish > asked.snapshot.now]
    rows = []
    for title, own in groupby(ahead, key=attrgetter("title")):
        alike = list(own)
        rows.append((title, where([one.id for one in alike]), asked.day(alike[-1].finish)))
    return counted_table(
        "What drives go-live from now on",
        ("in this order", "where", "until"),
        (54, 26, 20),
        rows,
        empty="nothing is left",
    )


def orders_table(asked: Asked) -> Table:
    """Return the orders that are late, past their promise, for less or other than is needed, or to be placed soon: the latest on top."""
    found = [row for row in orders(asked.snapshot) if asked.is_about(row.id)]
    prices = timed_orders(found, read_frame(asked.snapshot), asked.snapshot.now).by_id
    soon = asked.snapshot.now + AHEAD
    at_risk = [
        row for row in found if row.late or row.days_overdue or row.unordered or row.product_was or _is_due(row, soon)
    ]
    at_risk.sort(key=lambda row: (-row.days_late, row.order_by or soon, row.id))
    rows = []
    for (*_, title), own in _grouped(at_risk):
        one = own[0]
        value = sum((row.value or prices[row.id].price_usd or Decimal(0) for row in own), Decimal(0))
        who = one.supplier_name or one.supplier
        worth = short_amount(value, _currency(one))
        rows.append((title, where([row.id for row in own]), who, _said(asked, one), worth))
    return counted_table(
        "Orders at risk", ("order", "where", "supplier", "date", "value"), (24, 12, 13, 38, 13), rows, right=(4,)
    )


def _is_due(row: OrderRow, by: datetime) -> bool:
    return row.placed_at is None and row.order_by is not None and row.order_by <= by


def _grouped(rows: Iterable[OrderRow]) -> Iterator[tuple[tuple[str, ...], list[OrderRow]]]:
    """Yield orders of one item that each unit has for itself together: they are as late, or are to be placed by the same day."""
    found: dict[tuple[str, ...], list[OrderRow]] = {}
    for row in rows:
        alike = (row.step, row.item, row.state, row.supplier_name, _currency(row), row.title)
        found.setdefault(alike, []).append(row)
    yield from found.items()


def _currency(row: OrderRow) -> str:
    """Return the currency of what an order is worth: without a value on record that is what the design has for it."""
    return row.currency if row.value else ESTIMATED_IN


def _said(asked: Asked, row: OrderRow) -> str:
    if row.placed_at is None:
        by = f"order by {asked.day(row.order_by)}"
        return f"{by}, {row.days_late} d ago" if row.days_late else by
    if row.product_was:
        return f"another product, {row.late_words or f'needed {asked.day(row.need_by)}'}"
    if row.unordered:
        return f"{row.size}, needed {asked.day(row.need_by)}"
    late = f"{row.days_late} d late" if row.days_late else f"{row.days_overdue} d past its promise"
    return f"{late}, needed {asked.day(row.need_by)}"


def decisions_table(asked: Asked) -> Table:
    """Return the decisions that are needed: who may take each, and by which day it is planned; the most urgent first.

    The same one about several units is one row.
    """
    everyone = everybody(asked.snapshot)
    alike: dict[tuple[str, str, str], list[str]] = {}
    for one in asked.top.decisions:
        if not asked.is_about(one.activity):
            continue
        who = [asked.names.get(me.id, me.id) for me in everyone if one.role_of(me)]
        named = ", ".join(who[:MANY]) + (f" or {len(who) - MANY} more" if len(who) > MANY else "")
        what = f"{KINDS[one.kind][0]}: {one.title.removeprefix(f'{one.subject}: ')}"
        by = asked.day(_by(one))
        alike.setdefault((by, named or f"nobody ({' or '.join(one.roles)})", what), []).append(one.subject)
    today = asked.day(asked.snapshot.now)
    rows = []
    for (by, people, what), about in sorted(alike.items()):
        more = f" +{len(about) - 1}" if len(about) > 1 else ""
        rows.append((people, what, f"{about[0]}{more}", f"{by} !" if by < today else by))
    table = counted_table("Decisions needed", ("who", "decision", "about", "by"), (22, 38, 24, 16), rows)
    total = sum(map(len, alike.values()))
    return table._replace(title=f"Decisions needed ({total:,})") if total else table


def _by(one: Needed) -> datetime | None:
    """Return the day by which a decision is planned: that on which its work is approved."""
    dates = one.row.plan.dates if one.row else None
    return dates.reached if dates else one.since


def due(asked: Asked, by: datetime | None) -> str:
    """Return a day by which something is to be; with a mark where it has passed."""
    passed = by is not None and by < asked.snapshot.now
    return f"{asked.day(by)}{' !' if passed else ''}"


def done_table(asked: Asked) -> Table:
    """Return the work that people and software finished since the last report. The same step at several units is one row."""
    done = done_since(asked.rows, asked.since, asked.snapshot.now)
    grouped: dict[tuple[str, str], list[Activity]] = {}
    for row in done:
        grouped.setdefault((row.plan.title, owner_of(row)), []).append(row)
    rows = []
    for (title, owner), own in sorted(grouped.items(), key=lambda one: (-len(one[1]), one[1][0].ordinal)):
        last = max(row.finished_at for row in own if row.finished_at)
        rows.append((title, where([row.id for row in own]), asked.names.get(owner, owner), asked.day(last)))
    found = counted_table(
        f"Done this {asked.span}",
        ("what", "where", "who", "last on"),
        (44, 20, 18, 18),
        rows,
        empty="nothing was finished",
    )
    return found._replace(title=f"Done this {asked.span} ({len(done):,})") if done else found


def quality_table(asked: Asked) -> Table:
    """Return the open non-conformances and the waivers in force, those of class A first."""
    found = [
        row
        for row in quality(asked.snapshot)
        if row.is_open and row.kind in {"ncr", "waiver"} and asked.is_about(row.subject)
    ]
    rows = [
        (
            f"{row.id}{f', class {row.ncr_class}' if row.ncr_class else ''}: {row.said}",
            row.subject,
            asked.names.get(row.owner, row.owner) or "nobody",
            f"{row.due}{' !' if row.is_overdue else ''}" if row.due else "–",
        )
        for row in found
    ]
    waivers = counted(sum(row.kind == "waiver" for row in found), "waiver")
    said = f"{sum(row.kind == 'ncr' for row in found)} NCR, {waivers}"
    overdue = sum(row.is_overdue for row in found)
    table = counted_table(
        "Open quality", ("what", "where", "owner", "due"), (46, 21, 15, 18), rows, empty="nothing is open"
    )
    return table._replace(title=f"Quality: {said}{f', {overdue} overdue' if overdue else ''}")


def money_table(asked: Asked, found: Estimates | None) -> Table:
    """Return what is committed by budget line, against the design's estimate of it and the last report."""
    then = {(row.budget_line, row.currency): row.committed for row in asked.before.budget} if asked.before else None
    rows = []
    for row in sorted(budget(asked.snapshot), key=lambda row: -row.committed):
        estimate = found.by_category.get(row.budget_line.casefold()) if found and row.currency == ESTIMATED_IN else None
        was = row.committed if then is None else then.get((row.budget_line, row.currency), Decimal(0))
        since = short_amount(row.committed - was, row.currency)
        line = row.budget_line or "no budget line"
        line += f", {row.unpriced} of {row.orders} without a value" if row.unpriced else ""
        rows.append(
            (
                line,
                short_amount(row.committed, row.currency),
                since,
                short_amount(row.received, row.currency),
                money(float(estimate)) if estimate else "–",
            )
        )
    return counted_table(
        "Money committed",
        ("budget line", "committed", f"this {asked.span}", "received", "estimate"),
        (34, 18, 15, 17, 16),
        rows,
        empty="no order is placed",
        right=(1, 2, 3, 4),
    )


def short_amount(value: Decimal, currency: str) -> str:
    """Return an amount in short, as `$9.9 M` or `9.9 M EUR`: the page has no room for more digits."""
    if not value:
        return "–"
    short = money(float(value))
    return short if currency == ESTIMATED_IN else f"{short.removeprefix('$')} {currency}"
