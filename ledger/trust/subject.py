"""On a signed site a decision does not believe the tables of what it is about: the state is worked out from the verified events.

Somebody who can write the file can set an activity to done, delete a reading, or close a non-conformance. So before a decision is
recorded, the rows of its subject and of everything that it waits for are compared with what their own events say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from sqlmodel import SQLModel

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State
from ledger.rules.readiness import GO_LIVE
from ledger.rules.subjects import is_supply, order_of
from ledger.state.tables.event import AGAINST
from ledger.stores.sqlite import OPERATIONAL, columns_of
from ledger.trust.authority import forged, verified
from ledger.trust.own_events import Nodes, deliveries_of, listed, orders_of
from ledger.trust.refolding import Refolding, empty_tables
from schedule.errors import UnreachableError
from steps.catalog.terms import Kind
from steps.planning.activity import activity_of

ELSEWHERE = OPERATIONAL | {"fact", "action_item"}
"""Tables with an activity whose rows are not of that activity's own events. Facts are compared by their unit."""

_WITH_ACTIVITY = {name for name, table in SQLModel.metadata.tables.items() if "activity" in table.columns}
OF_ACTIVITY = sorted(_WITH_ACTIVITY - ELSEWHERE)
"""Tables whose rows are of the events of the activity that they name."""

OF_SUBJECT = ("entry", "correction", "statement", "change_order")
"""Tables whose rows name an activity, an order or a delivery."""

_FAMILY = "= :name OR ({0} > :name || '#' AND {0} < :name || '$')"
_OF_ROOT = {
    **dict.fromkeys(OF_ACTIVITY, "activity = :name"),
    **dict.fromkeys(OF_SUBJECT, "subject " + _FAMILY.format("subject")),
    "item_result": "run IN (SELECT id FROM run WHERE activity = :name)",
    "delivery": "tranche > :name || '#' AND tranche < :name || '$'",
}
_WAITED_FOR = 'SELECT "before" FROM link WHERE "after" IN (SELECT value FROM json_each(:names))'
_TRANSPARENT = f"""
SELECT id FROM activity WHERE id IN (SELECT value FROM json_each(:names))
  AND (state = '{State.NOT_APPLICABLE}' OR early_because <> '')
UNION ALL SELECT id FROM order_line WHERE id IN (SELECT value FROM json_each(:names)) AND early_because <> ''"""  # noqa: S608  our names
_AGAINST = f"SELECT DISTINCT subject FROM event WHERE {AGAINST}"  # noqa: S608  our names
_IN = "IN (SELECT value FROM json_each(:name))"
_LISTED = f"id {_IN} ORDER BY id"
_OF_ORDERS = f"order_line {_IN}"
_AGAINST_IT = f"activity {_IN}"
_TO_THEM = f'"after" {_IN}'
_READY = frozenset({"ready_from", "finish_from"})


def refuse_forged(snapshot: Snapshot, subject: str) -> None:
    """Raise UnreachableError if the tables that a decision rests on say otherwise than the verified events."""
    authority = verified(snapshot)
    root = subject.partition("#")[0]
    found = snapshot.first("SELECT plan FROM activity WHERE id = :name", name=root)
    if authority.plan is None or found is None:
        return
    against = _open_against(snapshot, found[0])
    nodes = _nodes(snapshot, root, found[0])
    nodes.activities |= against
    nodes.families |= against

    def refuse(*, by_all_plans: bool) -> None:
        with empty_tables() as connection:
            refolding = Refolding(connection, snapshot, authority, nodes, by_all_plans=by_all_plans)
            for wrong in _differences(snapshot, refolding, nodes, root, against):
                raise forged(wrong)

    try:
        refuse(by_all_plans=False)
    except UnreachableError:  # or a plan has removed a delivery since
        refuse(by_all_plans=True)


