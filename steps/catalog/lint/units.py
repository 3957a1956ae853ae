"""Units of figures and formulas, checked with pint. Only the lint imports it: pint takes a third of a second to load.

Counts of things (`each`, `links`, `panels`) have no dimension: what is counted is a word, not a unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pint

from schedule.errors import InputError
from steps.design.values import DESIGN_VALUES
from steps.formula import FUNCTIONS, checked_number, evaluate

LONGEST_UNIT = 40
_POWER = re.compile(r"(\*\*|\^)\s*-?\s*([0-9]{2,}|[^0-9\s-])|(\*\*|\^).*(\*\*|\^).*(\*\*|\^)|[eE][0-9]{3}")
"""Powers that no unit has: of two digits, of something in brackets, or three in a row."""

DIMENSIONLESS = frozenset({"count", "ratio", "each", "bool", "percent", "lanes", "choice"})


class Quantities(dict[str, Any]):
    """Design values with their units by name, each made when a formula first reads it."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__()
        self._values = values

    def __missing__(self, name: str) -> Any:
        """Return the value of a name; an unknown one raises KeyError."""
        self[name] = value = _quantity(name, self._values[name])
        return value


def is_unit(text: str) -> bool:
    """Return whether a text is a unit in which results can be compared."""
    return _is_word(text) or _unit(text) is not None


def compare(unit: str, other: str) -> bool:
    """Return whether a number in one unit can be compared with a number in the other."""
    if unit == other:
        return True
    if _is_word(unit) or _is_word(other):
        return False
    ours, theirs = _unit(unit), _unit(other)
    return ours is not None and theirs is not None and ours.is_compatible_with(theirs)


def check_formula(text: str, values: Quantities, unit: str | None) -> None:
    """Raise InputError if a formula mixes units, or does not come out in `unit` (None: a count)."""
    try:
        result = evaluate(text, values, functions=_FUNCTIONS)
    except pint.DimensionalityError as error:
        raise InputError(f"formula {text!r} mixes units: {error}") from None
    if isinstance(result, bool | str):
        return
    wanted = "dimensionless" if unit is None or unit in DIMENSIONLESS else unit
    given = result if isinstance(result, _registry().Quantity) else _registry().Quantity(result, "")
    try:
        converted = given.to(wanted)
    except pint.DimensionalityError:
        raise InputError(f"formula {text!r} comes out in {given.units}, not {wanted}") from None
    before, after = float(given.magnitude), float(converted.magnitude)
    if not math.isclose(after, before, rel_tol=1e-9, abs_tol=1e-9):
        raise InputError(f"formula {text!r} comes out in {given.units}, which is not {wanted} as a plain number")


@cache
def _registry() -> pint.UnitRegistry[float]:
    """Return pint's registry with the units of this field that it lacks."""
    units: pint.UnitRegistry[float] = pint.UnitRegistry()
    units.define("GT = 1e9 * count = GT")
    units.define("TFLOPS = 1e12 * count / second")
    units.define("megohm = 1e6 * ohm")
    units.define("ton_of_refrigeration = 3516.85 * watt = TR")
    return units


@cache
def _unit(text: str) -> Any:
    """Return pint's unit of this name, None if it knows none. A longer text is none: pint would work out `9**9**9`."""
    if len(text) > LONGEST_UNIT or _POWER.search(text):
        return None
    try:
        return _registry().parse_units(text)
    except (pint.UndefinedUnitError, pint.errors.DefinitionSyntaxError, ValueError, TypeError):
        return None


def _is_word(text: str) -> bool:
    return text in DIMENSIONLESS or text.startswith("percent of ")


def _quantity(name: str, value: Any) -> Any:
    known = DESIGN_VALUES.get(name)
    if known is None or isinstance(value, str | bool) or known.unit in DIMENSIONLESS:
        return value
    return _registry().Quantity(float(value), _unit(known.unit))


def _whole(rounding: Callable[[float], int]) -> Callable[[Any], int]:
    def rounded(x: Any) -> int:
        if isinstance(checked_number(x), _registry().Quantity):
            x = x.to("dimensionless").magnitude
        return rounding(round(float(x), 9))

    return rounded


_FUNCTIONS: dict[str, Any] = {
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "min": FUNCTIONS["min"],
    "max": FUNCTIONS["max"],
}
