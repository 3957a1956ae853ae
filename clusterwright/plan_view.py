"""A plan for eyes: the summary, the critical path, the orders, a Gantt; and its JSON document."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from clusterwright.output import day, days, table
from steps.schedule.activity import Dates, PlanActivity
from steps.schedule.plan import Plan, PlanOrder

BAR = 60


def print_plan(plan: Plan, *, everything: bool) -> None:
    """Print the summary, the critical path in its order, and every order with its dates."""
    zone = plan.time_zone
    applicable = [a for a in plan.activities if a.applicable]
    print(
        f"{plan.site}: {plan.preset}, facility {plan.facility}. "
        f"{day(plan.start, zone)} to {day(plan.finish, zone)}, {_weeks(plan)} weeks; "
        f"{len(applicable)} activities, {len(plan.activities) - len(applicable)} not applicable, "
        f"{len(plan.orders)} orders."
    )
    if plan.slip_day_usd:
        print(f"A day of delay costs about ${plan.slip_day_usd:,.0f}.")
    titles = {a.id: a.title for a in applicable}
    titles |= {o.id: f"Order: {o.title}" for o in plan.orders}
    titles |= {t.id: f"Delivery {t.number}: {o.title}" for o in plan.orders for t in o.tranches}
    shown = sorted(
        ((name, dates) for name, dates in _all_dates(plan) if everything or dates.is_critical),
        key=lambda pair: (pair[1].early_start, pair[1].early_finish, pair[0]),
    )
    per_day = {a.id: _hours_per_day(a, plan) for a in applicable}
    alike: dict[object, list[str]] = {}  # pods that do the same at the same time share a line
    for name, d in shown:
        alike.setdefault(
            (name.partition("@")[0], d.early_start, d.early_finish, name if everything else ""), []
        ).append(name)
    dates = dict(shown)
    table(
        ("activity", "what", "start", "finish", "float", "driven by"),
        [
            (
                names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more",
                titles[names[0]],
                day(dates[names[0]].early_start, zone),
                day(dates[names[0]].early_finish, zone),
                days(dates[names[0]].total_float_h, per_day.get(names[0], 24.0)),
                dates[names[0]].driving or "project start",
            )
            for names in alike.values()
        ],
        title="Every activity" if everything else "Critical path: a day's delay here delays go-live",
        right=(4,),
    )
    print_orders(plan)
    for finding in plan.findings:
        print(f"! {finding}")


def print_orders(plan: Plan) -> None:
    """Print orders, the one to place first on top; those that every pod places for itself on one line."""
    zone = plan.time_zone
    alike: dict[tuple[str, str], list[PlanOrder]] = {}
    for order in plan.orders:
        alike.setdefault((order.step, order.item), []).append(order)
    lines = sorted(alike.values(), key=lambda orders: min(o.order_by or plan.start for o in orders))
    table(
        ("order by", "order", "what", "quantity", "lead weeks", "need by", "float", "orders", "tranches"),
        [_order_line(orders, zone) for orders in lines],
        title="Orders: the latest date to place each without delaying go-live",
        right=(3, 4, 6, 7, 8),
    )


def _order_line(orders: list[PlanOrder], zone: str) -> tuple[object, ...]:
    first = min(orders, key=lambda o: o.order_by or datetime.max.replace(tzinfo=UTC))
    quantity = sum((o.quantity for o in orders), Decimal(0))
    return (
        day(first.order_by, zone),
        first.id if len(orders) == 1 else f"{first.id} and {len(orders) - 1} more",
        first.title,
        f"{quantity.normalize():,f} {first.unit_of_measure}",
        f"{first.lead.m / 168:g}",
        day(first.need_by, zone),
        _order_float(first),
        len(orders),
        sum(len(o.tranches) for o in orders),
    )


def plan_document(plan: Plan) -> dict[str, Any]:
    """Give the plan as JSON, people by their ids, with the critical path as a list of ids in order of their start."""
    from ledger.evidence.names import without_names

    document = without_names(plan).model_dump(mode="json")
    document["critical_path"] = [name for name, _ in _critical(plan)]
    document["orders_by_date"] = [
        {
            "id": o.id,
            "order_by": o.order_by,
            "need_by": o.need_by,
            "float_h": o.dates.total_float_h if o.dates else None,
        }
        for o in sorted(plan.orders, key=lambda o: o.order_by or plan.start)
    ]
    document["weeks"] = float(_weeks(plan))
    return document


def _all_dates(plan: Plan) -> list[tuple[str, Dates]]:
    found = [(a.id, a.dates) for a in plan.activities]
    found += [(o.id, o.dates) for o in plan.orders]
    found += [(t.id, t.dates) for o in plan.orders for t in o.tranches]
    return [(name, dates) for name, dates in found if dates is not None]


def _critical(plan: Plan) -> list[tuple[str, datetime]]:
    critical = [(name, dates.early_start) for name, dates in _all_dates(plan) if dates.is_critical]
    return sorted(critical, key=lambda pair: (pair[1], pair[0]))


def gantt_lines(plan: Plan, *, everything: bool) -> Iterator[str]:
    """Give a bar a line: `█` critical, `▒` with float, `·` the float itself, `░` a supplier's lead."""
    span = max((plan.finish - plan.start) / timedelta(hours=1), 1.0)

    def column(instant: datetime) -> int:
        return min(BAR, max(0, round((instant - plan.start) / timedelta(hours=1) / span * BAR)))

    rows: list[tuple[datetime, str, str]] = []
    for activity in plan.activities:
        dates = activity.dates
        if dates and (everything or dates.is_critical):
            bar = _bar(
                column(dates.early_start),
                column(dates.early_finish),
                column(dates.late_finish),
                "█" if dates.is_critical else "▒",
            )
            rows.append((dates.early_start, f"{activity.id} {activity.title}", bar))
    for order in plan.orders:
        if order.dates is None or not (everything or order.dates.is_critical):
            continue
        for tranche in order.tranches:
            if tranche.dates and (everything or tranche.dates.is_critical):
                bar = _bar(
                    column(tranche.dates.early_start),
                    column(tranche.dates.early_finish),
                    column(tranche.dates.late_finish),
                    "░",
                )
                rows.append((tranche.dates.early_start, f"{tranche.id} {order.title}", bar))
    zone = plan.time_zone
    yield f"{'':46} {day(plan.start, zone)}{day(plan.finish, zone):>{BAR - 9}}"
    for _, label, bar in sorted(rows):
        yield f"{label[:46]:46} {bar}"


def _bar(start: int, finish: int, late: int, mark: str) -> str:
    body = mark * max(1, finish - start)
    return " " * start + body + "·" * max(0, late - max(finish, start + 1))


def _weeks(plan: Plan) -> str:
    return f"{(plan.finish - plan.start) / timedelta(weeks=1):.1f}"


def _hours_per_day(activity: PlanActivity, plan: Plan) -> float:
    return plan.working_hours[1] - plan.working_hours[0] if activity.calendar == "working" else 24.0


def _order_float(order: PlanOrder) -> str:
    return "" if order.dates is None else days(order.dates.total_float_h)
