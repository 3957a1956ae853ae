"""A calculation: inputs, named results with units and where they come from, findings, and the sheets it fills.

Nothing here knows a criterion: a result that has a criterion's name is held against it by the ledger.
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
from steps.design.findings import Finding
from steps.schedule.plan import Plan, PlanActivity

Value = Decimal | bool | str
Facts = Mapping[str, Value]


class Figure(NamedTuple):
    """A named value with its unit, and in words where it comes from."""

    name: str
    value: Value
    unit: str
    source: str


class Sheet(NamedTuple):
    """A file that a calculation fills: which evidence it is, its name, and what writes it."""

    evidence: str
    name: str
    write: Callable[[], str]


@dataclass
class Calculation:
    """What was worked out for one activity, in the order in which it is shown."""

    inputs: list[Figure] = field(default_factory=list)
    results: list[Figure] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    sheets: list[Sheet] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    """What was put together from elsewhere, as it stands in the document."""
    evidence: str | None = None
    """Which evidence the document itself is; where it is left open, the first the policy asks for and no sheet is."""

    def takes(self, name: str, value: float | Value, unit: str, source: str = "design") -> None:
        """Note something it is worked out from."""
        self.inputs.append(Figure(name, exact(value), unit, source))

    def gives(self, name: str, value: float | Value, unit: str, source: str) -> None:
        """Note a result, and how it was got."""
        self.results.append(Figure(name, exact(value), unit, source))

    def result(self, name: str) -> Figure | None:
        """Return a result by name, None where it was not worked out."""
        return next((figure for figure in self.results if figure.name == name), None)


class Under:
    """A plan as calculators see it; what several of them need is worked out once.

    Plans adopted before 0.2 have no figures: `counted` is then None, and only the formulas of that time are left.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._units = {unit.id: unit for unit in plan.units}

    @cached_property
    def counted(self) -> Counted | None:
        """Fabric, storage and power, counted from the plan's figures and choices."""
        return counted_from(self.plan.figures, self.plan.choices) if self.plan.figures else None

    @cached_property
    def wiring(self) -> Wiring | None:
        """Every cable of the fabric, counted; None without figures, or without a fabric."""
        counted = self.counted
        if counted is None or counted.fabric.tiers == 0:
            return None
        return Wiring(CableSchedule(counted.figures, counted.choices))

    def values(self, unit: str) -> dict[str, Any]:
        """Return the design values that hold at a unit, its own over the site's."""
        return self.plan.design | self._units[unit].design

    def inside(self, unit: str, kind: str) -> Iterator[dict[str, Any]]:
        """Return the values of the units of a kind inside a unit, itself included."""
        for other in self.plan.units:
            if other.kind == kind and unit in self._chain(other.id):
                yield self.values(other.id)

    def _chain(self, unit: str) -> Iterator[str]:
        at: str | None = unit
        while at is not None:
            yield at
            at = self._units[at].parent


Worker = Callable[[Under, PlanActivity, Facts, Counted], Calculation]
"""Works out one step for an activity; it is asked only where the plan has figures."""


def exact(value: float | Value) -> Value:
    """Return a number as a decimal of six places without trailing zeros; text and truth as they are."""
    if isinstance(value, bool | str):
        return value
    rounded = round(Decimal(str(float(value))), 6)
    return rounded.quantize(Decimal(1)) if rounded == rounded.to_integral_value() else rounded.normalize()


def number(facts: Facts, name: str) -> float | None:
    """Return a fact that is a number, None where it is not known."""
    value = facts.get(name)
    return None if value is None or isinstance(value, bool | str) else float(value)
