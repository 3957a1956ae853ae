"""What is uncertain about a plan: the spreads of its durations and lead times, and the root causes that move many of them at once.

Work and lead times have the same distribution: PERT, in which "likely" is the most likely value. All that is ordered of one maker has the same
luck, and the market moves what all makers have not promised. A promise narrows a delivery to the day that it names and to what
may be left of a slip. A trade that is slow here is slow with all its work. The figures are the design's (docs/reference/design-figures.md,
section risk). What the buyer does about late deliveries, what weather takes and what fails have modules of their own. Source of
drivers: AACE International 57R-09.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import sqrt

import numpy as np

from schedule.cpm.columns import NONE, Actuals
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.solution import Solution
from schedule.cpm.wiring import DONE, RUNNING
from schedule.risk.drivers import RiskDriver, RiskEvent
from schedule.risk.model import RiskModel, risk_model
from schedule.risk.spreads import Estimates, Family, Spread, of_spreads
from steps.planning.activity import Hours
from steps.planning.odds.failing_parts import failing_parts, in_minutes
from steps.planning.odds.responses import MARKET, responses_of
from steps.planning.odds.weather import weather
from steps.planning.plan import Plan
from steps.planning.record.rates import LearnedRates

MINUTES = 60
"""In an hour."""
DAY_H = 24


def uncertainty(
    plan: Plan,
    network: CompiledNetwork,
    solution: Solution,
    actuals: Actuals | None = None,
    rates: LearnedRates | None = None,
) -> RiskModel:
    """Return what is uncertain about what is not done of a plan, in its network and its solution.

    What runs has what remains of its most likely time, and as much more as its spread allows. What was promised for a day comes then,
    or as much later as makers slip that have promised.
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
    running = np.flatnonzero((solution.work.state == RUNNING)[network.numbers.number]).tolist()
    for at in running:
        spreads[at] = _remaining(spreads[at], int(left[at]))
    done = (solution.work.state == DONE)[network.numbers.number]
    open_rows = {name: at for name, at in row.items() if not done[at]}
    late = {name: at for name, at in open_rows.items() if spreads[at].likely}
    estimates = of_spreads(spreads)
    if rates is not None:
        estimates = _at_rates(estimates, rates)
    paces = _paces(plan, open_rows, rates)
    return risk_model(
        network,
        estimates,
        drivers=[*_lead_times(plan, late), *_market(plan, late), *paces, *weather(plan, open_rows)],
        events=[*_promises(plan, open_rows, late), *failing_parts(plan, open_rows)],
        responses=[*responses_of(plan, solution, late, {at: int(left[at]) for at in running})],
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
    return Spread(min(float(left), max(0.0, whole.low - worked)), left, max(left, whole.high - worked), Family.PERT)


def _lead_times(plan: Plan, late: dict[str, int]) -> Iterator[RiskDriver]:
    """Yield the lead time of each item, as what it multiplies the most likely one by, under the name of its maker.

    All that is ordered of one maker has the same luck, whichever item, pod and delivery it is: it waits in the same queue.
    """
    rows: defaultdict[tuple[str, str, Hours, float], list[int]] = defaultdict(list)
    for order in plan.orders:
        for tranche in order.tranches:
            if tranche.id in late and order.lead.m:
                item = f"{order.step}#{order.item}"
                rows[order.supplier, item, order.lead, tranche.after_first_h].append(late[tranche.id])
    for number, ((maker, item, lead, after_h), own) in enumerate(rows.items()):
        whole = lead.m + after_h
        low, likely, high = ((point + after_h) / whole for point in (lead.o, lead.m, lead.p))
        spread = Spread(low, likely, high, Family.PERT)
        name = f"lead times of {maker}"
        yield RiskDriver(f"{name}, {item} {number}", 1.0, spread, np.array(own), luck=name)


def _market(plan: Plan, late: dict[str, int]) -> Iterator[RiskDriver]:
    """Yield what moves the lead times of all makers together. What is promised is not moved by it."""
    if "market_low" in plan.figures and late:
        yield RiskDriver(MARKET, 1.0, _figures(plan.figures, "market"), np.array(sorted(late.values())))


def _promises(plan: Plan, open_rows: Mapping[str, int], late: Mapping[str, int]) -> Iterator[RiskEvent]:
    """Yield for each maker by how much it slips from what it has promised: all of it together."""
    if "promise_slip_chance" not in plan.figures:
        return
    days = _figures(plan.figures, "promise_slip_days")
    low, likely, high = (MINUTES * DAY_H * point for point in days[:3])
    slip = Spread(low, likely, high, days.family)
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for order in plan.orders:
        if order.lead.m:
            rows[order.supplier] += [
                open_rows[one.id] for one in order.tranches if one.id in open_rows and one.id not in late
            ]
    for maker, own in sorted(rows.items()):
        if own:
            name = f"promises of {maker}"
            yield RiskEvent(name, (plan.figures["promise_slip_chance"],), slip, np.array(own), luck=name)


def _figures(figures: Mapping[str, float], name: str) -> Spread:
    return Spread(figures[f"{name}_low"], figures[f"{name}_likely"], figures[f"{name}_high"], Family.PERT)


def _paces(plan: Plan, open_rows: dict[str, int], rates: LearnedRates | None) -> Iterator[RiskDriver]:
    """Yield what nobody knows of the pace of crews, by the plan's figures and, as far as it is believed, by what was learned.

    The variances of both are weighed, so that the first finished work widens no odds at once.
    """
    believed = 0.0 if rates is None else rates.believed
    for planned in _trades(plan, open_rows):
        yield _of_share(planned, 1.0 - believed)
    for learned in () if rates is None else rates.rates.drivers:
        yield _of_share(learned, believed)


def _of_share(driver: RiskDriver, share: float) -> RiskDriver:
    """Return a driver with this share of its variance."""
    *points, family = driver.multiplier
    low, likely, high = (point ** sqrt(share) for point in points)
    return replace(driver, multiplier=Spread(low, likely, high, family))


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


def causes_of(model: RiskModel) -> dict[str, list[str]]:
    """Return the drivers, events and responses of each cause that is on, by its name.

    A cause is what has the same luck or the same reason, as the lead times of one maker or a step that is done again at all units.
    """
    found: dict[str, list[str]] = {}
    for name, is_on in zip(model.names, model.causes.is_on, strict=True):
        if is_on:
            found.setdefault(_cause(name), []).append(name)
    return found


def _cause(name: str) -> str:
    """Return the cause of a driver or event."""
    if name.endswith(" again"):
        return f"{name.partition('@')[0]} again"
    return name.partition(", ")[0]


def titles_of(plan: Plan) -> dict[str, str]:
    """Return what a maker or a step is called, by the name of its cause."""
    makers = {one.supplier: plan.roles.get(one.supplier, "") for one in plan.orders}
    named = {f"{what} of {maker}": title for maker, title in makers.items() for what in ("lead times", "promises")}
    named |= {response.words: f"of {', '.join(items)}" for response, items in plan.responses.items()}
    return named | {f"{one.step} again": one.title for one in plan.activities if one.again_chance}
