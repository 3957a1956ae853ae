"""When nodes may start and finish, during a replay: worked out for one node when an event asks, and kept until it may change.

Readiness is not kept in the tables during a replay. It is worked out from the times of the nodes before, and forgotten when one
of these is touched. So most events find it here. A test compares this with what the tables would say.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from ledger.rules.activity import Activity, State
from ledger.rules.readiness import NEVER, Times, activity_times, counted_from, satisfied_at, side_of
from ledger.rules.subjects import is_supply
from ledger.rules.working_time import SiteCalendar
from ledger.state.projection import EVERY, Projection
from steps.stamps import instant
from steps.stamps import moment as instant_of

_LINKS = 'SELECT "before", "after", type, lag_h, lag_calendar FROM link'
_REVISION = """
SELECT first_at, time_zone, start, working_days, working_hours, holidays
FROM plan_revision ORDER BY revision DESC LIMIT 1"""
_SUPPLY = """
SELECT placed_at, early_because <> '', id FROM order_line WHERE id = :name
UNION ALL SELECT t.received_at, o.early_because <> '', o.id
FROM tranche t JOIN order_line o ON o.id = t.order_line WHERE t.id = :name"""
_DELIVERIES = "SELECT id FROM tranche WHERE order_line = :name"


class PlannedLink(NamedTuple):
    """A link from a node before."""

    before: str
    type: str
    lag_h: float
    lag_calendar: str


class Supplied(NamedTuple):
    """When an order was placed or a delivery was received, its order, and whether that was placed out of sequence."""

    at: datetime | None
    is_early: bool
    order: str


class Ready(NamedTuple):
    """From when a node may start and finish. None while something before it has not happened."""

    start: datetime | None
    finish: datetime | None


class PlanNetwork:
    """The links of the plan in force, and when nodes may start and finish by them."""

    def __init__(self, projection: Projection) -> None:
        """Read the links and the calendar of the plan in force."""
        self._projection = projection
        self._kept: dict[str, Ready] = {}
        self._supplied: dict[str, Supplied] = {}
        first, *calendar = projection.ask(_REVISION)[0]
        self._first = instant_of(first)
        self._calendar = SiteCalendar(*calendar)
        self._before: dict[tuple[str, str], list[PlannedLink]] = {}
        self._after: dict[str, list[str]] = {}
        for before, after, kind, lag_h, lag_calendar in projection.ask(_LINKS):
            link = PlannedLink(before, kind, lag_h, lag_calendar)
            self._before.setdefault((after, side_of(kind)), []).append(link)
            self._after.setdefault(before, []).append(after)

    def ready(self, node: str) -> Ready:
        """Return from when a node may start and finish."""
        found = self._kept.get(node)
        if found is None:
            found = self._ready(node, {})
            self._kept[node] = found
        return found

    def forget(self, touched: Iterable[str]) -> None:
        """Forget what follows nodes that have changed. What follows transparent ones is forgotten too."""
        waiting = set(touched)
        if EVERY in waiting:
            self._kept.clear()
            self._supplied.clear()
            return
        seen: set[str] = set()
        while waiting:
            node = waiting.pop()
            seen.add(node)
            self._supplied.pop(node, None)
            for after in self._after.get(node, ()):
                self._kept.pop(after, None)
                if after not in seen:
                    waiting.update(self._transparent(after))

    def _transparent(self, node: str) -> Iterable[str]:
        """Return the nodes whose successors wait for what a node waits for: the node, or with it an early order's deliveries."""
        if is_supply(node):
            is_early = self._supply(node).is_early
            return [node, *self._projection.ids(_DELIVERIES, name=node)] if is_early else ()
        row = self._activity(node)
        is_transparent = row is not None and (row.state is State.NOT_APPLICABLE or row.is_transparent)
        return (node,) if is_transparent else ()

    def _activity(self, node: str) -> Activity | None:
        return None if is_supply(node) else self._projection.find(node)

    def _ready(self, node: str, bridged: dict[str, Ready]) -> Ready:
        if node not in bridged:
            start = self._from(node, "start", bridged)
            bridged[node] = Ready(start, self._from(node, "finish", bridged))
        return bridged[node]

    def _from(
        self,
        node: str,
        side: str,
        bridged: dict[str, Ready],
    ) -> datetime | None:
        latest = self._first
        links = self._before.get((node, side))
        for number, link in enumerate(links or ()):
            times = self._times(link.before, bridged)
            ends = satisfied_at(link.type, link.lag_h, link.lag_calendar, times, self._calendar)
            if ends is None:
                return None
            latest = ends if number == 0 else max(latest, ends)
        return latest

    def _times(self, node: str, bridged: dict[str, Ready]) -> Times:
        if is_supply(node):
            at, is_early, order = self._supply(node)
            if is_early:
                at = counted_from(at, self._ready(order, bridged).start)
            return Times(at, at)
        row = self._activity(node)
        if row is None:
            return NEVER
        if row.state is State.NOT_APPLICABLE or row.is_transparent:
            row = row.copied()
            row.ready_from, row.finish_from = self._ready(node, bridged)
        return activity_times(row)

    def _supply(self, name: str) -> Supplied:
        if name not in self._supplied:
            found = self._projection.ask(_SUPPLY, name=name)
            at, is_early, order = found[0] if found else (None, False, name)
            self._supplied[name] = Supplied(instant(at), bool(is_early), order)
        return self._supplied[name]
