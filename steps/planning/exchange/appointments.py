"""The days of a plan that people keep: until when to order, milestones, inspections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from schedule.exchange.model import Appointment, ExchangeTask
from steps.amount import counted
from steps.catalog.terms import Kind
from steps.planning.activity import PlanActivity
from steps.planning.dates.milestones import CONTINGENCY, GO_LIVE, IN_SERVICE
from steps.planning.plan import Plan

CLOSING = "195"
"""The step that closes the buildout."""


def appointments_of(
    plan: Plan, tasks: Mapping[str, ExchangeTask], local: Callable[[datetime], datetime]
) -> Iterator[Appointment]:
    """Yield the appointments that are still to come, at the tasks' dates: of what has happened there are none."""
    for order in plan.orders:
        task = tasks.get(order.id)
        if order.order_by is not None and order.dates and task is not None and task.actual_finish is None:
            by, first = order.order_by, order.dates.early_finish
            note = f"{counted(order.quantity, order.unit_of_measure)} from {order.supplier}"
            yield Appointment(
                id=order.id,
                kind="order by",
                title=f"Order by: {order.title}" if by >= first else f"Order, it is late: {order.title}",
                start=local(max(by, first)),
                note=note if by >= first else f"{note}; order by {local(by):%Y-%m-%d}, before it can be placed",
            )
    ends = _phase_ends(plan, tasks)
    for phase, last in ends.items():
        yield Appointment(id=phase, kind="milestone", title=f"{phase_in_words(phase)} is finished", start=last)
    for activity in plan.activities:
        task = tasks.get(activity.id)
        if task is None or task.actual_finish is not None or task.start is None or task.finish is None:
            continue
        if activity.step in {CLOSING, IN_SERVICE}:
            yield Appointment(id=activity.id, kind="milestone", title=activity.title, start=task.finish)
        elif is_inspected(activity):
            roles = ", ".join(plan.roles.get(role, role) for role in activity.policy.roles)
            yield Appointment(
                id=activity.id,
                kind="inspection",
                title=f"Inspection: {activity.title}",
                start=task.start,
                finish=task.finish,
                note=f"signed by: {roles}" if roles else "",
            )
    contingency = tasks.get(CONTINGENCY)
    if contingency is not None and contingency.no_later is not None:
        yield Appointment(id=CONTINGENCY, kind="milestone", title=f"Commitment: {GO_LIVE}", start=contingency.no_later)


def is_inspected(activity: PlanActivity) -> bool:
    """Return whether people meet for an activity: a gate, a hold point, or what witnesses are invited to."""
    policy = activity.policy
    return activity.applicable and (activity.kind is Kind.GATE or policy.hold_point or policy.witness is not None)


def _phase_ends(plan: Plan, tasks: Mapping[str, ExchangeTask]) -> dict[str, datetime]:
    """Return the last finish of each phase of which something is still to come."""
    ends: dict[str, datetime] = {}
    open_phases = set()
    for activity in plan.activities:
        task = tasks.get(activity.id)
        if task is None or task.finish is None or activity.continuing:
            continue
        phase = str(activity.phase)
        ends[phase] = max(task.finish, ends.get(phase, task.finish))
        if task.actual_finish is None:
            open_phases.add(phase)
    return {phase: last for phase, last in ends.items() if phase in open_phases}


def phase_in_words(phase: str) -> str:
    """Return the name of a phase as people read it."""
    return phase.replace("_", " ").replace("-", " ").capitalize()
