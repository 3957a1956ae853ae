"""Formulas of an entry: they parse, read values that their step may read, and come out in the right unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from steps.catalog.lint.report import LintFinding
from steps.catalog.loader import Entry
from steps.catalog.schema import Scope
from steps.design.design import Design
from steps.design.figures import choice_specs
from steps.design.values import DESIGN_VALUES
from steps.errors import InputError
from steps.formula import comparisons, names

Key = tuple[str | int, ...]

READS = {Scope.SITE: {"site"}, Scope.HALL: {"site", "hall"}, Scope.POD: {"site", "hall", "pod"}}
"""The levels of design values that a step of each scope may read."""


def formula_findings(entry: Entry) -> Iterator[LintFinding]:
    """Yield formulas that do not parse, read what they may not, or ask for a word that no design has."""
    for text, key in _formulas(entry):
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
    """Yield units that do not exist, and formulas that do not come out in theirs with the values of a design."""
    from steps.catalog.lint.units import Quantities, check_formula, is_unit  # pint is slow to import

    first = {scope: next(unit for unit in design.units if unit.kind is scope) for scope in Scope}
    at = {scope: Quantities(unit.values | {"crews": 1}) for scope, unit in first.items()}
    for entry in entries:
        step = entry.step
        limits = {c.value: c.unit for c in step.accept if isinstance(c.value, str)}
        for text, key in _formulas(entry):
            if key[0] == "resources":  # kilowatts, people or floors: each resource has a unit of its own
                continue
            try:
                check_formula(text, at[step.scope], limits.get(text))
            except InputError as error:
                yield LintFinding("unit", error.what, entry.place(*key), error.hint)
        for index, criterion in enumerate(step.accept):
            if not is_unit(criterion.unit):
                message = f"{criterion.unit!r} is not a unit"
                yield LintFinding("unit", message, entry.place("accept", index, "unit"))
        for index, fact in enumerate(step.facts):
            if not is_unit(fact.unit) or (fact.unit == "choice") is not bool(fact.options):
                message = f"{fact.name} is a number with a unit, or a choice among options"
                yield LintFinding("unit", message, entry.place("facts", index, "unit"))


def _formulas(entry: Entry) -> Iterator[tuple[str, Key]]:
    step = entry.step
    if isinstance(step.applies, str):
        yield step.applies, ("applies",)
    if step.items:
        yield step.items.count, ("items", "count")
    yield step.crew.count, ("crew", "count")
    for index, supply in enumerate(step.supplies):
        yield supply.quantity, ("supplies", index, "quantity")
    for index, criterion in enumerate(step.accept):
        if isinstance(criterion.value, str):
            yield criterion.value, ("accept", index, "value")
    for key in ("supplies", "links", "alternatives", "accept", "facts"):
        for index, conditional in enumerate(getattr(step, key)):
            if conditional.when:
                yield conditional.when, (key, index, "when")
    for name, formula in step.resources.items():
        yield formula, ("resources", name)


def _misread(name: str, text: str, scope: Scope) -> str:
    known = DESIGN_VALUES.get(name)
    if known is None:
        return f"formula {text!r} reads {name!r}, which no design value is called"
    if known.level not in READS[scope]:
        return f"a {scope} step cannot read {name}, a value of a {known.level}"
    return ""


def _words(entry: Entry, text: str, key: Key) -> Iterator[LintFinding]:
    choices = choice_specs()
    for name, word in sorted(comparisons(text)):
        options = choices[name].options if name in choices else ()
        if options and word not in options:
            message = f"formula {text!r} asks for a {name} {word!r}, which no design has"
            hint = f"options: {', '.join(map(str, options))}"
            yield LintFinding("formula", message, entry.place(*key), hint)
