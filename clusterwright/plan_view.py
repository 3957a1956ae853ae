"""A plan for eyes: the summary, the critical path, the orders, a Gantt; and its JSON document."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from clusterwright.output import day, days, table
from steps.schedule.plan import Plan, PlanActivity, PlanOrder

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
    shown = sorted(
        (a for a in applicable if a.dates and (everything or a.dates.is_critical)),
        key=lambda a: (a.dates.early_start, a.dates.early_finish) if a.dates else (plan.start, plan.start),
    )
    table(
        ("activity", "what", "start", "finish", "float", "driven by"),
        [
            (a.id, a.title, day(a.dates.early_start, zone), day(a.dates.early_finish, zone),
             _float(a, plan), a.dates.driving or "project start")
            for a in shown if a.dates
        ],
        title="Every activity" if everything else "Critical path: a day's delay here delays go-live",
        right=(4,),
    )
    print_orders(plan)
    for finding in plan.findings:
        print(f"! {finding}")


def print_orders(plan: Plan) -> None:
    """Print every order, the one to place first on top."""
    zone = plan.time_zone
    orders = sorted(plan.orders, key=lambda o: o.order_by or plan.start)
    table(
        ("order by", "order", "what", "quantity", "lead weeks", "need by", "float", "tranches"),
        [
            (day(o.order_by, zone), o.id, o.title, f"{o.quantity:,} {o.unit_of_measure}",
             f"{o.lead.m / 168:g}", day(o.need_by, zone), _order_float(o), len(o.tranches))
            for o in orders
        ],
        title="Orders: the latest date to place each without delaying go-live",
        right=(3, 4, 6, 7),
    )


def plan_document(plan: Plan) -> dict[str, Any]:
    """Give the plan as JSON, with the critical path as a list of ids in order of their start."""
    document = plan.model_dump(mode="json")
    document["critical_path"] = [name for name, _ in _critical(plan)]
    document["weeks"] = float(_weeks(plan))
    return document


def _critical(plan: Plan) -> list[tuple[str, datetime]]:
    found = [(a.id, a.dates) for a in plan.activities]
    found += [(o.id, o.dates) for o in plan.orders]
    found += [(t.id, t.dates) for o in plan.orders for t in o.tranches]
    critical = [(name, dates.early_start) for name, dates in found if dates and dates.is_critical]
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
            bar = _bar(column(dates.early_start), column(dates.early_finish),
                       column(dates.late_finish), "█" if dates.is_critical else "▒")
            rows.append((dates.early_start, f"{activity.id} {activity.title}", bar))
    for order in plan.orders:
        if order.dates is None or not (everything or order.dates.is_critical):
            continue
        for tranche in order.tranches:
            if tranche.dates and (everything or tranche.dates.is_critical):
                bar = _bar(column(tranche.dates.early_start), column(tranche.dates.early_finish),
                           column(tranche.dates.late_finish), "░")
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


def _float(activity: PlanActivity, plan: Plan) -> str:
    assert activity.dates is not None
    per_day = plan.working_hours[1] - plan.working_hours[0] if activity.calendar == "working" else 24.0
    return days(activity.dates.total_float_h, per_day)


def _order_float(order: PlanOrder) -> str:
    return "" if order.dates is None else days(order.dates.total_float_h)
