"""What differs between two plans: activities, links, orders, hosts, people, finish; and what no longer holds."""

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from operator import attrgetter
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from clusterwright.changed_words import both, sides_of
from clusterwright.output import Document
from clusterwright.planning import plan_of
from ledger.evidence.plans import load_plan, read_plan
from ledger.questions.case import select
from ledger.questions.orders import changes, orders
from ledger.questions.site import plan_document
from ledger.questions.snapshot import Snapshot
from ledger.revising import consequences_of, recut_by, taken_over_by
from ledger.rules.rows import OrderRow
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.subjects.plan.payloads import Lot
from ledger.subjects.plan.revision_rules import Consequence, Consequences
from ledger.subjects.plan.taking_over_rules import TakenOver, some
from ledger.subjects.plan.upgrading_rules import Upgrade
from ledger.subjects.runs.host_name_rules import folded
from steps.amount import counted
from steps.catalog.terms import Scope
from steps.design.products import product_changes
from steps.planning.activity import Hours, PlanActivity
from steps.planning.plan import Plan, PlanLink
from steps.planning.working_hours import in_words
from steps.stamps import local_day
from steps.value import trimmed

UNIT = re.compile(r"@[^ #/]+")


class Change(NamedTuple):
    """One difference; an empty side means that it is not there."""

    what: str
    id: str
    before: str
    after: str


class _Bought(NamedTuple):
    """What an order is for."""

    quantity: Decimal
    unit_of_measure: str
    lead: Hours

    def __str__(self) -> str:
        return f"{counted(self.quantity, self.unit_of_measure)}, {self.lead.m / 168:g} weeks"


def plan_and_changes(snapshot: Snapshot) -> tuple[Plan, list[Change]]:
    """Return the plan that the site's folder makes now, and what it would change."""
    with ThreadPoolExecutor(1) as pool:  # a processor is idle while dates are worked out
        pool.submit(load_plan, snapshot.site_dir, plan_document(snapshot, None))
        plan = plan_of(snapshot.site_dir, snapshot)
    return plan, changes_to(snapshot, plan)


def changes_to(snapshot: Snapshot, plan: Plan) -> list[Change]:
    """Return what a plan would change of the revision in force.

    First comes what then no longer holds, then what it takes over of finished work and what it cannot, then the plan itself.
    """
    held, taken = read_plan(snapshot), taken_over_by(snapshot, plan)
    found = consequences_of(snapshot, plan)
    replaced = {name: row.subject for row in taken.taken for name in row.was}
    return [
        *undone(found),
        *mapped(taken, plan.time_zone),
        *unmapped(Upgrade(held, plan)),
        *decided_away(snapshot, held, plan),
        *placed_otherwise(snapshot, plan, replaced),
        *other_products(snapshot, held, plan),
        *(_cut_anew(lot) for lot in recut_by(snapshot, plan)),
        *unaffected(found, plan),
        *plan_diff(held, plan),
    ]


def plan_diff(old: Plan, new: Plan) -> list[Change]:
    """Return every difference a person decides on, the finish first."""
    return [
        *_values(old, new),
        *_activities(old, new),
        *_differences("order", _bought(old), _bought(new)),
        *_links(old, new),
        *_hosts(old, new),
        *_differences("person", _roles(old), _roles(new)),
        *_differences("account", _accounts(old), _accounts(new)),
        *_differences("key", _keys(old), _keys(new)),
    ]


def for_people(changes: Sequence[Change]) -> list[Change]:
    """Return the changes as people read them: those that say the same of a step at several units in one.

    Links of an activity or an order that comes or goes follow from that, and are left out.
    """
    whole = {one.id for one in changes if one.what in {"added", "removed", "order"} and not (one.before and one.after)}
    ids: dict[Change, list[str]] = {}
    for change in changes:
        if change.what != "link" or whole.isdisjoint(change.id.split()):
            ids.setdefault(change._replace(id=UNIT.sub("@", change.id)), []).append(change.id)
    return [change._replace(id=some(names)) for change, names in ids.items()]


def undone(found: Consequences) -> list[Change]:
    """Return which results and sign-offs no longer hold, and what adopting does to each."""
    again = [Change("re-opened", c.activity, _was(c), f"attempt {c.attempt + 1}: {c.why}") for c in found.reopened]
    stale = (*found.sign_again, *found.stale)
    return again + [Change("stale", c.activity, _was(c), f"to be signed again: {c.why}") for c in stale]


