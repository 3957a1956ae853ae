"""Keeping `ready_from` true: after events, only the successors of what changed are worked out again.

Each link row holds when its own wait ends, lag included. A node is ready from the latest of these, and not at all while one
of them is unknown. Both are one look in an index, however many links lead to go-live.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from json import dumps
from typing import Any, NamedTuple

from sqlalchemy import bindparam, update
from sqlmodel import SQLModel

from ledger.rules.activity import Activity, State
from ledger.rules.readiness import NEVER, Times, activity_times, satisfied_at, side_of
from ledger.rules.working_time import SiteCalendar
from ledger.state.projection import EVERY, Projection, stored
from steps.stamps import instant, moment

MANY = 2000
"""From so many changed nodes on it is quicker to work out every link."""

_REVISION = """
SELECT first_at, time_zone, start, working_days, working_hours, holidays
FROM plan_revision ORDER BY revision DESC LIMIT 1"""
_LINKS = """
SELECT id, "before", "after", type, lag_h, lag_calendar, satisfied_at FROM link
WHERE "before" IN (SELECT value FROM json_each(:names)) ORDER BY id"""
_EVERY_LINK = 'SELECT id, "before", "after", type, lag_h, lag_calendar, satisfied_at FROM link'
_ORDERS = "SELECT id, ready_from FROM order_line WHERE id IN (SELECT value FROM json_each(:names))"
_READINESS = """
SELECT value,
  EXISTS (SELECT 1 FROM link WHERE "after" = value AND side = 'start' AND satisfied_at IS NULL),
  (SELECT max(satisfied_at) FROM link WHERE "after" = value AND side = 'start'),
  EXISTS (SELECT 1 FROM link WHERE "after" = value AND side = 'finish' AND satisfied_at IS NULL),
  (SELECT max(satisfied_at) FROM link WHERE "after" = value AND side = 'finish')
FROM json_each(:names) ORDER BY value"""
_SUPPLIES = """
SELECT id, placed_at FROM order_line WHERE id IN (SELECT value FROM json_each(:names))
UNION ALL SELECT id, received_at FROM tranche WHERE id IN (SELECT value FROM json_each(:names))"""
_ALL_SUPPLIES = """
SELECT id, placed_at FROM order_line WHERE placed_at IS NOT NULL
UNION ALL SELECT id, received_at FROM tranche WHERE received_at IS NOT NULL"""


class Network(NamedTuple):
    """The plan in force as readiness needs it: its calendar, and when its first work may begin."""

    calendar: SiteCalendar
    first: datetime


def settle(p: Projection) -> None:
    """Work out again what follows the nodes that have changed. Without a plan nothing follows."""
    changed, p.changed = p.changed, {}
    revision = p.ask(_REVISION) if changed else []
    if revision:
        network = Network(SiteCalendar(*revision[0][1:]), moment(revision[0][0]))
        if EVERY in changed or len(changed) >= MANY:
            _settle_every_node(p, network)
        else:
            _settle(p, network, changed)
    p.flush()


def _settle(p: Projection, network: Network, changed: Iterable[str]) -> None:
    """Go on from what changed, and on through what is bridged."""
    wave = list(changed)
    while wave:
        times = _times(p, wave)
        touched = set()
        for number, before, after, kind, lag_h, lag_calendar, old in p.ask(_LINKS, names=dumps(wave)):
            ends = satisfied_at(kind, lag_h, lag_calendar, times.get(before, NEVER), network.calendar)
            if stored(ends) != old:
                _link_ends(p, [{"its_id": number, "ends": stored(ends)}])
                touched.add(after)
        moved = list(_move(p, network.first, touched)) if touched else []
        wave = [row.id for row in moved if row.na_decided]


def _move(p: Projection, first: datetime, names: Iterable[str]) -> Iterator[Activity]:
    """Set when nodes are ready, from their links. Yield the activities where that changed."""
    wanted = dumps(sorted(names))
    orders = dict(p.ask(_ORDERS, names=wanted))
    rows = p.activities(json.loads(wanted))
    for name, waits, ready, waits_to_finish, finish in p.ask(_READINESS, names=wanted):
        ready_from = None if waits else instant(ready) or first
        if name in orders and stored(ready_from) != orders[name]:
            p.update("order_line", name, ready_from=ready_from)
        if name in rows:
            row = rows[name]
            has_moved = row.ready_from != ready_from
            p.change(row, ready_from=ready_from, finish_from=None if waits_to_finish else instant(finish) or first)
            if has_moved:
                yield row


def _times(p: Projection, names: list[str]) -> dict[str, Times]:
    """Return the times of nodes as their successors see them."""
    times = {name: activity_times(row) for name, row in p.activities(n for n in names if "#" not in n).items()}
    supplies = [name for name in names if "#" in name]
    if supplies:
        times |= {name: Times(instant(at), instant(at)) for name, at in p.ask(_SUPPLIES, names=dumps(supplies))}
    return times


def times_of(p: Projection, name: str) -> Times:
    """Return a node's times as its successors see them."""
    return _times(p, [name]).get(name, NEVER)


def _settle_every_node(p: Projection, network: Network) -> None:
    """Work out every link and every node, after a plan is adopted."""
    names = [name for (name,) in p.ask("SELECT id FROM activity ORDER BY ordinal")]
    rows = p.activities(names)
    begun = {name: row for name, row in rows.items() if row.state not in {State.OPEN, State.NOT_APPLICABLE}}
    times = {name: activity_times(row) for name, row in begun.items()}
    times |= {name: Times(instant(at), instant(at)) for name, at in p.ask(_ALL_SUPPLIES)}
    worst: dict[tuple[str, str], datetime | None] = {}
    known: list[dict[str, Any]] = []
    for number, before, after, kind, lag_h, lag_calendar, old in p.ask(_EVERY_LINK):
        ends = satisfied_at(kind, lag_h, lag_calendar, times.get(before, NEVER), network.calendar)
        if stored(ends) != old:
            known.append({"its_id": number, "ends": stored(ends)})
        key = (after, side_of(kind))
        latest = worst.get(key, ends)
        worst[key] = None if ends is None or latest is None else max(latest, ends)
    _link_ends(p, known)
    for name, row in rows.items():
        starts, ends = worst.get((name, "start"), network.first), worst.get((name, "finish"), network.first)
        p.change(row, ready_from=starts, finish_from=ends)
    for (name,) in p.ask("SELECT id FROM order_line"):
        p.update("order_line", name, ready_from=worst.get((name, "start"), network.first))
    _settle(p, network, [name for name in names if rows[name].na_decided])


def _link_ends(p: Projection, rows: list[dict[str, Any]]) -> None:
    if rows:
        link = SQLModel.metadata.tables["link"]
        change = update(link).where(link.c.id == bindparam("its_id")).values(satisfied_at=bindparam("ends"))
        p.connection.execute(change, rows)
