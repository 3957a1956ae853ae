"""A plan revision over what already happened: ids persist with their state, and nothing done is undone.

What is gone from the plan and had not begun becomes not applicable. A decision at run time that something does not apply
stays in force. What no longer holds is in the event, decided by `ledger.rules.revision`. Events of version 1 did not say it:
there, what is done and asked for differently becomes stale here, as it did then.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ledger.log.payloads.plan import PlanAdopted
from ledger.rules.activity import NOT_BEGUN, Activity, State
from ledger.state.projection import FRESH, Handler, Projection
from steps.schedule.activity import PlanActivity, text_of
from steps.schedule.plan import PlanOrder, PlanTranche

if TYPE_CHECKING:
    from ledger.log.chain import Event

UNPLACED: dict[str, Any] = {
    "ready_from": None,
    "placed_at": None,
    "placed_by": None,
    "promised": None,
    "supplier_name": "",
    "reference": "",
    "organisation": "",
    "value": None,
    "currency": "",
    "budget_line": "",
    "acknowledged": None,
    "acknowledgement": "",
    "expedite_cost": Decimal(0),
}
UNRECEIVED: dict[str, Any] = {
    "promised": None,
    "received_quantity": Decimal(0),
    "received_at": None,
    "contracted": None,
    "carrier": "",
    "tracking": "",
    "shipped": None,
    "handling": "",
}
NOT_STARTED: dict[str, Any] = FRESH | {
    "held_from": None,
    "attempt": 1,
    "assignee": None,
    "organisation": "",
    "na_decided": False,
    "ready_from": None,
    "finish_from": None,
    "started_at": None,
    "last_note": "",
    "overridden": False,
}


def revise_activities(p: Projection, event: Event, payload: PlanAdopted) -> None:
    """Keep what the plan says of every activity, and what that does to those that exist."""
    p.keep_activities()
    held = p.activities(name for (name,) in p.ask("SELECT id FROM activity"))
    p.forget_activities()
    for ordinal, planned in enumerate(p.plan(payload.document).activities):
        row = held.pop(planned.id, None)
        columns = _planned(planned) | {"ordinal": ordinal, "in_plan": True}
        if row is None:
            p.add("activity", **columns, **NOT_STARTED, **_first_state(planned, event))
        else:
            changes = _next_state(row, planned, event, rule_1=payload.reopened is None)
            p.update("activity", row.id, **(columns | changes))
    for row in held.values():
        if row.in_plan:
            unasked = replace(row.plan, criteria=(), facts=())
            gone = {"plan": text_of(unasked), "in_plan": False}
            p.update("activity", row.id, **(gone | _gone(row, event)))


def revise_orders(p: Projection, event: Event, payload: PlanAdopted) -> None:  # noqa: ARG001  the handlers' shape
    """Keep every order and delivery. What was placed or received stays so."""
    orders = {name for (name,) in p.ask("SELECT id FROM order_line")}
    tranches = {name for (name,) in p.ask("SELECT id FROM tranche")}
    p.run("UPDATE order_line SET in_plan = 0")
    p.run("UPDATE tranche SET in_plan = 0")
    for ordinal, order in enumerate(p.plan(payload.document).orders):
        _keep(
            p,
            "order_line",
            _order(order) | {"ordinal": ordinal},
            UNPLACED,
            known=order.id in orders,
        )
        for tranche in order.tranches:
            _keep(p, "tranche", _tranche(order, tranche), UNRECEIVED, known=tranche.id in tranches)
    p.run("DELETE FROM tranche WHERE NOT in_plan AND received_quantity = '0'")
    p.run("DELETE FROM order_line WHERE NOT in_plan AND placed_at IS NULL")


def reopen(p: Projection, event: Event, payload: PlanAdopted) -> None:
    """Open again and mark as stale what a revision was decided to. The links in force say what came after."""
    p.keep_activities()
    reopened = payload.reopened or ()
    for again in reopened:
        p.open_again(again.activity, f"revision {payload.revision}: {again.why}")
    p.mark_resting([again.activity for again in reopened], event.seq)
    p.mark_stale([again.activity for again in payload.sign_again or ()], event.seq)


def _keep(
    p: Projection,
    table: str,
    columns: dict[str, Any],
    fresh: dict[str, Any],
    *,
    known: bool,
) -> None:
    if known:
        p.update(table, columns["id"], **columns)
    else:
        p.add(table, **columns, **fresh)


def _planned(a: PlanActivity) -> dict[str, Any]:
    """Return the columns that the plan fills: its part whole, and what queries look for."""
    dates = a.dates
    return {
        "id": a.id,
        "plan": text_of(a),
        "step": a.step,
        "unit": a.unit,
        "phase": a.phase.value,
        "kind": a.kind.value,
        "role": a.role,
        "hold_point": a.policy.hold_point,
        "early_start": dates and dates.early_start,
        "early_finish": dates and dates.early_finish,
        "late_start": dates and dates.late_start,
        "late_finish": dates and dates.late_finish,
    }


def _first_state(a: PlanActivity, event: Event) -> dict[str, Any]:
    if a.applicable:
        return {"state": State.OPEN, "na_reason": None, "na_at": None}
    reason = a.not_applicable_because or "does not apply"
    return {"state": State.NOT_APPLICABLE, "na_reason": reason, "na_at": event.effective_at}


def _next_state(
    row: Activity,
    a: PlanActivity,
    event: Event,
    *,
    rule_1: bool,
) -> dict[str, Any]:
    if row.state in NOT_BEGUN | {State.NOT_APPLICABLE} and not row.na_decided:
        return _first_state(a, event)
    if rule_1 and row.state is State.DONE and not row.stale and _asks_more(row.plan, a):
        return {"stale_since": event.seq}
    return {}


def _asks_more(was: PlanActivity, now: PlanActivity) -> bool:
    """Return whether what was done is not what the new revision asks for, as version 1 drew it."""
    names = ("roles", "quorum", "separation", "needed", "evidence", "hold_point")
    approval = [(getattr(a.policy, name) for name in names) for a in (was, now)]
    asked = [[(c.metric, c.op, c.value, c.unit, c.each) for c in a.criteria] for a in (was, now)]
    is_other = (was.title, was.items) != (now.title, now.items)
    return is_other or tuple(approval[0]) != tuple(approval[1]) or asked[0] != asked[1]


def _gone(row: Activity, event: Event) -> dict[str, Any]:
    if row.state is not State.OPEN:
        return {}
    reason = f"removed by revision {event.plan_revision}"
    return {"state": State.NOT_APPLICABLE, "na_reason": reason, "na_at": event.effective_at}


def _order(o: PlanOrder) -> dict[str, Any]:
    return {
        "id": o.id,
        "step": o.step,
        "unit": o.unit,
        "item": o.item,
        "title": o.title,
        "quantity": o.quantity,
        "unit_of_measure": o.unit_of_measure,
        "supplier": o.supplier,
        "lead_m_h": o.lead.m,
        "order_by": o.order_by,
        "need_by": o.need_by,
        "total_float_h": o.dates.total_float_h if o.dates else None,
        "in_plan": True,
    }


def _tranche(order: PlanOrder, t: PlanTranche) -> dict[str, Any]:
    return {
        "id": t.id,
        "order_line": order.id,
        "number": t.number,
        "quantity": t.quantity,
        "units": t.units,
        "need_by": t.dates.late_finish if t.dates else None,
        "in_plan": True,
    }


HANDLERS: dict[str, tuple[Handler, ...]] = {
    PlanAdopted.kind: (revise_activities, revise_orders, reopen),
}