def mapped(found: TakenOver, zone: str) -> list[Change]:
    """Return what counts as done in the place of finished work, and what was done in part only."""
    taken = [
        Change("taken over", row.subject, some(row.was), f"done on {local_day(row.finished, zone)}")
        for row in found.taken
    ]
    return taken + [Change("not taken over", row.subject, some(row.was), row.why) for row in found.left]


def unmapped(upgrade: Upgrade) -> list[Change]:
    """Return why finished work is not kept although a later release made the plan. Empty if it is kept."""
    first = "adopt the plan with the settings in force first, and change them then"
    return [Change("not kept", "finished work", setting, first) for setting in upgrade.settings]


def decided_away(snapshot: Snapshot, old: Plan, new: Plan) -> Iterator[Change]:
    """Yield the activities that the plan has again, and that do not apply because a person decided so before: they stay so."""
    applicable = {activity.id for activity in old.activities if activity.applicable}
    returns = {activity.id for activity in new.activities if activity.applicable} - applicable
    for row in select(snapshot, "na_decided"):
        if row.id in returns:
            yield Change("stays left out", row.id, f"not applicable: {row.na_reason}", "`reopen` brings it back")


def unaffected(found: Consequences, plan: Plan) -> list[Change]:
    """Return the finished work that the plan states otherwise and that stays finished: activities of a step alike in one change."""
    steps = {activity.id: activity.step for activity in plan.activities}
    alike: dict[tuple[str, str], list[str]] = {}
    for c in found.kept:
        alike.setdefault((steps[c.activity], c.why), []).append(c.activity)
    return [Change("stays done", some(names), "", why) for (_, why), names in sorted(alike.items())]


def _was(c: Consequence) -> str:
    return f"{c.state.words}, attempt {c.attempt}"


def placed_otherwise(snapshot: Snapshot, new: Plan, replaced: Mapping[str, str]) -> list[Change]:
    """Return the orders that went out for another quantity. They stay placed, and a person settles the difference.

    `replaced` has what takes the place of an order, by the order's id.
    """
    wanted = _bought(new)
    changes = []
    for row, placed in _placed(snapshot):
        order = wanted.get(row.id)
        if order is None or order.quantity != placed:
            before = f"placed for {counted(placed, row.unit_of_measure)}"
            has = (
                f"its place is taken by {replaced[row.id]}"
                if row.id in replaced
                else f"the plan now has {order or 'none of it'}"
            )
            changes.append(Change("order stands", row.id, before, has))
    return changes


def other_products(snapshot: Snapshot, old: Plan, new: Plan) -> Iterator[Change]:
    """Yield the placed orders whose product the new plan has otherwise. They stay placed too."""
    was, now = ({**plan.figures, **plan.choices} for plan in (old, new))
    wanted = _bought(new)
    for row in orders(snapshot):
        differs = product_changes(row.item, was, now) if row.placed_at and row.id in wanted else ""
        if differs:
            yield Change("order stands", row.id, "placed for another product", differs)


def _cut_anew(lot: Lot) -> Change:
    return Change("cut anew", lot.delivery, "", f"{trimmed(lot.ordered)} ordered, {trimmed(lot.received)} of them here")


def _placed(snapshot: Snapshot) -> Iterator[tuple[OrderRow, Decimal]]:
    """Yield the placed orders with what they went out for, change orders included. By earlier rules that was in the plan of then."""
    (rules,) = snapshot.first("SELECT rules FROM site")
    in_force = dict(snapshot.ask("SELECT subject, plan_revision FROM event WHERE kind = 'order.placed' ORDER BY seq"))
    for row in orders(snapshot):
        if row.placed_at is None:
            continue
        if rules >= ITEMS_AND_WAIVERS:
            yield row, row.ordered
            continue
        then = {one.id: one for one in read_plan(snapshot, in_force.get(row.id)).orders}.get(row.id)
        quantities = {} if then is None else {one.id: one.quantity for one in then.tranches}
        for one in changes(snapshot, row.id):
            if one.state == "approved" and one.quantity is not None:
                quantities[one.subject] = one.quantity
        yield row, sum(quantities.values(), Decimal(0)) or row.quantity


