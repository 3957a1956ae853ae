"""Working out when nodes are ready. After an event, only the successors of the nodes that changed are worked out again.

The row of each link has the time at which its wait ends, its lag included. A node is ready from the latest of these times. It
is not ready while one of them is unknown. Both are looked up in an index, however many links lead to a node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from json import dumps
from typing import Any, NamedTuple

from ledger.rules.readiness import NEVER, Times, activity_times, counted_from, satisfied_at, side_of
from ledger.rules.working_time import SiteCalendar
from ledger.state.projection import EVERY, Projection, stored
from steps.stamps import instant, moment

MANY = 2000
"""From this many changed nodes on, working out every link is faster."""

_REVISION = """
SELECT first_at, time_zone, start, working_days, working_hours, holidays
FROM plan_revision ORDER BY revision DESC LIMIT 1"""
_EVERY_LINK = 'SELECT id, "before", "after", type, lag_h, lag_calendar, satisfied_at FROM link'
_LINKS = _EVERY_LINK + ' WHERE "before" IN (SELECT value FROM json_each(:names)) ORDER BY id'  # noqa: S608  our names
_NEW_END = "UPDATE link SET satisfied_at = ? WHERE id = ?"
_ORDERS = """
SELECT id, ready_from, early_because <> '' FROM order_line WHERE id IN (SELECT value FROM json_each(:names))"""
_DELIVERIES = "SELECT id FROM tranche WHERE order_line IN (SELECT value FROM json_each(:names)) ORDER BY id"
_EARLY_ORDERS = "SELECT id FROM order_line WHERE early_because <> '' ORDER BY id"
_READINESS = """
SELECT value,
  EXISTS (SELECT 1 FROM link WHERE "after" = value AND side = 'start' AND satisfied_at IS NULL),
  (SELECT max(satisfied_at) FROM link WHERE "after" = value AND side = 'start'),
  EXISTS (SELECT 1 FROM link WHERE "after" = value AND side = 'finish' AND satisfied_at IS NULL),
  (SELECT max(satisfied_at) FROM link WHERE "after" = value AND side = 'finish')
