"""Risk models of small random networks: every family, drivers, events, calendars, links of all types, progress."""

from __future__ import annotations

from random import Random

import numpy as np

from schedule.cpm.columns import Activities, Links
from schedule.cpm.compiled import compile_network
from schedule.cpm.shifts import continuous
from schedule.risk.drivers import RiskDriver, RiskEvent, repeats
from schedule.risk.model import RiskModel, risk_model
from schedule.risk.spreads import Estimates, Family, Spread, of_spreads
from tests.schedule.networks import DAY, WEEKS, Drawn, calendar_of, random_case

YEARS = (-490 * DAY, 2555 * DAY)
"""Pessimistic draws go far. Whole weeks, because a span begins on a Monday."""


def random_spread(random: Random, likely: float) -> Spread:
    """Return a spread of any family around a value."""
    family = random.choice(list(Family))
    if family == Family.FIXED or likely == 0:
        return Spread(likely, likely, likely, Family.FIXED)
    return Spread(likely * random.uniform(0.6, 0.95), likely, likely * random.uniform(1.5, 3.0), family)


def random_model(seed: int, *, is_continuous: bool = False) -> RiskModel:
    """Return the model of a seed."""
    random = Random(seed)
    case = random_case(seed, Drawn(calendars=4))
    number = len(case.activities)
    calendars = [continuous()] * 4 if is_continuous else [calendar_of(week, YEARS) for week in WEEKS]
    network = compile_network(case.activities, case.links, calendars)
    estimates = of_spreads([random_spread(random, float(duration)) for duration in case.activities.duration])
    rows = np.arange(number)
    drivers = [
        RiskDriver(f"driver {k}", random.choice([0.2, 0.7, 1.0]), random_spread(random, 1.1), rows[k::2])
        for k in range(2)
    ]
    events = [
        RiskEvent("test fails", repeats(0.4, 3), random_spread(random, 200.0), rows[: number // 2 + 1]),
        RiskEvent("dead parts", (0.3,), random_spread(random, 90.0), rows[::3]),
    ]
    return risk_model(network, estimates, drivers=drivers, events=events, actuals=case.actuals)


def no_links() -> Links:
    """Return no links."""
    none = np.zeros(0, np.int32)
    return Links(none, none, none.astype(np.uint8), none.astype(np.int64), none)


def is_override(seed: int) -> bool:
    """Return whether what has started in the model of a seed works on, whatever comes before it."""
    actuals = random_case(seed, Drawn(calendars=4)).actuals
    return actuals is not None and actuals.override


def fan(estimates: Estimates) -> RiskModel:
    """Return activities that all lead to one milestone, on a continuous calendar; estimates are of all but the milestone."""
    number = len(estimates)
    nothing = np.zeros(number, np.int32)
    activities = Activities(
        [f"A{k}" for k in range(number)] + ["end"], np.zeros(number + 1, np.int64), np.zeros(number + 1, np.int32)
    )
    links = Links(
        np.arange(number, dtype=np.int32), nothing + number, nothing.astype(np.uint8), nothing.astype(np.int64), nothing
    )
    network = compile_network(activities, links, [continuous()])
    columns = (estimates.low, estimates.likely, estimates.high)
    end = [np.append(column, 0.0) for column in columns]
    return risk_model(network, Estimates(np.append(estimates.family, Family.FIXED).astype(np.uint8), *end))
