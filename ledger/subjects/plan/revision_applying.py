"""A plan revision applied to what already happened. Activities, orders and deliveries keep their ids and their state.

An activity that the plan no longer has, and that had not begun, becomes not applicable. One that had begun goes on, and from version 5
of the rules on by its criteria. A person's decision that an activity does not apply stays in force. The event says which activities are
opened or signed again (see `ledger.subjects.plan.revision_rules`). An event of version 1 did not say it. For such an event, an activity
that is done and now asked for differently becomes stale here.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.json import encode
from msgspec.structs import replace

from ledger.log.chain import Event
from ledger.rules.activity import NOT_BEGUN, Activity, State
from ledger.rules.rows import grouped
from ledger.rules.subjects import order_of
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.state.projection import Handlers, Projection, Row
from ledger.state.reopening import mark_resting, mark_stale, open_again
from ledger.subjects.plan.applying import columns_from, take_rows
from ledger.subjects.plan.payloads import Lot, PlanAdopted
from steps.planning.activity import PlanActivity, text_of, texts_of
from steps.planning.plan import PlanOrder, PlanTranche
from steps.stamps import moment

_LATEST = """
SELECT max(coalesce(t.received_at, d.at)) FROM tranche t LEFT JOIN delivery d ON d.tranche = t.id
WHERE t.order_line = :order AND t.received_quantity <> '0'"""


def revise(p: Projection, event: Event, payload: PlanAdopted) -> None:
    """Put the activities and orders of a plan revision in force. Open again what the event names, and take over what it names."""
    _revise_activities(p, event, payload)
    revise_orders(p, enumerate(p.plan(payload.document).orders))
    cut_anew(p, event, payload.recut or ())
    _reopen(p, event, payload)
    take_rows(p, event, payload.taken_over or ())


def _revise_activities(p: Projection, event: Event, payload: PlanAdopted) -> None:
    known, decided = set(p.ids("SELECT id FROM activity")), p.decided_activities()
    plan = p.plan(payload.document)
    kept = {planned.id for planned in plan.activities}
    gone = p.activities(sorted(known - kept))
    p.forget_activities()
    texts = texts_of(plan.activities)
    for ordinal, planned in enumerate(plan.activities):
        columns = planned_columns(planned)
        columns |= {"plan": texts[ordinal], "ordinal": ordinal, "in_plan": True}
        row = decided.get(planned.id)
        state = (
            first_state(planned, event)
            if row is None
            else _next_state(row, planned, event, rule_1=payload.reopened is None)
        )
        if planned.id in known:
            p.update("activity", planned.id, **columns, **state)
        else:
            p.add("activity", **columns, **state)
    for row in gone.values():
        if row.in_plan:
            is_begun = row.state is not State.OPEN
            criteria = row.plan.criteria if is_begun and p.rules >= ITEMS_AND_WAIVERS else ()
            unasked = replace(row.plan, criteria=criteria, facts=())
            state = _gone(row, event)
            p.update("activity", row.id, plan=text_of(unasked), in_plan=False, **state)


def revise_orders(p: Projection, orders: Iterable[tuple[int, PlanOrder]]) -> None:
    """Update every order and delivery of the plan. Remove those that the plan no longer has, unless placed or received.

    `orders` have their places in the plan. From version 5 of the rules on, what was ordered stays until it comes or a change order
    ends it, and is needed by no day.
    """
    known = set(p.ids("SELECT id FROM order_line UNION ALL SELECT id FROM tranche"))
    p.run("UPDATE order_line SET in_plan = 0")
    p.run("UPDATE tranche SET in_plan = 0")

    def put(table: str, columns: Row) -> None:
        if columns["id"] in known:
            p.update(table, columns["id"], **columns)
        else:
            p.add(table, **columns)

    for ordinal, order in orders:
        put("order_line", order_columns(order) | {"ordinal": ordinal})
        for tranche in order.tranches:
            put("tranche", tranche_columns(order, tranche))
    removed = "NOT in_plan AND received_quantity = '0'"
    if p.rules >= ITEMS_AND_WAIVERS:
        removed += " AND order_line IN (SELECT id FROM order_line WHERE placed_at IS NULL)"
        p.run("UPDATE tranche SET need_by = NULL WHERE NOT in_plan")
        p.run("UPDATE order_line SET need_by = NULL, total_float_h = NULL WHERE NOT in_plan")
    p.run(f"DELETE FROM tranche WHERE {removed}")  # noqa: S608  our names
    p.run("DELETE FROM order_line WHERE NOT in_plan AND placed_at IS NULL")


def cut_anew(p: Projection, event: Event, lots: Iterable[Lot]) -> None:
    """Put what was ordered and what came of orders into the deliveries that the event names. It has been here since the last of it came."""
    by_order = grouped((order_of(lot.delivery), lot) for lot in lots)
    for order, held in by_order.items():
        (latest,) = p.ids(_LATEST, order=order)
        here = {"received_at": moment(latest) if latest else event.effective_at}
        nothing_agreed = {"contracted": None, "contracted_for": None}
        for lot in held:
            holds = {"received_quantity": lot.received, "promised": lot.promised}
            p.update("tranche", lot.delivery, **here, **holds, **nothing_agreed)
        ordered = {lot.delivery: lot.ordered for lot in held}
        p.update("order_line", order, ordered=encode(ordered).decode())


def _reopen(p: Projection, event: Event, payload: PlanAdopted) -> None:
    """Open again and mark as stale the activities that the event names. The new links say what comes after them."""
    reopened, sign_again = payload.reopened or (), payload.sign_again or ()
    if not reopened and not sign_again:
        return
    p.keep_activities()
    for again in reopened:
        open_again(p, again.activity, f"revision {payload.revision}: {again.why}")
    mark_resting(p, [again.activity for again in reopened], event.seq)
    mark_stale(p, [again.activity for again in sign_again], event.seq)


def planned_columns(a: PlanActivity) -> Row:
    """Return the columns by which queries search, as the plan has them."""
    dates = a.dates
    return {
        "id": a.id,
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


def first_state(a: PlanActivity, event: Event) -> Row:
    """Return the columns of the state that an adopted plan gives to an activity that has not begun."""
    if a.applicable:
        return {"state": State.OPEN, "na_reason": None, "na_at": None}
    reason = a.not_applicable_because or "does not apply"
    return {"state": State.NOT_APPLICABLE, "na_reason": reason, "na_at": event.effective_at}


def _next_state(row: Activity, a: PlanActivity, event: Event, *, rule_1: bool) -> Row:
    """Return the columns of the state that a revision changes. `rule_1` is true for an event of version 1."""
    if row.state in NOT_BEGUN | {State.NOT_APPLICABLE} and not row.na_decided:
        return first_state(a, event)
    if rule_1 and row.state is State.DONE and not row.stale and _asks_more(row.plan, a):
        return {"stale_since": event.seq}
    return {}


def _asks_more(was: PlanActivity, now: PlanActivity) -> bool:
    """Return whether the new revision asks for another result or another approval, by the rule of version 1."""
    return _asked_1(was) != _asked_1(now)


def _asked_1(a: PlanActivity) -> tuple[object, ...]:
    names = ("roles", "quorum", "separation", "needed", "evidence", "hold_point")
    approval = [getattr(a.policy, name) for name in names]
    fields = ("metric", "op", "value", "unit", "each")
    criteria = [[getattr(c, name) for name in fields] for c in a.criteria]
    return a.title, a.items, approval, criteria


def _gone(row: Activity, event: Event) -> Row:
    if row.state is not State.OPEN:
        return {}
    reason = f"removed by revision {event.plan_revision}"
    return {"state": State.NOT_APPLICABLE, "na_reason": reason, "na_at": event.effective_at}


def order_columns(o: PlanOrder) -> Row:
    """Return the columns of an order that come from the plan."""
    return columns_from("order_line", o) | {
        "lead_m_h": o.lead.m,
        "total_float_h": o.dates.total_float_h if o.dates else None,
        "in_plan": True,
    }


def tranche_columns(order: PlanOrder, t: PlanTranche) -> Row:
    """Return the columns of a delivery that come from the plan."""
    return columns_from("tranche", t) | {
        "order_line": order.id,
        "need_by": t.dates.late_finish if t.dates else None,
        "in_plan": True,
    }


HANDLERS: Handlers = {
    PlanAdopted: revise,
}
