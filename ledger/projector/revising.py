"""A plan revision over what already happened: ids persist with their state, nothing done is undone.

What is gone from the plan and had not begun becomes not applicable; a decision taken at run time that
something does not apply stands. What no longer holds is in the event, decided by `ledger.revision`; events
of version 1 did not say, and what is done and asked for differently becomes stale here, as it did then.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import delete, select, update
from sqlmodel import Session, col

from ledger.events import Event
from ledger.projector.keeping import write_rows
from ledger.stamps import value_text
from ledger.tables import Activity, Criterion, OrderLine, Tranche
from steps.schedule.plan import Plan, PlanActivity, PlanOrder

NOT_BEGUN = frozenset({"open", "not_applicable"})


def upsert_activities(session: Session, plan: Plan, event: Event, *, rule_1: bool) -> None:
    """Write what the plan says of every activity, and what that does to those that exist."""
    held = {row.id: row for row in session.scalars(select(Activity)).all()}
    criteria = _criteria_in_force(session) if held and rule_1 else None
    added, changed = [], []
    for ordinal, activity in enumerate(plan.activities):
        row = held.pop(activity.id, None)
        says = _says(activity, ordinal)
        if row is None:
            added.append(says | _first_state(activity, event))
        else:
            changed.append(says | _next_state(row, activity, criteria, event))
    changed += [{"id": row.id, "in_plan": False} | _gone(row, event) for row in held.values() if row.in_plan]
    session.expunge_all()
    write_rows(session, Activity, added)
    if changed:
        session.execute(update(Activity), changed)


def upsert_orders(session: Session, plan: Plan) -> None:
    """Write every order and delivery; what was placed or received stays so."""
    orders = {row.id for row in session.scalars(select(OrderLine)).all()}
    tranches = {row.id for row in session.scalars(select(Tranche)).all()}
    session.execute(update(OrderLine).values(in_plan=False))
    session.execute(update(Tranche).values(in_plan=False))
    session.expunge_all()
    _upsert(session, OrderLine, orders, [_order(o, n) for n, o in enumerate(plan.orders)])
    _upsert(
        session,
        Tranche,
        tranches,
        [
            {
                "id": t.id,
                "order_line": o.id,
                "number": t.number,
                "quantity": t.quantity,
                "units": t.units,
                "need_by": t.dates.late_finish if t.dates else None,
                "in_plan": True,
            }
            for o in plan.orders
            for t in o.tranches
        ],
    )
    session.execute(
        delete(Tranche).where(col(Tranche.in_plan).is_(False), col(Tranche.received_quantity) == Decimal(0))
    )
    session.execute(delete(OrderLine).where(col(OrderLine.in_plan).is_(False), col(OrderLine.placed_at).is_(None)))


def _upsert(
    session: Session,
    table: type[OrderLine | Tranche],
    known: set[str],
    rows: list[dict[str, Any]],
) -> None:
    fresh = _UNPLACED if table is OrderLine else _UNRECEIVED
    added = [row | fresh for row in rows if row["id"] not in known]
    changed = [row for row in rows if row["id"] in known]
    write_rows(session, table, added)
    if changed:
        session.execute(update(table), changed)


_UNPLACED: dict[str, Any] = {
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
_UNRECEIVED: dict[str, Any] = {
    "promised": None,
    "received_quantity": Decimal(0),
    "received_at": None,
    "contracted": None,
    "carrier": "",
    "tracking": "",
    "shipped": None,
    "handling": "",
}
_NOT_STARTED: dict[str, Any] = {
    "held_from": None,
    "attempt": 1,
    "assignee": None,
    "organisation": "",
    "na_decided": False,
    "ready_from": None,
    "finish_from": None,
    "started_at": None,
    "finished_at": None,
    "done_at": None,
    "performers": (),
    "items_done": None,
    "percent": None,
    "last_note": "",
    "stale_since": None,
    "valid_since": None,
    "valid_until": None,
    "waived": False,
    "attested": False,
    "simulated": False,
    "before": False,
}


def _says(a: PlanActivity, ordinal: int) -> dict[str, Any]:
    """Give the columns that are the plan's to say."""
    d = a.dates
    return {
        "id": a.id,
        "ordinal": ordinal,
        "step": a.step,
        "unit": a.unit,
        "title": a.title,
        "phase": a.phase.value,
        "kind": a.kind.value,
        "scope": a.scope.value,
        "role": a.role,
        "crew_size": a.crew_size,
        "calendar": a.calendar,
        "duration_m_h": a.duration.m,
        "items_of": a.items_of,
        "items": a.items,
        "effect": a.effect.value if a.effect else None,
        "playbook": a.playbook,
        "plays": a.plays,
        "preview": a.preview,
        "shares": a.shares,
        "by_waves": a.waves is not None,
        "completed_by": a.completed_by,
        "continuing": a.continuing,
        "hold_point": a.policy.hold_point,
        "needed": a.policy.needed,
        "quorum": a.policy.quorum,
        "separation": a.policy.separation,
        "roles": a.policy.roles,
        "evidence": a.policy.evidence,
        "witnesses": a.policy.witness.roles if a.policy.witness else (),
        "notice_h": a.policy.witness.notice_h if a.policy.witness else 0.0,
        "valid_days": a.policy.valid_days,
        "also_reads": None if a.also_reads is None else {read.metric: read.unit for read in a.also_reads},
        "ncr_class": a.ncr_class,
        "early_start": d.early_start if d else None,
        "early_finish": d.early_finish if d else None,
        "late_start": d.late_start if d else None,
        "late_finish": d.late_finish if d else None,
        "total_float_h": d.total_float_h if d else None,
        "in_plan": True,
    }


