"""The events that a few activities and orders have in the chain, looked up in indexes. Each has its hash and its place in the chain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from json import dumps
from typing import Any

from ledger.log.chain import hash_of
from ledger.log.columns import COLUMNS, row_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import BEYOND
from ledger.trust.authority import forged, refused_by_copy

_NAMED = ", ".join(f"e.{name}" for name in COLUMNS)
_EVENTS = f"""
SELECT {_NAMED}, prior.hash, next.prev_hash FROM event e
LEFT JOIN event prior ON prior.seq = e.seq - 1 LEFT JOIN event next ON next.seq = e.seq + 1"""  # noqa: S608  our names
_OF_SUBJECTS = _EVENTS + " WHERE e.subject IN (SELECT value FROM json_each(:names))"  # noqa: S608  our names
_OF_FAMILY = _EVENTS + " WHERE e.subject > :name || '#' AND e.subject < :name || '$'"
_OF_DELIVERIES = _EVENTS + " WHERE e.subject > :name || '/' AND e.subject < :name || '0'"
_BEYOND = _EVENTS + " WHERE " + BEYOND.replace("kind", "e.kind", 1)
_IMPORTED = f"""{_BEYOND} AND e.kind = 'progress.adopted'
AND EXISTS (SELECT 1 FROM json_each(:names) WHERE instr(e.payload, '"' || value || '"'))"""  # noqa: S608  our names
_FACTS = f"""{_BEYOND}
AND e.kind = 'facts.recorded' AND substr(e.subject, instr(e.subject, '@') + 1) = :unit"""
_REOPENING = f"""{_BEYOND} AND e.seq > :since AND (
  (e.kind = 'facts.recorded' AND NOT instr(e.payload, '"reopened":[]')) OR (e.kind = 'activity.reopened'
  AND (e.plan_revision = :revision OR e.seq IN (SELECT value FROM json_each(:stale)))))"""  # noqa: S608  our names
_GAPS = "SELECT (SELECT count(*) FROM event), (SELECT max(seq) FROM event)"

Row = dict[str, Any]


@dataclass
class Nodes:
    """Which nodes are worked out again.

    `activities` are, of those in `families` with their orders and deliveries, and so are `orders` of other activities. `awaiting`
    are the nodes of which it is worked out when they may start, and `units` those whose facts count.
    """

    activities: set[str]
    families: set[str] = field(default_factory=set)
    orders: set[str] = field(default_factory=set)
    awaiting: set[str] = field(default_factory=set)
    units: set[str] = field(default_factory=set)


def own_events(
    snapshot: Snapshot,
    nodes: Nodes,
    revision: int,
    stale: Iterable[int],
    begun: Iterable[int] = (),
) -> list[Row]:
    """Return the events of nodes, in order, and those of others that reach them. Refused events are left out.

    `revision` is the plan in force, `stale` are the events that are said to have made nodes stale, and `begun` are adoptions that
    took nodes over. Raise UnreachableError for an event that was changed, and for a chain from which one is missing.
    """
    events, last = snapshot.first(_GAPS)
    if events != last:
        raise forged(f"the chain has {events} events, and the last one is event {last}")
    found = snapshot.ask(_OF_SUBJECTS, names=listed(nodes.activities | nodes.orders))
    for family in nodes.families:
        found += snapshot.ask(_OF_FAMILY, name=family)
    for order in nodes.orders:
        found += snapshot.ask(_OF_DELIVERIES, name=order)
    orders = all_orders(snapshot, nodes)
    names = nodes.activities.union(orders, deliveries_of(snapshot, orders))
    found += snapshot.ask(_IMPORTED, names=listed(names))
    since = min((*(row[0] for row in found), *begun), default=last)
    again = {"since": since, "revision": revision, "stale": dumps(sorted(stale))}
    found += snapshot.ask(_REOPENING, **again)
    for unit in nodes.units:
        found += snapshot.ask(_FACTS, unit=unit)
    rows = {row[0]: row for row in found}
    for seq in refused_by_copy(snapshot):
        rows.pop(seq, None)
    return [_verified(*rows[seq]) for seq in sorted(rows)]


def all_orders(snapshot: Snapshot, nodes: Nodes) -> set[str]:
    """Return the ids of the nodes' orders."""
    return nodes.orders.union(*(orders_of(snapshot, family) for family in nodes.families))


def listed(names: Iterable[str]) -> str:
    """Return ids as a parameter of a query."""
    return dumps(sorted(names))


def deliveries_of(snapshot: Snapshot, orders: Iterable[str]) -> list[str]:
    """Return the ids of the deliveries of orders."""
    sql = "SELECT id FROM tranche WHERE order_line IN (SELECT value FROM json_each(:names))"
    return snapshot.column(sql, names=listed(orders))


def orders_of(snapshot: Snapshot, activity: str) -> list[str]:
    """Return the ids of the orders of an activity."""
    sql = "SELECT id FROM order_line WHERE id > :name || '#' AND id < :name || '$' ORDER BY id"
    return snapshot.column(sql, name=activity)


def _verified(*values: Any) -> Row:
    """Return an event's row. Raise if the row does not have its hash, or the events around it do not belong beside it."""
    *columns, prior, following = values
    row = row_of(columns)
    is_linked = row["seq"] == 1 or row["prev_hash"] == prior
    is_followed = following in {None, row["hash"]}
    if hash_of(row) != row["hash"] or not (is_linked and is_followed):
        raise forged(f"event {row['seq']} was changed after it was recorded, or an event beside it")
    return row
