"""The commitment of a plan to a date of go-live, its target, and what the reference class takes."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from steps.catalog.terms import Percentile
from steps.design.figures import figure_specs
from steps.planning.dates.milestones import GO_LIVE
from steps.planning.odds.milestone_odds import MilestoneOdds
from steps.planning.odds.plan_odds import PlanOdds
from steps.planning.plan import Plan

OVERRUN = "reference_overrun"


class Reference(NamedTuple):
    """By which share of the time planned the reference class finishes later, what says so, and when go-live would be by that."""

    overrun: float
    source: str
    go_live: datetime


class PlanCommitment(NamedTuple):
    """Target and commitment of go-live. `chance` is that of the working schedule's date or an earlier one."""

    percentile: Percentile
    target: datetime
    commitment: datetime
    working: datetime
    chance: float
    reference: Reference | None
    """None where nothing is built, and in a plan from before there was such a figure."""


def commitment_of(plan: Plan, odds: PlanOdds, percentile: Percentile) -> PlanCommitment:
    """Return target and commitment of go-live. The commitment is the date of a percentile."""
    live = next(one for one in odds.milestones if one.milestone == GO_LIVE)
    return PlanCommitment(
        percentile, live.p50.date, committed_date(live, percentile), live.expected, live.planned_share, _reference(plan)
    )


def committed_date(one: MilestoneOdds, percentile: Percentile) -> datetime:
    """Return the commitment of a milestone: its date of a percentile."""
    return one.p80.date if percentile is Percentile.P80 else one.p50.date


def _reference(plan: Plan) -> Reference | None:
    overrun, spec = plan.figures.get(OVERRUN), figure_specs()[OVERRUN]
    if not overrun:
        return None
    source = (spec.source or "") if overrun == spec.value else f"{OVERRUN} in site.yaml"
    return Reference(overrun, source, plan.start + (plan.finish - plan.start) * (1 + overrun))