_SITE = (
    "preset",
    "time_zone",
    "currency",
    "facility",
    "start",
    "working_days",
    "working_hours",
    "evidence",
    "drift",
    "engine_key",
)
_COMPARED = ("applicable", "title", "duration", "calendar", "items", "policy", "criteria", "playbook", "role")


def _values(old: Plan, new: Plan) -> Iterator[Change]:
    if old.finish != new.finish:
        sides = (one.finish.astimezone(ZoneInfo(new.time_zone)).isoformat(timespec="minutes") for one in (old, new))
        yield Change("finish", old.site, *sides)
    yield from _differences("site", _of_site(old), _of_site(new))
    yield from _differences("for late orders", _responses(old), _responses(new))
    yield from _differences("calendar", _weeks(old), _weeks(new))
    last = max(old.finish, new.finish).date().isoformat()
    if before_and_after := _public_holidays(old, new, last):
        yield Change("days off", old.site, *before_and_after)
    yield from _differences("day off", _days_off(old, last), _days_off(new, last))
    yield from _differences("design", old.design, new.design)


def _of_site(plan: Plan) -> Document:
    values = {name: getattr(plan, name) for name in _SITE}
    return {name: value for name, value in values.items() if value is not None}


def _responses(plan: Plan) -> dict[str, str]:
    """Return the items whose late orders each response is for."""
    return {response.words: ", ".join(items) for response, items in plan.responses.items()}


def _weeks(plan: Plan) -> dict[str, str]:
    """Return the days, hours and days off of the calendars of trades, by name."""
    return {
        name: f"{in_words(own.working_days, own.working_hours)}, {len(own.holidays)} days off"
        for name, own in plan.calendars.items()
    }


def _days_off(plan: Plan, last: str) -> dict[str, str]:
    """Return the site's days off until a day: a plan has those of many years more."""
    return {day: "off" for day in plan.holidays if day <= last}


def _public_holidays(old: Plan, new: Plan, last: str) -> list[str]:
    """Return how many days off both plans have until a day; nothing where they have the same ones."""
    both = [_days_off(plan, last) for plan in (old, new)]
    return [f"{len(days)} until {last}" for days in both] if both[0] != both[1] else []


def _differences(
    what: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> Iterator[Change]:
    """Yield what differs by name. A side without the name is empty."""
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield Change(what, name, *both(before.get(name), after.get(name)))


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
    for name in _COMPARED:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield from (Change(name, old.id, *sides) for sides in sides_of(before, after))


def _bought(plan: Plan) -> dict[str, _Bought]:
    bought = attrgetter("quantity", "unit_of_measure", "lead")
    return {order.id: _Bought(*bought(order)) for order in plan.orders}


def _links(old: Plan, new: Plan) -> Iterator[Change]:
    """Yield the links that are new or gone. One whose lag changed is not a change by itself."""
    before, after = _by_ends(old), _by_ends(new)
    for ends in sorted(before.keys() ^ after.keys()):
        sides = [f"lag {side[ends].lag_h:g} h" if ends in side else "" for side in (before, after)]
        yield Change("link", "{} -> {} {}".format(*ends), *sides)


def _by_ends(plan: Plan) -> dict[tuple[str, str, str], PlanLink]:
    return {(link.before, link.after, link.type): link for link in plan.links}


def _hosts(old: Plan, new: Plan) -> Iterator[Change]:
    """Yield the hosts that leave a pod, or the site's own ones, and those that come: the next runs touch these."""
    before, after = _by_unit(old), _by_unit(new)
    for unit in sorted(before.keys() | after.keys()):
        had, has = before.get(unit, set()), after.get(unit, set())
        if had != has:
            yield Change("hosts", unit, folded(had - has), folded(has - had))


def _by_unit(plan: Plan) -> dict[str, set[str]]:
    pods = {unit.id: set(unit.hosts) for unit in plan.units if unit.kind is Scope.POD}
    return pods | {unit.id: set(unit.shared) for unit in plan.units if unit.kind is Scope.SITE}


def _roles(plan: Plan) -> dict[str, str]:
    return {person.id: ", ".join(person.roles) for person in plan.people}


def _accounts(plan: Plan) -> dict[str, str | None]:
    return {person.id: person.account for person in plan.people}


def _keys(plan: Plan) -> dict[str, str | None]:
    """Return people's keys without comments, as a plan in force has them."""
    return {person.id: person.ssh_key and " ".join(person.ssh_key.split()[:2]) for person in plan.people}
