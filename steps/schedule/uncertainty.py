"""What is uncertain about a plan: the spreads of its durations and lead times, and what moves many of them at once.

Durations are triangular, lead times lognormal. A supplier that slips is late with all that it delivers; a trade that is slow
here is slow with all its work. The figures of both are the design's (docs/design-figures.md, section risk).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from steps.schedule.activity import Hours
from steps.schedule.cpm.columns import NONE, Actuals
from steps.schedule.cpm.compiled import CompiledNetwork
from steps.schedule.cpm.solution import Solution
from steps.schedule.cpm.wiring import DONE, RUNNING
from steps.schedule.plan import Plan
from steps.schedule.risk.drivers import RiskDriver, RiskEvent, repeats
from steps.schedule.risk.model import RiskModel, risk_model
from steps.schedule.risk.spreads import Family, Spread, of_spreads

MINUTES = 60
"""In an hour."""


def uncertainty(plan: Plan, network: CompiledNetwork, solution: Solution, actuals: Actuals | None = None) -> RiskModel:
    """Return what is uncertain about what is not done of a plan, in its network and its solution.

    What runs has what remains of its most likely time, and as much more as its spread allows. What was promised for a day comes then.
    """
    names = network.activities.names
    row = {name: number for number, name in enumerate(names)}
    certain = Spread(0.0, 0.0, 0.0, Family.FIXED)
    spreads = [certain] * len(names)
    for activity in plan.activities:
        if activity.id in row:
            spreads[row[activity.id]] = _in_minutes(activity.duration, 0.0, Family.TRIANGULAR)
    promised = network.activities.no_earlier
    for order in plan.orders:
        for tranche in order.tranches:
            at = row[tranche.id]
            if promised is None or promised[at] == NONE:
                spreads[at] = _in_minutes(order.lead, tranche.after_first_h, Family.LOGNORMAL)
    left = solution.work.duration[network.numbers.number]
    for at in np.flatnonzero((solution.work.state == RUNNING)[network.numbers.number]).tolist():
        spreads[at] = _remaining(spreads[at], int(left[at]))
    done = (solution.work.state == DONE)[network.numbers.number]
    open_rows = {name: at for name, at in row.items() if not done[at]}
    return risk_model(
        network,
        of_spreads(spreads),
        drivers=[*_suppliers(plan, open_rows, spreads), *_trades(plan, open_rows)],
        events=list(_repeated(plan, open_rows)),
        actuals=actuals,
    )


def _in_minutes(hours: Hours, more_h: float, family: Family) -> Spread:
    """Return a spread in minutes. A lognormal leans to the long side; what does not is triangular."""
    low, likely, high = (MINUTES * (point + more_h) for point in (hours.o, hours.m, hours.p))
    low, high = min(low, likely), max(high, likely)
    leans = high - likely > likely - low
    return Spread(low, likely, high, family if leans else Family.TRIANGULAR)


def _remaining(whole: Spread, left: int) -> Spread:
    """Return what remains of an activity of whose most likely time `left` minutes remain."""
    worked = whole.likely - left
    return Spread(
        min(float(left), max(0.0, whole.low - worked)), left, max(left, whole.high - worked), Family.TRIANGULAR
    )


def _suppliers(plan: Plan, open_rows: dict[str, int], spreads: list[Spread]) -> Iterator[RiskDriver]:
    """Yield a driver for each supplier: its lead times are longer together. What it has promised is not moved."""
    figures = plan.figures
    if "supplier_slip_chance" not in figures:
        return
    slips = _figures(figures, "supplier_slip")
    rows = defaultdict(list)
    for order in plan.orders:
        for tranche in order.tranches:
            at = open_rows.get(tranche.id)
            if at is not None and spreads[at].high:
                rows[order.supplier].append(at)
    for supplier, own in sorted(rows.items()):
        yield RiskDriver(f"supplier {supplier}", figures["supplier_slip_chance"], slips, np.array(own))


def _figures(figures: Mapping[str, float], name: str) -> Spread:
    return Spread(figures[f"{name}_low"], figures[f"{name}_likely"], figures[f"{name}_high"])


def _trades(plan: Plan, open_rows: dict[str, int]) -> Iterator[RiskDriver]:
    """Yield a driver for each trade: its pace at this site, which nobody knows before."""
    figures = plan.figures
    if "trade_pace_low" not in figures:
        return
    pace = _figures(figures, "trade_pace")
    rows = defaultdict(list)
    for activity in plan.activities:
        if activity.crews and activity.id in open_rows:
            rows[activity.role].append(open_rows[activity.id])
    for role, own in sorted(rows.items()):
        yield RiskDriver(f"pace of {role}", 1.0, pace, np.array(own))


def _repeated(plan: Plan, open_rows: dict[str, int]) -> Iterator[RiskEvent]:
    """Yield an event for each activity that may fail as a whole: it is done once more, and may fail again."""
    for activity in plan.activities:
        if activity.again and activity.id in open_rows:
            extra = _in_minutes(activity.duration, 0.0, Family.TRIANGULAR)
            chances = repeats(activity.again.chance, activity.again.most)
            yield RiskEvent(f"{activity.id} again", chances, extra, np.array([open_rows[activity.id]]))
