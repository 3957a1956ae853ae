"""What differs between two plans: activities, links, orders, people, finish; and what no longer holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pydantic_core import to_json

from ledger.rules.revision import Consequence, Consequences
from ledger.rules.rows import OrderRow
from steps.schedule.activity import PlanActivity
from steps.schedule.plan import Plan, PlanOrder


class Change(NamedTuple):
    """One difference; an empty side means that it is not there."""

    what: str
    id: str
    before: str
    after: str


def plan_diff(old: Plan, new: Plan) -> list[Change]:
    """Return every difference a person decides on, the finish first."""
    return [
        part
        for of in (
            _values,
            _activities,
            _orders,
            _links,
            _people,
        )
        for part in of(old, new)
    ]


def undone(found: Consequences) -> list[Change]:
    """Return which results and sign-offs no longer hold, and what adopting does to each."""
    again = [Change("re-opened", c.activity, _was(c), f"attempt {c.attempt + 1}: {c.why}") for c in found.reopened]
    stale = (*found.sign_again, *found.stale)
    return [
        *again,
        *(
            Change(
                "stale",
                c.activity,
                _was(c),
                f"to be signed again: {c.why}",
            )
            for c in stale
        ),
    ]


def _was(c: Consequence) -> str:
    return f"{c.state.words}, attempt {c.attempt}"


def placed_otherwise(orders: list[OrderRow], new: Plan) -> list[Change]:
    """Return the orders that went out for another quantity. They stay placed, and a person settles the difference."""
    wanted = {order.id: order for order in new.orders}
    changes = []
    for row in orders:
        order = wanted.get(row.id)
        if row.placed_at is not None and (order is None or order.quantity != row.quantity):
            before = f"placed for {row.quantity} {row.unit_of_measure}"
            changes.append(Change("order stands", row.id, before, f"the plan now has {_order(order) or 'none of it'}"))
    return changes


_SITE = ("preset", "time_zone", "currency", "facility", "start", "working_days", "working_hours", "evidence")


def _values(old: Plan, new: Plan) -> Iterator[Change]:
    if old.finish != new.finish:
        yield Change("finish", old.site, old.finish.isoformat(), new.finish.isoformat())
    for name in _SITE:
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
        if _bought(ours) != _bought(theirs):
            yield Change("order", name, _order(ours), _order(theirs))


def _bought(order: PlanOrder | None) -> object:
    return None if order is None else (order.quantity, order.lead)


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