def _nodes(snapshot: Snapshot, root: str, part: str) -> Nodes:
    """Return the nodes on which a decision about an activity, or about its orders, rests."""
    plan = activity_of(part)
    orders = orders_of(snapshot, root)
    awaiting = {root, *orders, *deliveries_of(snapshot, orders)}
    nodes = Nodes({root, *plan.completed_by}, {root}, awaiting=awaiting)
    nodes.units |= {plan.unit} if plan.facts else set()
    new = set(awaiting)
    while new:
        before = set(snapshot.column(_WAITED_FOR, names=listed(new)))
        activities = {name for name in before if not is_supply(name)}
        orders_before = {order_of(name) for name in before if is_supply(name)}
        new = set(snapshot.column(_TRANSPARENT, names=listed(activities | orders_before))) - nodes.awaiting
        nodes.activities |= activities
        nodes.orders |= orders_before
        nodes.awaiting |= new
    nodes.orders -= set(orders)
    return nodes


def _open_against(snapshot: Snapshot, part: str) -> set[str]:
    """Return the activities whose non-conformances may keep this one from passing: for a gate or a hold point any of class A."""
    plan = activity_of(part)
    if not (plan.kind is Kind.GATE or plan.policy.hold_point or plan.step == GO_LIVE):
        return set()
    return {subject.partition("#")[0] for subject in snapshot.column(_AGAINST)}


def _differences(
    snapshot: Snapshot,
    refolding: Refolding,
    nodes: Nodes,
    root: str,
    against: Iterable[str],
) -> Iterator[str]:
    """Yield what differs between the file and the verified events."""
    unlike = partial(_unlike, snapshot, refolding.tables)
    imported = frozenset({"received_quantity", "ordered"}) if refolding.imported else frozenset()
    own = orders_of(snapshot, root)
    before, awaiting = listed(nodes.activities - nodes.awaiting), listed(nodes.activities & nodes.awaiting)
    yield from unlike("activity", _LISTED, before, _READY)
    yield from unlike("order_line", _LISTED, listed(nodes.orders), _READY | imported)
    yield from unlike("tranche", _OF_ORDERS, listed(nodes.orders), imported)
    yield from unlike("ncr", _AGAINST_IT, listed(against))
    for unit in nodes.units:
        yield from unlike("fact", "unit = :name", unit)
    for table, where in _OF_ROOT.items():
        yield from unlike(table, where, root)
    yield from unlike("order_line", _LISTED, listed(own), imported)
    yield from unlike("tranche", _OF_ORDERS, listed(own), imported)
    yield from unlike("activity", _LISTED, awaiting)
    yield from unlike("link", _TO_THEM, listed(nodes.awaiting))


def _unlike(
    snapshot: Snapshot,
    again: Snapshot,
    table: str,
    where: str,
    name: str,
    left_out: frozenset[str] = frozenset(),
) -> Iterator[str]:
    """Yield how the first row of a table differs that is not what the events say."""
    columns, keys = columns_of(table)
    shown = [column for column in columns if column not in left_out]
    named = ", ".join(f'"{column}"' for column in shown)
    sql = f'SELECT {named} FROM "{table}" WHERE {where}'  # noqa: S608  our names
    there, expected = snapshot.ask(sql, name=name), again.ask(sql, name=name)
    if there == expected or sorted(there, key=repr) == sorted(expected, key=repr):
        return
    places = [shown.index(key) for key in keys]
    rows, right = _by_key(there, places), _by_key(expected, places)
    for key in sorted(rows.keys() | right.keys(), key=repr):
        if rows.get(key) != right.get(key):
            yield f"{table} {'/'.join(map(str, key))} {_how(shown, rows.get(key), right.get(key))}"


def _by_key(rows: Iterable[Any], places: Iterable[int]) -> dict[Any, Any]:
    return {tuple(row[place] for place in places): row for row in rows}


def _how(columns: list[str], row: Any, expected: Any) -> str:
    if row is None or expected is None:
        return "is missing" if row is None else "was made by no event"
    pairs = zip(columns, row, expected, strict=True)
    name, there, right = next(pair for pair in pairs if pair[1] != pair[2])
    return f"says {name} {there!r}; its events say {right!r}"
