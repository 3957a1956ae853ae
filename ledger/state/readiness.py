"""Working out when nodes are ready. After an event, only the successors of the nodes that changed are worked out again.

The row of each link has the time at which its wait ends, its lag included. A node is ready from the latest of these times. It
is not ready while one of them is unknown. Links that were read are kept, so that each is read once, however many events follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from json import dumps
from typing import Any

from ledger.rules.readiness import NEVER, Times, activity_times, counted_from, satisfied_at
from ledger.rules.rows import RECEIVED_AT
from ledger.rules.working_time import SiteCalendar
from ledger.state.projection import EVERY, Projection, stored
from steps.stamps import instant, moment, stamped

_REVISION = """
SELECT first_at, time_zone, start, working_days, working_hours, holidays
FROM plan_revision ORDER BY revision DESC LIMIT 1"""
_LINKS = 'SELECT id, "before", "after", side, type, lag_h, lag_calendar, satisfied_at FROM link'
_FROM = _LINKS + ' WHERE "before" IN (SELECT value FROM json_each(:names)) ORDER BY id'  # noqa: S608  our names
_TO = _LINKS + ' WHERE "after" IN (SELECT value FROM json_each(:names)) ORDER BY id'  # noqa: S608  our names
_ORDERS = """
SELECT id, ready_from, early_because <> '' FROM order_line WHERE id IN (SELECT value FROM json_each(:names))"""
_DELIVERIES = "SELECT id FROM tranche WHERE order_line IN (SELECT value FROM json_each(:names)) ORDER BY id"
_EARLY_ORDERS = "SELECT id FROM order_line WHERE early_because <> '' ORDER BY id"
_SUPPLIES = f"""
SELECT id, placed_at, early_because <> '', ready_from FROM order_line
WHERE id IN (SELECT value FROM json_each(:names))
UNION ALL SELECT t.id, {RECEIVED_AT}, o.early_because <> '', o.ready_from
FROM tranche t JOIN order_line o ON o.id = t.order_line WHERE t.id IN (SELECT value FROM json_each(:names))"""  # noqa: S608  our names
_ALL_SUPPLIES = f"""
SELECT id, placed_at, 0, NULL FROM order_line WHERE placed_at IS NOT NULL AND early_because = ''
UNION ALL SELECT t.id, {RECEIVED_AT}, 0, NULL FROM tranche t JOIN order_line o ON o.id = t.order_line
WHERE {RECEIVED_AT} IS NOT NULL AND o.early_because = ''"""  # noqa: S608  our names


@dataclass(slots=True)
class Wait:
    """The wait of a link, and when it ends. None while that is unknown."""

    link: int
    before: str
    after: str
    side: str
    type: str
    lag_h: float
    lag_calendar: str
    ends: datetime | None


ByNode = dict[str, Times]
Waits = dict[str, list[Wait]]
"""The links from nodes, or those to them, by node."""


class Readiness:
    """When the nodes of a projection are ready. What was read of the plan's links is kept until another plan is adopted."""

    def __init__(self, projection: Projection) -> None:
        """Take the projection. Nothing is read before a node has changed."""
        self._p = projection
        self._forget()

    def _forget(self) -> None:
        self._plan: tuple[datetime, SiteCalendar] | None = None
        self._waits: dict[int, Wait] = {}
        self._has_all = False
        self._from: Waits = {}
        self._to: Waits = {}

    def settle(self) -> None:
        """Work out again what follows the nodes that have changed. Do nothing while there is no plan."""
        changed, self._p.changed = self._p.changed, {}
        if EVERY in changed:
            self._forget()
        if changed and self._in_force() is not None:
            if EVERY in changed:
                self._settle_every_node()
            else:
                self._settle(list(changed))

    def _in_force(self) -> tuple[datetime, SiteCalendar] | None:
        """Return when the first work may begin, and the calendar of the plan in force. None while there is no plan."""
        found = self._p.ask(_REVISION) if self._plan is None else ()
        for first_at, *calendar in found:
            self._plan = moment(first_at), SiteCalendar(*calendar)
        return self._plan

    def _settle(self, wave: list[str]) -> None:
        """Work out the successors of nodes. Go on with the successors of those that are transparent."""
        while wave:
            self._read(_FROM, self._from, wave)
            waits = [wait for name in wave for wait in self._from.get(name, ())]
            moved = self._worked_out(waits, self._times(wave)) if waits else set()
            wave = self._move(sorted(moved)) if moved else []

    def _read(self, sql: str, known: Waits, names: Iterable[str]) -> None:
        """Read the links from nodes, or those to them, unless they are known."""
        unknown = [name for name in names if name not in known]
        if unknown and not self._has_all:
            known |= {name: [] for name in unknown}
            for wait in self._kept(self._p.ask(sql, names=dumps(unknown))):
                known[wait.before if known is self._from else wait.after].append(wait)

    def _kept(self, rows: Iterable[Any]) -> Iterator[Wait]:
        for row in rows:
            number = row[0]
            if number not in self._waits:
                columns = (*row[:-1], stamped(row[-1]))
                self._waits[number] = Wait(*columns)
            yield self._waits[number]

    def _worked_out(self, waits: Iterable[Wait], times: ByNode) -> set[str]:
        """Work out when waits end. Return the nodes with a wait that ends at another time than before."""
        assert self._plan is not None
        moved, calendar = set(), self._plan[1]
        for wait in waits:
            before = times.get(wait.before, NEVER)
            ends = satisfied_at(wait.type, wait.lag_h, wait.lag_calendar, before, calendar)
            if ends != wait.ends:
                wait.ends = ends
                self._p.update("link", wait.link, satisfied_at=ends)
                moved.add(wait.after)
        return moved

    def _ready(self, name: str, side: str) -> datetime | None:
        """Return from when a node may start or finish. None while something before it has not happened."""
        assert self._plan is not None
        latest = None
        for wait in self._to.get(name, ()):
            if wait.side == side:
                if wait.ends is None:
                    return None
                latest = wait.ends if latest is None else max(latest, wait.ends)
        return latest or self._plan[0]

    def _move(self, names: list[str]) -> list[str]:
        """Set from when nodes are ready, by their links. Return those for which that changed and whose successors wait for it too."""
        p, moved = self._p, []
        self._read(_TO, self._to, names)
        supplies = [name for name in names if "#" in name]
        orders = p.ask(_ORDERS, names=dumps(supplies)) if supplies else ()
        for name, before, is_early in orders:
            ready_from = self._ready(name, "start")
            if stored(ready_from) != before:
                p.update("order_line", name, ready_from=ready_from)
                if is_early:
                    moved += self._with_deliveries([name])
        for name, row in p.activities(name for name in names if "#" not in name).items():
            start, finish = self._ready(name, "start"), self._ready(name, "finish")
            if (start, finish) != (row.ready_from, row.finish_from):
                p.change(row, ready_from=start, finish_from=finish)
                if row.is_transparent:
                    moved.append(name)
        return moved

    def _with_deliveries(self, orders: list[str]) -> list[str]:
        """Return orders and their deliveries."""
        return [*orders, *self._p.ids(_DELIVERIES, names=dumps(orders))]

    def _times(self, names: list[str]) -> dict[str, Times]:
        """Return the times of nodes as their successors see them."""
        supplies = [name for name in names if "#" in name]
        rows = self._p.activities(name for name in names if "#" not in name)
        times = {name: activity_times(row) for name, row in rows.items()}
        if supplies:
            times.update(_supplied(self._p.ask(_SUPPLIES, names=dumps(supplies))))
        return times

    def _settle_every_node(self) -> None:
        """Work out every link and every node, for example after a plan was adopted."""
        p = self._p
        for wait in self._kept(p.ask(_LINKS + " ORDER BY id")):
            self._from.setdefault(wait.before, []).append(wait)
            self._to.setdefault(wait.after, []).append(wait)
        self._has_all = True
        rows = p.decided_activities()
        transparent = [row.id for row in rows.values() if row.is_transparent]
        times = {name: activity_times(row) for name, row in rows.items() if not row.is_transparent}
        times.update(_supplied(p.ask(_ALL_SUPPLIES)))
        self._worked_out(self._waits.values(), times)
        for name, *ends in p.ask("SELECT id, ready_from, finish_from FROM activity"):
            start, finish = self._ready(name, "start"), self._ready(name, "finish")
            if ends != [stored(start), stored(finish)]:
                p.update("activity", name, ready_from=start, finish_from=finish)
        for (name,) in p.ask("SELECT id FROM order_line"):
            p.update("order_line", name, ready_from=self._ready(name, "start"))
        p.forget_activities()
        self._settle(transparent + self._with_deliveries(p.ids(_EARLY_ORDERS)))


def settle(p: Projection) -> None:
    """Work out again what follows the nodes that have changed, and write everything that was collected."""
    Readiness(p).settle()
    p.flush()


def _supplied(rows: Iterable[Any]) -> Iterator[tuple[str, Times]]:
    """Yield the times of orders and deliveries: they start and finish when they are placed or received.

    Those of an order that was placed out of sequence count from when the order's own predecessors are finished.
    """
    for name, text, is_early, ready_from in rows:
        at = instant(text)
        if is_early:
            at = counted_from(at, instant(ready_from))
        yield name, Times(at, at)
