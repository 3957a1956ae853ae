"""The look-ahead of three weeks: the work that goes on, and what starts by then.

It goes by the forecast that the site keeps, else by the plan. On a site that has slipped, what was planned for these weeks is
not what anybody does in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from ledger.questions.constraints import Constraint, constraints
from ledger.questions.kept_forecast import KeptForecast
from ledger.questions.lateness import start_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import OVER, Activity
from ledger.rules.subjects import is_supply

AHEAD = timedelta(weeks=3)


def look_ahead(rows: Iterable[Activity], found: KeptForecast | None, now: datetime) -> list[Activity]:
    """Return the open work that has begun or is to start within three weeks, in the order of its starts."""
    dated = [(start, row) for row in rows if row.state not in OVER and (start := start_of(found, row))]
    soon = [one for one in dated if one[0] <= now + AHEAD]
    return [row for _, row in sorted(soon, key=lambda one: (one[0], one[1].ordinal))]


def in_the_way(snapshot: Snapshot, rows: Iterable[Activity], found: KeptForecast | None) -> list[Constraint]:
    """Return what the work ahead waits for, and the orders and deliveries that keep other work out of these weeks."""
    rows = list(rows)
    soon, planned = (look_ahead(rows, one, snapshot.now) for one in (found, None))
    ahead = {one.id for one in constraints(snapshot, soon, found)}
    waits = constraints(snapshot, [*soon, *planned], found)
    return [one for one in waits if one.id in ahead or is_supply(one.id)]
