"""The rows of the morning's panels about means: orders and deliveries of three weeks, money, crews, halls, decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from ledger.questions.crews_today import CrewsToday
from ledger.questions.decisions_needed import Needed, decisions_words
from ledger.questions.halls import HallRow, halls_words
from ledger.questions.orders import BudgetRow
from ledger.questions.site import revision
from ledger.questions.snapshot import Snapshot
from ledger.questions.supplies import Supply
from ledger.rules.permission import Actor
from ledger.rules.rows import OrderRow, TrancheRow
from steps.amount import counted
from steps.stamps import days_between
from tui.lists.column import Span
from tui.looks import Role, day_text
from tui.screens.panel import PanelRow

SHOWN = 5
"""Of how many people it is said how many decisions they may take."""


class PlanMeans(NamedTuple):
    """What the plan in force has of means: crews by role, and what its orders cost together at the plan's prices."""

    revision: int
    crews: Mapping[str, int]
    usd: float


def plan_means(snapshot: Snapshot, kept: PlanMeans | None) -> PlanMeans | None:
    """Return the means of the plan in force: those that are kept, if they are of this revision. None without a plan."""
    number = revision(snapshot)
    if not number or (kept is not None and kept.revision == number):
        return kept
    from ledger.evidence.plans import read_frame  # reads plans with pydantic, which is slow to import

    frame = read_frame(snapshot)
    return PlanMeans(number, frame.crews, sum(order.usd or 0.0 for order in frame.orders))


def supply_rows(supplies: Sequence[Supply], now: datetime) -> list[PanelRow]:
    """Return what is to be placed and what is to come within three weeks, by day."""
    found = []
    for one in supplies:
        if one.is_due and one.order_by is not None:
            found.append((day_text(one.order_by, one.order.time_zone), _to_place(one, one.order_by, now)))
        elif one.is_due and one.delivery is not None and one.order.placed_at is not None:
            found.append((f"{one.comes}", _to_come(one, one.delivery)))
    return [row for _, row in sorted(found, key=lambda one: (one[0], one[1].key))]


def _to_place(supply: Supply, order_by: datetime, now: datetime) -> PanelRow:
    zone, late = supply.order.time_zone, supply.days_late
    said = f"{late} d late" if late else f"{days_between(now, order_by, zone)} d left"
    role: Role = "bad" if late else "attention"
    cells: tuple[Span, ...] = (
        ("+ place by", "ready"),
        (day_text(order_by, zone), role),
        (said, role),
        (supply.id, "text"),
        (supply.quantity, "text"),
        ("not placed", "muted"),
        (supply.title, "muted"),
    )
    return PanelRow(supply.id, cells, supply.id, "order", supply.id)


def _to_come(supply: Supply, delivery: TrancheRow) -> PanelRow:
    late = supply.days_late
    stands: Span = ("promised" if supply.promised else "without a promise", "muted")
    if delivery.unordered:
        stands = (f"{delivery.unordered.normalize():,f} to be ordered", "bad")
    elif delivery.shipped:
        stands = (f"shipped, {delivery.carrier}", "muted")
    cells: tuple[Span, ...] = (
        ("▸ comes", "active"),
        (f"{supply.comes}", "bad" if late else "text"),
        (f"{late} d late" if late else "", "bad"),
        (supply.id, "text"),
        (counted(delivery.to_come, supply.order.unit_of_measure), "text"),
        stands,
        (f"{supply.order.title}, {supply.supplier}", "muted"),
    )
    return PanelRow(supply.id, cells, supply.id, "delivery", supply.id)


def facts(
    decisions: Sequence[Needed],
    people: Sequence[Actor],
    halls: list[HallRow],
    budget: Sequence[BudgetRow],
    orders: Sequence[OrderRow],
    crews: Sequence[CrewsToday],
    means: PlanMeans | None,
    zone: str,
) -> Iterator[PanelRow]:
    """Yield decisions, halls, money and crews, a line for each; Enter opens the screen that has more."""
    said = decisions_words(decisions).partition(";")[0].removeprefix("decisions needed: ")
    yield _fact("decisions", said, "inbox", "attention" if decisions else "muted")
    if decisions:
        yield _fact("", _whose(decisions, people), "inbox", key="whose")
    for words in halls_words(halls, lambda at: day_text(at, zone)):
        yield _fact("halls", words, "gantt", key=words)
    for words in _money(budget, orders, means):
        yield _fact("money", words, "orders", key=words)
    for row in crews:
        there = means.crews.get(row.role) if means else None
        over = there is not None and row.at_work > there
        full = " full" if there is not None and row.at_work == there else " over" if over else ""
        of = f" of {there}" if there is not None else ""
        words = f"{row.role.replace('-', ' ')}: {row.at_work}{of} at work{full}, the plan has {row.planned} now"
        yield _fact("crews", words, "crews", "bad" if over else "text", key=row.role)


def _fact(label: str, said: str, opens: str, role: Role = "text", *, key: str = "") -> PanelRow:
    return PanelRow(f"{label} {key}", ((label, "muted"), (said, role)), opens)


def _whose(decisions: Sequence[Needed], people: Sequence[Actor]) -> str:
    """Return how many of the decisions each person may take, and how many nobody may."""
    may = Counter(me.id for one in decisions for me in people if one.role_of(me))
    nobody = sum(not any(one.role_of(me) for me in people) for one in decisions)
    words = [f"{person} {number}" for person, number in may.most_common(SHOWN)]
    more = [f"and {len(may) - SHOWN} more"] if len(may) > SHOWN else []
    return "may be taken by: " + ", ".join([*words, *more, *([f"nobody {nobody}"] if nobody else [])])


def _money(budget: Sequence[BudgetRow], orders: Sequence[OrderRow], means: PlanMeans | None) -> Iterator[str]:
    """Yield how many orders are placed and have no value, what is committed by currency, and what the plan's prices sum to."""
    placed = [order for order in orders if order.placed_at is not None]
    unpriced = sum(row.unpriced for row in budget)
    yield f"{len(placed)} of {len(orders)} orders placed" + (f", {unpriced} without a value" if unpriced else "")
    sums: dict[str, list[Decimal]] = {}
    for row in budget:
        if row.committed:
            total = sums.setdefault(row.currency, [Decimal(0), Decimal(0)])
            total[0] += row.committed
            total[1] += row.received
    for currency, (committed, received) in sorted(sums.items()):
        yield f"committed {committed:,.0f} {currency}, received {received:,.0f}"
    if not sums:
        yield "nothing committed"
    if means is not None and means.usd:
        yield f"the plan's orders cost {means.usd:,.0f} USD"