def _first_state(a: PlanActivity, event: Event) -> dict[str, Any]:
    if a.applicable:
        return _NOT_STARTED | {"state": "open", "na_reason": None, "na_at": None}
    reason = a.not_applicable_because or "does not apply"
    at = event.effective_at
    return _NOT_STARTED | {"state": "not_applicable", "na_reason": reason, "na_at": at}


def _next_state(
    row: Activity, a: PlanActivity, criteria: dict[str, list[tuple[str, ...]]] | None, event: Event
) -> dict[str, Any]:
    if row.state in NOT_BEGUN and not row.na_decided:
        if not a.applicable:
            reason = a.not_applicable_because or "does not apply"
            return {"state": "not_applicable", "na_reason": reason, "na_at": event.effective_at}
        return {"state": "open", "na_reason": None, "na_at": None}
    if criteria is not None and row.state == "done" and row.stale_since is None:
        return {"stale_since": event.seq} if _asks_more(row, a, criteria.get(row.id, [])) else {}
    return {}


def _asks_more(row: Activity, a: PlanActivity, criteria: list[tuple[str, ...]]) -> bool:
    """Say whether what was done is not what the new revision asks for."""
    asked = [(c.metric, c.op, value_text(c.value) or "", c.unit, c.each or "") for c in a.criteria]
    held = (
        row.title,
        row.items,
        tuple(row.roles),
        row.quorum,
        row.separation,
        row.needed,
        tuple(row.evidence),
        row.hold_point,
    )
    new = (
        a.title,
        a.items,
        a.policy.roles,
        a.policy.quorum,
        a.policy.separation,
        a.policy.needed,
        a.policy.evidence,
        a.policy.hold_point,
    )
    return held != new or criteria != asked


def _gone(row: Activity, event: Event) -> dict[str, Any]:
    if row.state != "open":
        return {}
    return {
        "state": "not_applicable",
        "na_reason": f"removed by revision {event.plan_revision}",
        "na_at": event.effective_at,
    }


def _criteria_in_force(session: Session) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    order = select(Criterion).order_by(col(Criterion.activity), col(Criterion.ordinal))
    for c in session.scalars(order).all():
        found.setdefault(c.activity, []).append((c.metric, c.op, c.value, c.unit, c.each or ""))
    return found


def _order(o: PlanOrder, ordinal: int) -> dict[str, Any]:
    return {
        "id": o.id,
        "ordinal": ordinal,
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
