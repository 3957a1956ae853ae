"""The days of a plan's critical path, and the share of them that rests on each basis."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import NamedTuple

from steps.catalog.terms import LinkType
from steps.planning.activity import Dates
from steps.planning.network.basis import Basis, basis_of
from steps.planning.plan import Plan

DAY = timedelta(days=1)


class CriticalPart(NamedTuple):
    """An activity, an order or a delivery on the chain that drives a plan's end."""

    id: str
    basis: Basis
    days: float
    """Days around the clock that it adds to the plan. Those of all parts together are the plan's."""


def critical_parts(plan: Plan) -> tuple[CriticalPart, ...]:
    """Return the chain that drives the end of a plan, the first part first.

    The chain is followed back from the end: each part is driven by a predecessor, or by what hands its crew over. Days on which
    two of them are at work belong to the later one if it waits for the other's start, otherwise to the earlier one. A wait
    for a lag or for opening hours belongs to the part that waits. The result is empty for a plan that knows no basis: one from before 0.3.
    """
    dates = {name: of for name, of in plan.nodes() if of is not None}
    basis = _bases(plan)
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


def shares_of(parts: Iterable[CriticalPart]) -> dict[Basis, float]:
    """Return the share of the days that rests on each basis, 0 to 1, the strongest first. Without days it is empty."""
    days = dict.fromkeys(Basis, 0.0)
    for part in parts:
        days[part.basis] += part.days
    total = sum(days.values())
    return {basis: own / total for basis, own in days.items()} if total else {}


def in_words(shares: dict[Basis, float]) -> str:
    """Return shares as whole percents: `41 % cited, 47 % judgement, 12 % assumption`. A basis without days is left out."""
    return ", ".join(f"{share:.0%} {basis}".replace("%", " %") for basis, share in shares.items() if share)


def _last(plan: Plan, dates: dict[str, Dates]) -> str | None:
    """Return what the plan ends with: the activity that closes it, or what finishes last."""
    closing = (one.id for one in plan.activities if one.step == "195" and one.dates)
    ending = (name for name, of in dates.items() if of.early_finish == plan.finish)
    return next(closing, None) or next(ending, None)


def _bases(plan: Plan) -> dict[str, str]:
    found = {one.id: one.basis for one in plan.activities}
    for order in plan.orders:
        names = (order.id, *(tranche.id for tranche in order.tranches))
        found |= dict.fromkeys(names, basis_of(order.lead_source))
    return found
