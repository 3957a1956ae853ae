"""The dates of a plan: its network solved, and the dates of activities, orders and deliveries."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np

from steps.schedule.activity import Dates
from steps.schedule.calendar import WorkCalendar
from steps.schedule.network import CriticalPath, Edge, Network, Schedule
from steps.schedule.plan import Plan, PlanOrder, PlanTranche

LEAST_FLOAT_H = 1e-6
"""Less float than this is none: hours are floating-point numbers."""


def network_of(plan: Plan) -> Network:
    """Return the plan's network: the activities that apply, the orders and the deliveries, at their most likely durations."""
    ids: list[str] = []
    hours: list[float] = []
    working: list[bool] = []
    for activity in plan.activities:
        if activity.applicable:
            ids.append(activity.id)
            hours.append(activity.duration.m)
            working.append(activity.calendar == "working")
    for order in plan.orders:
        ids.append(order.id)
        hours.append(0.0)
        working.append(False)
        for tranche in order.tranches:
            ids.append(tranche.id)
            hours.append(order.lead.m + tranche.after_first_h)
            working.append(False)
    index = {name: number for number, name in enumerate(ids)}
    edges = tuple(
        Edge(
            index[link.before],
            index[link.after],
            link.type.value,
            link.lag_h,
            link.lag_calendar == "working",
        )
        for link in plan.links
    )
    return Network(
        ids=tuple(ids),
        duration_h=np.array(hours),
        working=np.array(working, dtype=bool),
        edges=edges,
    )


def dated(plan: Plan, calendar: WorkCalendar) -> Plan:
    """Return the plan with early and late dates and floats of activities, and the order-by and need-by dates of orders."""
    network = network_of(plan)
    schedule = CriticalPath(network, calendar).solve(target=closing_node(network))
    dates = _dates(network, schedule, calendar, critical_nodes(plan, network, schedule))
    last = network.ids[last_node(network, schedule)]
    activities = (replace(activity, dates=dates.get(activity.id)) for activity in plan.activities)
    orders = (_dated_order(order, dates) for order in plan.orders)
    found = {
        "finish": dates[last].early_finish,
        "activities": tuple(activities),
        "orders": tuple(orders),
    }
    return plan.model_copy(update=found)


def closing_node(network: Network) -> int | None:
    """Return the number of the node that closes the project, or None if the site has none."""
    closing = (number for number, name in enumerate(network.ids) if name.startswith("195@"))
    return next(closing, None)


def last_node(network: Network, schedule: Schedule) -> int:
    """Return the number of the node that closes the project, or of the one that finishes last."""
    closing = closing_node(network)
    return int(np.argmax(schedule.early_finish)) if closing is None else closing


def critical_nodes(plan: Plan, network: Network, schedule: Schedule) -> set[int]:
    """Return the numbers of the critical nodes: the chain that drives go-live, and every node without float.

    An activity that continues after go-live is critical only on that chain. The chain is followed because float alone
    has gaps where calendars mix: a delivery on a Saturday has the Sunday as float.
    """
    continuing = {activity.id for activity in plan.activities if activity.continuing}
    without_float = np.flatnonzero(schedule.total_float_h < LEAST_FLOAT_H).tolist()
    critical = {number for number in without_float if network.ids[number] not in continuing}
    node = last_node(network, schedule)
    while node >= 0:
        critical.add(node)
        node = int(schedule.driving[node])
    return critical


def _dates(
    network: Network,
    schedule: Schedule,
    calendar: WorkCalendar,
    critical: set[int],
) -> dict[str, Dates]:
    def at(hours: float) -> datetime:
        return calendar.at(float(hours))

    dates = {}
    for number, name in enumerate(network.ids):
        driving = int(schedule.driving[number])
        dates[name] = Dates(
            early_start=at(schedule.early_start[number]),
            early_finish=at(schedule.early_finish[number]),
            late_start=at(schedule.late_start[number]),
            late_finish=at(schedule.late_finish[number]),
            total_float_h=round(float(schedule.total_float_h[number]), 4),
            free_float_h=round(float(schedule.free_float_h[number]), 4),
            driving=network.ids[driving] if driving >= 0 else None,
            is_critical=number in critical,
        )
    return dates


def _dated_order(order: PlanOrder, dates: dict[str, Dates]) -> PlanOrder:
    own = dates[order.id]
    deliveries = [_dated_delivery(tranche, dates) for tranche in order.tranches]
    found = {
        "dates": own,
        "order_by": own.late_finish,
        "need_by": min(dates[tranche.id].late_finish for tranche in order.tranches),
        "tranches": tuple(deliveries),
    }
    return order.model_copy(update=found)


def _dated_delivery(tranche: PlanTranche, dates: dict[str, Dates]) -> PlanTranche:
    return tranche.model_copy(update={"dates": dates[tranche.id]})
