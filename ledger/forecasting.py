"""Makes the forecast that a site keeps, from its record, and says why go-live is forecast for another day than planned."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from math import log
from operator import attrgetter

import msgspec

from ledger.evidence.plans import read_plan
from ledger.private import make_file
from ledger.questions.actuals import actuals
from ledger.questions.commitment import commitments
from ledger.questions.kept_forecast import FILE, KeptForecast, KeptSlip, KeptValue, forecast_time
from ledger.questions.order_value import order_values
from ledger.questions.orders import orders
from ledger.questions.site import head, revision
from ledger.questions.snapshot import Snapshot
from ledger.rules.subjects import is_supply
from steps.planning.dates.learned import ApprovalTime, Lesson
from steps.planning.odds.plan_odds import SEED, solved_odds
from steps.planning.plan import Plan
from steps.planning.record.driving import driven_by
from steps.planning.record.earned_value import EarnedValue, earned_value
from steps.planning.record.forecast import Actuals, ForecastSolution, solve_forecast
from steps.planning.record.slip_of_plan import PlanCause, PlanSlip, SlippedPart

PARTS = 3
"""Of a slip that are kept with a forecast."""


def make_forecast(
    snapshot: Snapshot,
    *,
    samples: int | None = None,
    seed: int = SEED,
) -> KeptForecast:
    """Return the forecast of the plan in force, from what has happened until the snapshot's time."""
    plan = read_plan(snapshot)
    past = actuals(snapshot)
    solved = solve_forecast(plan, past, snapshot.now)
    dates = solved.forecast
    committed = {name: one.commitment for name, one in commitments(snapshot).items()}
    odds = solved_odds(solved, samples=samples, seed=seed, committed=committed)
    parts = () if dates.finish == plan.finish else slip_of(snapshot, solved).slipped.parts
    starts = dates.starts.items()
    return KeptForecast(
        revision=revision(snapshot),
        event=head(snapshot).seq,
        as_of=snapshot.now,
        planned=plan.finish,
        finish=dates.finish,
        unlimited_finish=dates.unlimited_finish,
        slip_day_usd=plan.slip_day_usd,
        samples=odds.samples,
        seed=seed,
        milestones=odds.milestones,
        critical=dates.critical,
        nodes=dates.nodes,
        earned=_value(earned_value(solved, past)),
        slip=_greatest(parts),
        ordered=tuple(order_values(snapshot, _due(plan, snapshot.now))),
        waits=driven_by(solved, _awaited(plan, past, solved)),
        lessons=_lessons(solved),
        lessons_minutes=sum(part.minutes for part in parts if part.cause is PlanCause.RATE),
        approvals=_approvals(solved),
        responses=odds.responses,
        time_zone=plan.time_zone,
        starts={name: at for name, at in starts if not is_supply(name)},
    )


def solved_as_kept(snapshot: Snapshot) -> ForecastSolution:
    """Return the plan in force solved with what has happened. While the kept forecast stands, both have the same dates."""
    return solve_forecast(read_plan(snapshot), actuals(snapshot), forecast_time(snapshot))


def slip_of(snapshot: Snapshot, solved: ForecastSolution) -> PlanSlip:
    """Return a forecast beside its plan. A delivery is its order's supplier's, by name once it is known."""
    named = {one.id: one.supplier_name for one in orders(snapshot) if one.supplier_name}
    return PlanSlip(solved, named)


def _due(plan: Plan, now: datetime) -> set[str]:
    """Return the deliveries that were to come by now, as planned."""
    tranches = (one for order in plan.orders for one in order.tranches)
    return {one.id for one in tranches if one.dates and one.dates.early_finish <= now}


def _awaited(plan: Plan, past: Actuals, solved: ForecastSolution) -> set[str]:
    """Return the deliveries of placed orders that are not here."""
    names = (tranche.id for order in plan.orders for tranche in order.tranches)
    return {name for name in names if name in past and name not in solved.finished}


def _value(one: EarnedValue) -> KeptValue:
    planned, earned, actual, total = (round(hours, 2) for hours in one)
    return KeptValue(planned, earned, actual, total, _index(one.spi), _index(one.cpi))


def _index(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _greatest(parts: Iterable[SlippedPart]) -> tuple[KeptSlip, ...]:
    by_size = sorted(parts, key=lambda part: abs(part.minutes), reverse=True)
    return tuple(map(_part, by_size[:PARTS]))


def _lessons(solved: ForecastSolution) -> tuple[Lesson, ...]:
    """Return what finished work teaches, the greatest difference from the plan first. What differs by less than 1 % is as planned."""
    found = () if solved.rates is None else solved.rates.lessons
    kept = (replace(one, factor=round(one.factor, 4)) for one in found)
    other = [one for one in kept if round(one.factor, 2) != 1]
    return tuple(sorted(other, key=_distance_from_plan, reverse=True))


def _distance_from_plan(one: Lesson) -> tuple[float, str]:
    return abs(log(one.factor)), one.step


def _approvals(solved: ForecastSolution) -> tuple[ApprovalTime, ...]:
    by_length = sorted(solved.recorded.approvals, key=attrgetter("median_h"), reverse=True)
    return tuple(map(_rounded, by_length))


def _rounded(one: ApprovalTime) -> ApprovalTime:
    median, expected = round(one.median_h, 2), round(one.expected_h, 2)
    return replace(one, median_h=median, expected_h=expected)


def _part(one: SlippedPart) -> KeptSlip:
    return KeptSlip(one.id, one.title, one.owner, one.words, one.minutes)


def keep_forecast(snapshot: Snapshot, forecast: KeptForecast) -> None:
    """Keep a forecast of the present in the site's folder, instead of the one before."""
    path = snapshot.site_dir / FILE
    path.parent.mkdir(mode=0o700, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    make_file(new)
    new.write_bytes(msgspec.json.encode(forecast))
    new.replace(path)
