"""How long the parts of a buildout take that people compare: from the order, after the last delivery, from the first rack to training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from steps.planning.activity import Dates
from steps.planning.plan import Plan

WEEK = timedelta(weeks=1)
ORDERED = "001"
"""The step that orders the accelerators, by themselves or in servers or racks."""
RACKS, POWER_ON, TRAINING = ("H09", "H57"), ("031", "H36"), ("186", "H43")
"""Steps that put servers or whole racks in their place, that power servers on, and with which people begin to train."""


class Spans(NamedTuple):
    """Weeks between moments of a plan; None where the site does not have one of the two."""

    total: float
    from_order: float | None
    after_last_delivery: float | None
    after_last_power_on: float | None
    to_training: float | None
    """From the start of the project."""
    first_rack_to_training: float | None


def spans_of(plan: Plan) -> Spans:
    """Return how many weeks the parts of a plan take."""
    orders = [one for one in plan.orders if one.step == ORDERED]
    placed = _moment(min, (one.dates for one in orders), "early_finish")
    delivered = _moment(max, (tranche.dates for one in orders for tranche in one.tranches), "early_finish")
    powered = _moment(max, _dates(plan, POWER_ON), "early_finish")
    racked = _moment(min, _dates(plan, RACKS), "early_start")
    trained = _moment(min, _dates(plan, TRAINING), "early_finish")
    return Spans(
        _weeks(plan.start, plan.finish) or 0.0,
        _weeks(placed, plan.finish),
        _weeks(delivered, plan.finish),
        _weeks(powered, plan.finish),
        _weeks(plan.start, trained),
        _weeks(racked, trained),
    )


def _dates(plan: Plan, steps: tuple[str, ...]) -> Iterator[Dates | None]:
    return (one.dates for one in plan.activities if one.step in steps)


def _moment(of: Callable[[list[datetime]], datetime], dates: Iterable[Dates | None], name: str) -> datetime | None:
    found = [getattr(one, name) for one in dates if one is not None]
    return of(found) if found else None


def _weeks(since: datetime | None, until: datetime | None) -> float | None:
    return None if since is None or until is None else round((until - since) / WEEK, 1)
