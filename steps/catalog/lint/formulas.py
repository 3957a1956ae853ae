"""Checks the formulas of an entry: grammar, the design values that they read, and their units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schedule.errors import InputError
from steps.catalog.lint.placing import formulas_of
from steps.catalog.lint.report import LintFinding
from steps.catalog.loader import Entry
from steps.catalog.terms import Scope
from steps.design.design import Design
from steps.design.figures import choice_specs
from steps.design.values import DESIGN_VALUES
from steps.formula import comparisons, names
from steps.yaml_lines import KeyPath

CREWS = {"crews": 1}
"""A value that each role has; its number does not matter for units."""

READS = {
    Scope.SITE: {"site"},
    Scope.HALL: {"site", "hall"},
    Scope.POD: {"site", "hall", "pod"},
}
"""The levels of design values that a step of each scope may read."""


def formula_findings(entry: Entry) -> Iterator[LintFinding]:
    """Yield formulas that do not parse, that read values they may not, or that name a word that no design has."""
    for text, key in formulas_of(entry.step):
        try:
            used = names(text)
        except InputError as error:
            yield LintFinding("formula", error.what, entry.place(*key), error.hint)
            continue
        for name in sorted(used):
            if wrong := _misread(name, text, entry.step.scope):
                yield LintFinding("formula", wrong, entry.place(*key))
        yield from _words(entry, text, key)


def unit_findings(design: Design, entries: Iterable[Entry]) -> Iterator[LintFinding]:
    """Yield formulas that do not come out in their unit with the values of a design."""
    from steps.catalog.lint.units import Quantities, check_formula  # pint is slow to import

    # of each scope the first unit stands for all
    first = {unit.kind: unit for unit in reversed(design.units)}
    at = {scope: Quantities(unit.values | CREWS) for scope, unit in first.items()}
    for entry in entries:
        limits = [c for c in entry.step.accept if isinstance(c.value, str)]
        units = {criterion.value: criterion.unit for criterion in limits}
        for text, key in formulas_of(entry.step):
            if key[0] == "resources":  # power, people or space: each resource has a unit of its own
                continue
            try:
                check_formula(text, at[entry.step.scope], units.get(text))
            except InputError as error:
                yield LintFinding("unit", error.what, entry.place(*key), error.hint)


def unknown_units(entry: Entry) -> Iterator[LintFinding]:
    """Yield units of criteria and facts that do not exist."""
    from steps.catalog.lint.units import is_unit  # pint is slow to import

    for index, criterion in enumerate(entry.step.accept):
        if not is_unit(criterion.unit):
            message = f"{criterion.unit!r} is not a unit"
            yield LintFinding("unit", message, entry.place("accept", index, "unit"))
    for index, fact in enumerate(entry.step.facts):
        if not is_unit(fact.unit) or (fact.unit == "choice") is not bool(fact.options):
            message = f"{fact.name} is a number with a unit, or a choice among options"
            yield LintFinding("unit", message, entry.place("facts", index, "unit"))


def _misread(name: str, text: str, scope: Scope) -> str:
    known = DESIGN_VALUES.get(name)
    if known is None:
        return f"formula {text!r} reads {name!r}, which no design value is called"
    if known.level not in READS[scope]:
        return f"a {scope} step cannot read {name}, a value of a {known.level}"
    return ""


def _words(entry: Entry, text: str, key: KeyPath) -> Iterator[LintFinding]:
    choices = choice_specs()
    for name, word in sorted(comparisons(text)):
        options = choices[name].options if name in choices else ()
        if options and word not in options:
            message = f"formula {text!r} asks for a {name} {word!r}, which no design has"
            hint = f"options: {', '.join(map(str, options))}"
            yield LintFinding("formula", message, entry.place(*key), hint)
