"""What a figure rests on, read from its source text; and on what the days of a plan's critical path rest.

A source text begins with `calculation:`, `analogy:`, `judgement:` or `assumption`. Any other text is a citation. A text that
is partly a citation and partly an assumption is an assumption: a reader can rely on no more than its weakest part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from steps.catalog.terms import LinkType

if TYPE_CHECKING:
    from steps.catalog.schema import Duration
    from steps.schedule.activity import Dates
    from steps.schedule.plan import Plan

DAY = timedelta(days=1)


class Basis(StrEnum):
    """What a figure rests on, the strongest first."""

    CITED = "cited"
    CALCULATION = "calculation"
    ANALOGY = "analogy"
    JUDGEMENT = "judgement"
    ASSUMPTION = "assumption"


STRENGTH = tuple(Basis)
_LABEL = re.compile(r"(calculation|analogy|judgement):")
_ASSUMED = re.compile(r"\bassum(ed|ption)\b")


class CriticalPart(NamedTuple):
    """An activity, an order or a delivery on the chain that drives the end, and the days that it adds to the plan."""

    id: str
    basis: Basis
    days: float
    """Days around the clock from when the one before it is over. Together the parts are as long as the plan."""


def basis_of(source: str) -> Basis:
    """Return what a figure rests on, by the text of its source."""
    if _ASSUMED.search(source):
        return Basis.ASSUMPTION
    label = _LABEL.match(source)
    return Basis(label[1]) if label else Basis.CITED


def weakest_of(duration: Duration) -> Basis:
    """Return what a duration rests on: the weakest basis of its parts, the fixed time and the rate. A part of no time is none."""
    parts = [part for part in (duration.fixed, duration.rate) if part is not None and any(part.points)]
    found = {basis_of(part.source) for part in parts or [duration.fixed]}
    return max(found, key=STRENGTH.index)


def critical_parts(plan: Plan) -> tuple[CriticalPart, ...]:
    """Return the chain that drives the end of a plan, the first part first; empty for a plan from before 0.3, which knows no basis.

    The chain is followed back from the end: each part is driven by a predecessor, or by what hands its crew over. Days on which
    two of them are at work belong to the later one if it waits for the other's start, otherwise to the earlier one.
    """
    dates, basis = _dates(plan), _bases(plan)
    if not all(basis[name] for name in dates):
        return ()
    from_start = {(link.before, link.after) for link in plan.links if link.type is LinkType.SS}
    parts, name, until = [], _last(plan, dates), plan.finish
    while name is not None:
        before = dates[name].driving
        begins = plan.start
        if before is not None:
            over = dates[name].early_start if (before, name) in from_start else dates[before].early_finish
            begins = min(over, until)
        parts.append(CriticalPart(name, Basis(basis[name]), (until - begins) / DAY))
        name, until = before, begins
    return tuple(reversed(parts))


def shares_of(parts: tuple[CriticalPart, ...]) -> dict[Basis, float]:
    """Return the share of these days that rests on each basis, 0 to 1; the strongest first, and every basis. Empty without days."""
    total = sum(part.days for part in parts)
    if not total:
        return {}
    return {basis: sum(part.days for part in parts if part.basis is basis) / total for basis in Basis}


def _last(plan: Plan, dates: Mapping[str, Dates]) -> str | None:
    """Return what the plan ends with: the activity that closes it, or what finishes last."""
    ending = [name for name, of in dates.items() if of.early_finish == plan.finish]
    return min(ending, key=lambda name: (not name.startswith("195@"), name), default=None)


def _dates(plan: Plan) -> dict[str, Dates]:
    found = {one.id: one.dates for one in plan.activities}
    for order in plan.orders:
        found[order.id] = order.dates
        found |= {tranche.id: tranche.dates for tranche in order.tranches}
    return {name: dates for name, dates in found.items() if dates is not None}


def _bases(plan: Plan) -> dict[str, str]:
    found = {one.id: one.basis for one in plan.activities}
    for order in plan.orders:
        basis = basis_of(order.lead_source)
        found |= {name: basis for name in (order.id, *(tranche.id for tranche in order.tranches))}
    return found
