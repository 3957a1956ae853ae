"""When nodes may start and finish, during a replay: worked out for one node when an event asks, and kept until it may change.

Readiness is not kept in the tables during a replay. It is worked out from the times of the nodes before, and forgotten when one
of these is touched. So most events find it here. A test compares this with what the tables would say.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from ledger.rules.activity import Activity, State
from ledger.rules.readiness import NEVER, Times, activity_times, satisfied_at, side_of
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
SELECT placed_at FROM order_line WHERE id = :name UNION ALL SELECT received_at FROM tranche WHERE id = :name"""


class PlannedLink(NamedTuple):
    """A link from a node before."""

    before: str
    type: str
    lag_h: float
    lag_calendar: str


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
        self._supplied: dict[str, datetime | None] = {}
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
            bridged: dict[str, datetime | None] = {}
            start = self._from(node, "start", bridged)
            found = Ready(start, self._from(node, "finish", bridged))
            self._kept[node] = found
        return found

    def forget(self, touched: Iterable[str]) -> None:
        """Forget what follows nodes that have changed. What does not apply is bridged: then what follows it is forgotten too."""
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
                row = self._activity(after)
                if row is not None and row.state is State.NOT_APPLICABLE and after not in seen:
                    waiting.add(after)

    def _activity(self, node: str) -> Activity | None:
        return None if is_supply(node) else self._projection.find(node)

    def _from(
        self,
        node: str,
        side: str,
        bridged: dict[str, datetime | None],
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

    def _times(self, node: str, bridged: dict[str, datetime | None]) -> Times:
        if is_supply(node):
            at = self._supplied_at(node)
            return Times(at, at)
        row = self._activity(node)
        if row is None:
            return NEVER
        if row.state is State.NOT_APPLICABLE:
            if node not in bridged:
                bridged[node] = self._from(node, "start", bridged)
            row = row.copied()
            row.ready_from = bridged[node]
        return activity_times(row)

    def _supplied_at(self, name: str) -> datetime | None:
        """Return when an order was placed or a delivery was received. None if it was not."""
        if name not in self._supplied:
            found = self._projection.ask(_SUPPLY, name=name)
            self._supplied[name] = instant(found[0][0]) if found else None
        return self._supplied[name]
