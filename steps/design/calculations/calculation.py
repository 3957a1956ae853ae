"""A calculation: inputs, named results with units and sources, findings, and the sheets that it fills.

Nothing here knows criteria: the ledger compares a result with the criterion of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from steps.design.cables import CableSchedule
from steps.design.calculations.wiring import Wiring
from steps.design.design import Counted, counted_from
from steps.design.figures import figure_specs
from steps.design.findings import Finding
from steps.design.preset import of_this_release
from steps.planning.activity import PlanActivity
from steps.planning.plan import Plan
from steps.value import Value, trimmed

Given = float | Value
Facts = Mapping[str, Value]


class Figure(NamedTuple):
    """A named value with its unit, and its source in words."""

    name: str
    value: Value
    unit: str
    source: str


class Sheet(NamedTuple):
    """A file that a calculation fills: its kind of evidence, its name, and the function that returns its text."""

    evidence: str
    name: str
    write: Callable[[], str]


@dataclass
class Calculation:
    """The calculation of one activity; everything is shown in this order."""

    inputs: list[Figure] = field(default_factory=list)
    results: list[Figure] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    """What was collected from elsewhere, as it is in the document."""
    evidence: str | None = None
    """The kind of evidence of the document itself; None: the first kind in the policy that no sheet has."""

    def takes(self, name: str, value: Given, unit: str, source: str = "design") -> None:
        """Add an input."""
        self.inputs.append(Figure(name, exact(value), unit, source))

    def takes_figures(self, counted: Counted, *names: str) -> None:
        """Add figures of the design as inputs. The size of a pod may follow from the fabric: then it is none."""
        for name in names:
            if name in counted.figures:
                self.takes(name, counted.figures[name], figure_specs()[name].unit)

    def takes_choices(self, counted: Counted, *names: str) -> None:
        """Add choices of the design as inputs."""
        for name in names:
            self.takes(name, counted.choices[name], "choice")

    def gives(self, name: str, value: Given, unit: str, source: str) -> None:
        """Add a result; `source` says how it was worked out."""
        self.results.append(Figure(name, exact(value), unit, source))

    def result(self, name: str) -> Figure | None:
        """Return a result by name, None if it was not worked out."""
        found = (figure for figure in self.results if figure.name == name)
        return next(found, None)


class Under:
    """A plan for calculators; what several of them need is worked out once.

    Plans from before 0.2 have no figures. Then `counted` is None, and only the formulas of that time are used.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._units = {unit.id: unit for unit in plan.units}

    @cached_property
    def counted(self) -> Counted | None:
        """Fabric, storage and power, counted from the plan's figures and choices."""
        if not self.plan.figures:
            return None
        return counted_from(*of_this_release(self.plan.figures, self.plan.choices))

    @cached_property
    def wiring(self) -> Wiring | None:
        """The counts of every cable of the fabric; None without figures or without a fabric."""
        counted = self.counted
        if counted is None or counted.fabric.tiers == 0:
            return None
        return Wiring(CableSchedule(counted.figures, counted.choices))

    def values(self, unit: str) -> dict[str, Any]:
        """Return the design values of a unit; its own take the place of the site's."""
        return self.plan.design | self._units[unit].design

    def inside(self, unit: str, kind: str) -> Iterator[dict[str, Any]]:
        """Yield the values of the units of a kind inside a unit, itself included."""
        for other in self.plan.units:
            if other.kind == kind and unit in self._chain(other.id):
                yield self.values(other.id)

    def _chain(self, unit: str) -> Iterator[str]:
        at: str | None = unit
        while at is not None:
            yield at
            at = self._units[at].parent


Worker = Callable[[Under, PlanActivity, Facts, Counted], Calculation]
"""Works out one step for an activity; it is called only if the plan has figures."""


def exact(value: Given) -> Value:
    """Return a number as a decimal with at most six places and no trailing zeros; text and truth are not changed."""
    if isinstance(value, bool | str):
        return value
    return trimmed(round(Decimal(str(float(value))), 6))


def number(facts: Facts, name: str) -> float | None:
    """Return a fact that is a number, None if it is not known."""
    value = facts.get(name)
    return None if value is None or isinstance(value, bool | str) else float(value)
