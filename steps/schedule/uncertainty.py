"""What is uncertain about a plan: the spreads of its durations and lead times, and what moves many of them at once.

Durations are triangular; `lead_times` has the spread of what is ordered. A supplier that slips is late with all that it delivers; a trade that is slow
here is slow with all its work. The figures of both are the design's (docs/design-figures.md, section risk). What weather takes and
what fails have modules of their own.
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
from steps.schedule.failing_parts import failing_parts, in_minutes
from steps.schedule.lead_times import lead_spread
from steps.schedule.plan import Plan
from steps.schedule.rates import LearnedRates
from steps.schedule.risk.drivers import RiskDriver
from steps.schedule.risk.model import RiskModel, risk_model
from steps.schedule.risk.spreads import Estimates, Family, Spread, of_spreads
from steps.schedule.weather import weather

MINUTES = 60
"""In an hour."""


def uncertainty(
    plan: Plan,
    network: CompiledNetwork,
    solution: Solution,
    actuals: Actuals | None = None,
    rates: LearnedRates | None = None,
) -> RiskModel:
    """Return what is uncertain about what is not done of a plan, in its network and its solution.

    What runs has what remains of its most likely time, and as much more as its spread allows. What was promised for a day comes then.
    Work of crews is as uncertain as `rates` say, if there are any.
    """
    names = network.activities.names
    row = {name: number for number, name in enumerate(names)}
    certain = Spread(0.0, 0.0, 0.0, Family.FIXED)
    spreads = [certain] * len(names)
    for activity in plan.activities:
        if activity.id in row:
            spreads[row[activity.id]] = in_minutes(activity.duration)
    promised = network.activities.no_earlier
    for order in plan.orders:
        for tranche in order.tranches:
            at = row[tranche.id]
            if promised is None or promised[at] == NONE:
                likely = MINUTES * (order.lead.m + tranche.after_first_h)
                spreads[at] = Spread(likely, likely, likely, Family.FIXED)
    left = solution.work.duration[network.numbers.number]
    for at in np.flatnonzero((solution.work.state == RUNNING)[network.numbers.number]).tolist():
        spreads[at] = _remaining(spreads[at], int(left[at]))
    done = (solution.work.state == DONE)[network.numbers.number]
    open_rows = {name: at for name, at in row.items() if not done[at]}
    late = {name: at for name, at in open_rows.items() if spreads[at].likely}
    estimates = of_spreads(spreads)
    if rates is not None:
        estimates = _at_rates(estimates, rates)
    paces = _trades(plan, open_rows) if rates is None else rates.rates.drivers
    return risk_model(
        network,
        estimates,
        drivers=[*_lead_times(plan, late), *_suppliers(plan, late), *paces, *weather(plan, open_rows)],
        events=list(failing_parts(plan, open_rows)),
        actuals=actuals,
    )


def _at_rates(planned: Estimates, rates: LearnedRates) -> Estimates:
    forecast, found = rates.step >= 0, rates.rates.estimates
    return Estimates(
        np.where(forecast, found.family, planned.family),
        np.where(forecast, found.low, planned.low),
        np.where(forecast, found.likely, planned.likely),
        np.where(forecast, found.high, planned.high),
    )


def _remaining(whole: Spread, left: int) -> Spread:
    """Return what remains of an activity of whose most likely time `left` minutes remain."""
    worked = whole.likely - left
    return Spread(
        min(float(left), max(0.0, whole.low - worked)), left, max(left, whole.high - worked), Family.TRIANGULAR
    )


def _lead_times(plan: Plan, late: dict[str, int]) -> Iterator[RiskDriver]:
    """Yield the lead time of each item, as what it multiplies the most likely one by.

    All that is ordered of an item, by whichever pod and in whichever delivery, has the same luck: it comes from one maker.
    """
    rows: defaultdict[tuple[str, Hours, float], list[int]] = defaultdict(list)
    for order in plan.orders:
        for tranche in order.tranches:
            if tranche.id in late and order.lead.m:
                item = f"{order.step}#{order.item}"
                rows[item, order.lead, tranche.after_first_h].append(late[tranche.id])
    for number, ((item, lead, after_h), own) in enumerate(rows.items()):
        whole = lead.m + after_h
        spread = lead_spread(*((point + after_h) / whole for point in (lead.o, lead.m, lead.p)))
        yield RiskDriver(f"lead time of {item}, {number}", 1.0, spread, np.array(own), luck=f"lead time of {item}")


def _suppliers(plan: Plan, late: dict[str, int]) -> Iterator[RiskDriver]:
    """Yield a driver for each supplier: its lead times are longer together. What it has promised is not moved."""
    figures = plan.figures
    if "supplier_slip_chance" not in figures:
        return
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for order in plan.orders:
        rows[order.supplier] += [late[tranche.id] for tranche in order.tranches if tranche.id in late]
    for supplier, own in sorted(rows.items()):
        slip = _figures(figures, "supplier_slip")
        yield RiskDriver(f"supplier {supplier}", figures["supplier_slip_chance"], slip, np.array(own, np.int64))


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
