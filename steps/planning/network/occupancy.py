"""What activities occupy besides their crews, and how much of it a site has. Work waits for it as it waits for crews."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil

from schedule.errors import InputError
from steps.catalog.resources import Resource, resources
from steps.catalog.terms import Kind, Scope
from steps.design.design import Design, DesignUnit
from steps.formula import number_of
from steps.planning.activity import PlanActivity, PlanHold
from steps.planning.network.parts import Node
from steps.planning.plan import PlanResource


def holds_of(node: Node, crews: int, design: Design) -> tuple[PlanHold, ...]:
    """Return what an activity on which so many crews work occupies while it goes on."""
    return tuple(_holds(node, crews, design)) if node.applies else ()


def _holds(node: Node, crews: int, design: Design) -> Iterator[PlanHold]:
    step = node.entry.step
    for name, formula in step.resources.items():
        if name not in resources():
            hint = f"there are: {', '.join(resources())}"
            raise InputError(f"no resource is called {name!r}", hint=hint, place=node.entry.place("resources", name))
        if amount := ceil(number_of(formula, node.values)):
            yield PlanHold(_id(name, resources()[name], node.unit, design), amount)
    if step.kind is Kind.FIELD and step.scope is Scope.POD and crews:
        for name, resource in resources().items():
            if resource.people:
                yield PlanHold(_id(name, resource, node.unit, design), crews * step.crew.size)


def _id(name: str, resource: Resource, unit: DesignUnit, design: Design) -> str:
    return f"{name}@{design.enclosing(unit, resource.at).id}"


def resources_of(activities: Sequence[PlanActivity], design: Design) -> tuple[PlanResource, ...]:
    """Return the resources that a plan's activities occupy.

    There is always room for the people of one activity. Raise InputError for one that needs more of anything else than there is.
    """
    most: dict[str, tuple[int, PlanActivity]] = {}
    for one in activities:
        for hold in one.holds:
            if hold.amount > most.get(hold.resource, (0, one))[0]:
                most[hold.resource] = (hold.amount, one)
    return tuple(_resources(most.items(), design))


def _resources(most: Iterable[tuple[str, tuple[int, PlanActivity]]], design: Design) -> Iterator[PlanResource]:
    unit = {one.id: one for one in design.units}
    for name, (amount, activity) in sorted(most):
        kind, _, at = name.partition("@")
        resource = resources()[kind]
        capacity = int(number_of(resource.capacity, {**design.figures, **unit[at].values}))
        if amount > capacity and not resource.people:
            raise InputError(
                f"{activity.id} needs {amount:,} {resource.title}, and {at} has {capacity:,}",
                hint=f"more of it (overrides: the figures in {resource.capacity!r}), or smaller pods",
            )
        yield PlanResource(id=name, title=resource.title, capacity=max(capacity, amount))
