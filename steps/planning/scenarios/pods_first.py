"""Some pods before all others: their deliveries come with the first one, and crews serve them first."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from schedule.errors import InputError
from steps.catalog.terms import Scope
from steps.planning.dates.milestones import IN_SERVICE, hall_milestone, halls_of
from steps.planning.plan import Plan, PlanLink

Targets = dict[str, frozenset[str]]
"""Milestones by name, each with the ids that reach it."""


def first_pods(plan: Plan, number: int) -> tuple[str, ...]:
    """Return the first pods in the order in which they are built. Raise InputError if there are not so many."""
    pods = [unit.id for unit in plan.units if unit.kind is Scope.POD]
    if not 1 <= number <= len(pods):
        there_are = "the site has 1 pod" if len(pods) == 1 else f"the site has {len(pods)} pods"
        raise InputError(f"{number} pods cannot come first: {there_are}", hint=f"name 1 to {len(pods)}")
    return tuple(pods[:number])


def ready(plan: Plan, pods: tuple[str, ...]) -> Targets:
    """Return the milestone at which pods can train, and those of the halls that have no other pods.

    A pod can train when all is done there that puts its hall in service: it is accepted, its network is measured, storage is
    mounted, and it takes jobs. A site that puts no hall in service waits for all work at its pods.
    """
    at = {one.id: one.unit for one in plan.activities if one.applicable and not one.continuing}
    asked = {link.before for link in plan.links if link.after.startswith(f"{IN_SERVICE}@")}
    work = {name for name, unit in at.items() if unit in pods}
    words = "first pod ready" if len(pods) == 1 else f"first {len(pods)} pods ready"
    others = {unit.parent for unit in plan.units if unit.kind is Scope.POD and unit.id not in pods}
    whole = (hall for hall in halls_of(plan) if hall.unit not in others)
    return {words: frozenset(work & asked or work), **{hall_milestone(one.unit): frozenset({one.id}) for one in whole}}


def before_all(plan: Plan, targets: Targets) -> frozenset[str]:
    """Return all that milestones wait for, by any chain of links, and what reaches them."""
    before: dict[str, list[str]] = {}
    for link in plan.links:
        before.setdefault(link.after, []).append(link.before)
    found: set[str] = set()
    front = [name for own in targets.values() for name in own]
    while front:
        name = front.pop()
        if name not in found:
            found.add(name)
            front += before.get(name, ())
    return frozenset(found)


def delivered_first(plan: Plan, pods: tuple[str, ...], here: Collection[str]) -> Plan:
    """Return the plan in which pods are served by the first delivery of each order that is not `here`.

    What serves them and is here stays, and deliveries of other pods keep their dates.
    """
    comes_with: dict[str, str] = {}
    for order in plan.orders:
        coming = [tranche.id for tranche in order.tranches if tranche.id not in here]
        comes_with |= dict.fromkeys(coming, coming[0] if coming else "")
    served = {one.id for one in plan.activities if one.unit in pods}

    def moved(link: PlanLink) -> PlanLink:
        first = comes_with.get(link.before)
        return link if first is None or link.after not in served else replace(link, before=first)

    return plan.model_copy(update={"links": tuple(map(moved, plan.links))})
