"""What differs between two plans: activities, links, orders, people, finish; and what no longer holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pydantic_core import to_json

from steps.schedule.activity import PlanActivity
from steps.schedule.plan import Plan, PlanOrder

if TYPE_CHECKING:
    from ledger.rules.revision import Consequences
    from ledger.rules.rows import OrderRow


class Change(NamedTuple):
    """One difference; an empty side means that it is not there."""

    what: str
    id: str
    before: str
    after: str


def plan_diff(old: Plan, new: Plan) -> list[Change]:
    """Give every difference a person decides on, the finish first."""
    changes = list(_values(old, new))
    changes += _activities(old, new)
    changes += _orders(old, new)
    changes += _links(old, new)
    changes += _people(old, new)
    return changes


def undone(found: Consequences) -> list[Change]:
    """Give which results and sign-offs no longer hold, and what adopting does to each."""
    changes = [
        Change("re-opened", c.activity, f"{c.state.words}, attempt {c.attempt}", f"attempt {c.attempt + 1}: {c.why}")
        for c in found.reopened
    ]
    changes += [
        Change("stale", c.activity, f"{c.state.words}, attempt {c.attempt}", f"to be signed again: {c.why}")
        for c in (*found.sign_again, *found.stale)
    ]
    return changes


def placed_otherwise(orders: list[OrderRow], new: Plan) -> list[Change]:
    """Give the orders that went out for another quantity; they stand, and a person settles the difference."""
    wanted = {order.id: order for order in new.orders}
    return [
        Change(
            "order stands",
            row.id,
            f"placed for {_order_row(row)}",
            f"the plan now has {_order(wanted.get(row.id)) or 'none of it'}",
        )
        for row in orders
        if row.placed_at is not None and (row.id not in wanted or wanted[row.id].quantity != row.quantity)
    ]


def _order_row(row: OrderRow) -> str:
    return f"{row.quantity} {row.unit_of_measure}"


def _values(old: Plan, new: Plan) -> Iterator[Change]:
    if old.finish != new.finish:
        yield Change("finish", old.site, old.finish.isoformat(), new.finish.isoformat())
    for name in ("preset", "time_zone", "currency", "facility", "start", "working_days", "working_hours", "evidence"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield Change("site", name, str(before), str(after))
    for name in sorted(old.design.keys() | new.design.keys()):
        before, after = old.design.get(name), new.design.get(name)
        if before != after:
            yield Change("design", name, str(before), str(after))


def _activities(old: Plan, new: Plan) -> Iterator[Change]:
    before = {a.id: a for a in old.activities}
    after = {a.id: a for a in new.activities}
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield Change("removed", name, before[name].title, "")
        elif name not in before:
            yield Change("added", name, "", after[name].title)
        else:
            yield from _activity(before[name], after[name])


def _activity(old: PlanActivity, new: PlanActivity) -> Iterator[Change]:
    compared = ("applicable", "title", "duration", "items", "policy", "criteria", "playbook", "role")
    for name in compared:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield Change(name, old.id, _text(before), _text(after))


def _orders(old: Plan, new: Plan) -> Iterator[Change]:
    before = {o.id: o for o in old.orders}
    after = {o.id: o for o in new.orders}
    for name in sorted(before.keys() | after.keys()):
        ours, theirs = before.get(name), after.get(name)
        if ours is None or theirs is None or (ours.quantity, ours.lead) != (theirs.quantity, theirs.lead):
            yield Change("order", name, _order(ours), _order(theirs))


def _order(order: PlanOrder | None) -> str:
    if order is None:
        return ""
    return f"{order.quantity} {order.unit_of_measure}, {order.lead.m / 168:g} weeks"


def _links(old: Plan, new: Plan) -> Iterator[Change]:
    def keyed(plan: Plan) -> dict[str, str]:
        return {f"{x.before} -> {x.after} {x.type}": f"lag {x.lag_h:g} h" for x in plan.links}

    before, after = keyed(old), keyed(new)
    for name in sorted(before.keys() ^ after.keys()):
        yield Change("link", name, before.get(name, ""), after.get(name, ""))


def _people(old: Plan, new: Plan) -> Iterator[Change]:
    before = {p.id: ", ".join(p.roles) for p in old.people}
    after = {p.id: ", ".join(p.roles) for p in new.people}
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield Change("person", name, before.get(name, ""), after.get(name, ""))


def _text(value: object) -> str:
    text = value if isinstance(value, str) else to_json(value).decode()
    return text if len(text) <= 120 else text[:117] + "..."
