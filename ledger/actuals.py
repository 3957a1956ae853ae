"""What has happened, as the forecast takes it: when each activity, order and delivery started and finished."""

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING

from steps.schedule.forecast import Actual, Forecast, forecast

if TYPE_CHECKING:
    from ledger.reads import Reader
    from steps.schedule.plan import Plan

OVER = frozenset({"done", "not_applicable"})


def actuals(reader: Reader, now: datetime) -> dict[str, Actual]:
    """Give what the ledger says of every node of the network that has begun.

    A supplier's promise counts as the delivery's end until it is received: it is later or earlier than planned.
    """
    found: dict[str, Actual] = {}
    for row in reader.activities(now):
        ended = (row.finished_at or now) if row.state.value in OVER else None
        if row.started_at is not None or ended is not None:
            found[row.id] = Actual(row.started_at or ended, ended)
    for order in reader.orders(now):
        if order.placed_at is None:
            continue
        found[order.id] = Actual(order.placed_at, order.placed_at)
        for tranche in order.tranches:
            promised = tranche.promised or order.promised
            due = datetime.combine(promised, time(), tzinfo=now.tzinfo) if promised else None
            came = tranche.received_at or due
            found[tranche.id] = Actual(order.placed_at, came)
    return found


def current_forecast(reader: Reader, plan: Plan, now: datetime) -> Forecast:
    """Give the forecast of the plan in force from what has happened until now."""
    return forecast(plan, actuals(reader, now), now)