FROM json_each(:names) ORDER BY value"""
_SUPPLIES = """
SELECT id, placed_at, early_because <> '', ready_from FROM order_line
WHERE id IN (SELECT value FROM json_each(:names))
UNION ALL SELECT t.id, t.received_at, o.early_because <> '', o.ready_from
FROM tranche t JOIN order_line o ON o.id = t.order_line WHERE t.id IN (SELECT value FROM json_each(:names))"""
_ALL_SUPPLIES = """
SELECT id, placed_at, 0, NULL FROM order_line WHERE placed_at IS NOT NULL AND early_because = ''
UNION ALL SELECT t.id, t.received_at, 0, NULL FROM tranche t JOIN order_line o ON o.id = t.order_line
WHERE t.received_at IS NOT NULL AND o.early_because = ''"""


class Network(NamedTuple):
    """What readiness needs of the plan in force: its calendar, and when the first work may begin."""

    calendar: SiteCalendar
    first: datetime


class Wait(NamedTuple):
    """The wait of a link: for which side of which node, and when it ends. `has_moved` is true if the row had another end."""

    link: int
    after: str
    side: str
    ends: datetime | None
    has_moved: bool


def settle(p: Projection) -> None:
    """Work out again what follows the nodes that have changed. Do nothing while there is no plan."""
    changed, p.changed = p.changed, {}
    revision = p.ask(_REVISION) if changed else []
    if revision:
        first_at, *calendar = revision[0]
        network = Network(SiteCalendar(*calendar), moment(first_at))
        if EVERY in changed or len(changed) >= MANY:
            _settle_every_node(p, network)
        else:
            _settle(p, network, changed)
    p.flush()


def _settle(p: Projection, network: Network, changed: Iterable[str]) -> None:
    """Work out the successors of nodes. Go on with the successors of those that are transparent."""
    wave = list(changed)
    while wave:
        times = _times(p, wave)
        waits = _worked_out(p, network, times, p.ask(_LINKS, names=dumps(wave)))
        wave = _move(p, network.first, {wait.after for wait in waits if wait.has_moved})


def _worked_out(
    p: Projection,
    network: Network,
    times: Mapping[str, Times],
    links: Iterable[Any],
) -> list[Wait]:
    """Return when the waits of links end, and write the ends that are new."""
    waits = []
    for number, before, after, kind, lag_h, lag_calendar, old in links:
        ends = satisfied_at(kind, lag_h, lag_calendar, times.get(before, NEVER), network.calendar)
        waits.append(Wait(number, after, side_of(kind), ends, stored(ends) != old))
    moved = [(stored(wait.ends), wait.link) for wait in waits if wait.has_moved]
    if moved:
        p.connection.exec_driver_sql(_NEW_END, moved)
    return waits


def _move(p: Projection, first: datetime, names: set[str]) -> list[str]:
    """Set from when nodes are ready, by their links. Return those for which that changed and whose successors wait for it too."""
    if not names:
        return []
    ordered = sorted(names)
    wanted, rows, moved = dumps(ordered), p.activities(ordered), []
    orders = {name: rest for name, *rest in p.ask(_ORDERS, names=wanted)}
    for name, waits, ready, waits_to_finish, finish in p.ask(_READINESS, names=wanted):
        ready_from = None if waits else instant(ready) or first
        finish_from = None if waits_to_finish else instant(finish) or first
        if name in orders and stored(ready_from) != orders[name][0]:
            p.update("order_line", name, ready_from=ready_from)
            if orders[name][1]:
                moved += _with_deliveries(p, [name])
        if name in rows:
            row = rows[name]
            before = (row.ready_from, row.finish_from)
            if row.is_transparent and before != (ready_from, finish_from):
                moved.append(name)
            p.change(row, ready_from=ready_from, finish_from=finish_from)
    return moved


def _with_deliveries(p: Projection, orders: list[str]) -> list[str]:
    """Return orders and their deliveries."""
    return [*orders, *p.ids(_DELIVERIES, names=dumps(orders))]


def _times(p: Projection, names: list[str]) -> dict[str, Times]:
    """Return the times of nodes as their successors see them."""
    supplies = [name for name in names if "#" in name]
    rows = p.activities(name for name in names if "#" not in name)
    times = {name: activity_times(row) for name, row in rows.items()}
    if supplies:
        times.update(_supplied(p.ask(_SUPPLIES, names=dumps(supplies))))
    return times


def _supplied(rows: Iterable[Any]) -> Iterator[tuple[str, Times]]:
    """Yield the times of orders and deliveries: they start and finish when they are placed or received.

    Those of an order that was placed out of sequence count from when the order's own predecessors are finished.
    """
    for name, text, is_early, ready_from in rows:
        at = instant(text)
        if is_early:
            at = counted_from(at, instant(ready_from))
        yield name, Times(at, at)


def _settle_every_node(p: Projection, network: Network) -> None:
    """Work out every link and every node, for example after a plan was adopted."""
    rows = p.decided_activities()
    transparent = [row.id for row in rows.values() if row.is_transparent]
    opaque = [row for row in rows.values() if not row.is_transparent]
    times = {row.id: activity_times(row) for row in opaque}
    times.update(_supplied(p.ask(_ALL_SUPPLIES)))
    latest: dict[tuple[str, str], datetime | None] = {}
    for wait in _worked_out(p, network, times, p.ask(_EVERY_LINK)):
        key = (wait.after, wait.side)
        other = latest.get(key, wait.ends)
        latest[key] = None if wait.ends is None or other is None else max(other, wait.ends)
    for name, *ends in p.ask("SELECT id, ready_from, finish_from FROM activity"):
        start = latest.get((name, "start"), network.first)
        finish = latest.get((name, "finish"), network.first)
        if ends != [stored(start), stored(finish)]:
            p.update("activity", name, ready_from=start, finish_from=finish)
    for (name,) in p.ask("SELECT id FROM order_line"):
        p.update("order_line", name, ready_from=latest.get((name, "start"), network.first))
    p.forget_activities()
    _settle(p, network, transparent + _with_deliveries(p, p.ids(_EARLY_ORDERS)))
