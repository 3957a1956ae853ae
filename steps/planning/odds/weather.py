"""What weather does to a plan: outdoor work loses days, and all that is outdoors at a site loses the same share of them together.

The share is drawn once for each quarter of a year. Of work that is planned over several quarters, each has its part. The figures are
the design's (docs/reference/design-figures.md, section risk).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from schedule.errors import InputError
from schedule.risk.drivers import RiskDriver
from schedule.risk.spreads import Spread
from steps.planning.plan import Plan

MONTHS = 3
"""In a quarter."""
POINTS = ("low", "likely", "high")


def weather(plan: Plan, open_rows: Mapping[str, int]) -> Iterator[RiskDriver]:
    """Yield what weather does to each activity in each quarter in which the plan has it; none for a plan without the figures."""
    if "weather_lost_low" not in plan.figures:
        return
    least, likely, most = (_more(plan.figures, point) for point in POINTS)
    if not most:
        return
    zone = ZoneInfo(plan.time_zone)
    for activity in plan.activities:
        if not activity.outdoors or activity.dates is None or activity.id not in open_rows:
            continue
        span = (at.astimezone(zone) for at in (activity.dates.early_start, activity.dates.early_finish))
        for quarter, share in _quarters(*span):
            # powers multiply to the whole: the same weather in all quarters is that weather, however many there are
            low, mid, high = ((1.0 + activity.outdoors * more) ** share for more in (least, likely, most))
            slower = Spread(low, mid, high)
            own = np.array([open_rows[activity.id]])
            yield RiskDriver(f"weather, {activity.id} in {quarter}", 1.0, slower, own, luck=f"weather in {quarter}")


def _more(figures: Mapping[str, float], point: str) -> float:
    """Return the days that outdoor work takes longer, over the days that it works."""
    lost = figures[f"weather_lost_{point}"]
    if not 0.0 <= lost < 1.0:
        raise InputError(f"weather_lost_{point} is {lost:g}", hint="a share of working days from 0 to below 1")
    return lost / (1.0 - lost)


def _quarters(start: datetime, finish: datetime) -> Iterator[tuple[str, float]]:
    """Yield each quarter that is touched, with its share of the time; the whole in one quarter if there is no time between."""
    span, at = finish - start, start
    while True:
        number = (at.month - 1) // MONTHS
        last = number == 12 // MONTHS - 1
        ends = at.replace(
            year=at.year + last, month=1 if last else (number + 1) * MONTHS + 1, day=1, hour=0, minute=0, second=0
        )
        yield f"{at.year} Q{number + 1}", (min(ends, finish) - at) / span if span else 1.0
        if ends >= finish:
            return
        at = ends
