"""Units of figures and formulas, checked with pint at lint only: importing it costs a third of a second.

Counts of things (`each`, `links`, `panels`) are dimensionless; what is counted is a word, not a unit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import pint

from steps.design.values import DESIGN_VALUES
from steps.errors import InputError
from steps.formula import evaluate

DIMENSIONLESS = frozenset({"count", "ratio", "each", "bool", "percent", "lanes", "choice"})


@cache
def registry() -> pint.UnitRegistry[float]:
    """Give pint's registry with the units of this field it lacks."""
    units: pint.UnitRegistry[float] = pint.UnitRegistry()
    units.define("GT = 1e9 * count = GT")
    units.define("TFLOPS = 1e12 * count / second")
    units.define("megohm = 1e6 * ohm")
    units.define("ton_of_refrigeration = 3516.85 * watt = TR")
    return units


def is_unit(text: str) -> bool:
    """Say whether a criterion's unit is one that results can be compared in."""
    if text in DIMENSIONLESS or text.startswith("percent of "):
        return True
    try:
        registry().parse_units(text)
    except (pint.UndefinedUnitError, pint.errors.DefinitionSyntaxError, ValueError, TypeError):
        return False
    return True


def check_formula(text: str, values: Mapping[str, Any], unit: str | None) -> None:
    """Raise InputError where a formula mixes units, or does not come out in `unit` (None: a count)."""
    quantities = {name: _quantity(name, value) for name, value in values.items()}
    try:
        result = evaluate(text, quantities, functions=_FUNCTIONS)
    except pint.DimensionalityError as error:
        raise InputError(f"formula {text!r} mixes units: {error}") from None
    if isinstance(result, bool | str):
        return
    wanted = "dimensionless" if unit is None or unit in DIMENSIONLESS else unit
    given = result if isinstance(result, registry().Quantity) else registry().Quantity(result, "")
    try:
        converted = given.to(wanted)
    except pint.DimensionalityError:
        raise InputError(f"formula {text!r} comes out in {given.units}, not {wanted}") from None
    if not math.isclose(float(converted.magnitude), float(given.magnitude), rel_tol=1e-9, abs_tol=1e-9):
        raise InputError(f"formula {text!r} comes out in {given.units}, which is not {wanted} as a plain number")


def _quantity(name: str, value: Any) -> Any:
    known = DESIGN_VALUES.get(name)
    if known is None or isinstance(value, str | bool) or known.unit in DIMENSIONLESS:
        return value
    return registry().Quantity(float(value), known.unit)


def _whole(rounding: Any) -> Any:
    def rounded(x: Any) -> Any:
        if isinstance(x, registry().Quantity):
            x = x.to("dimensionless").magnitude
        return rounding(round(float(x), 9))

    return rounded


_FUNCTIONS: dict[str, Any] = {
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "min": min,
    "max": max,
}
