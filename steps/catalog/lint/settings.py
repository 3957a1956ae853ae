"""Finds figures, choices and resources that nothing reads: a site would change one, and no plan would follow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from schedule.errors import InputError, Place
from steps.catalog.lint.placing import formulas_of
from steps.catalog.lint.report import LintFinding
from steps.catalog.lint.source import pattern_of, texts
from steps.catalog.loader import Catalog, shipped_folder
from steps.catalog.resources import FILE, resources
from steps.design.figures import choice_specs, figure_specs
from steps.formula import names


def setting_findings(catalog: Catalog, folders: tuple[Path, ...]) -> Iterator[LintFinding]:
    """Yield the figures and choices that neither the program below these folders nor a formula reads, and idle resources."""
    in_program = _words(folders)
    in_formulas = set(_names(catalog))
    for kind, listed in (("figure", figure_specs()), ("choice", choice_specs())):
        for name in listed:
            if name not in in_formulas and not in_program.fullmatch(name):
                hint = "use it, or drop it from the list"
                yield LintFinding("figure", f"no program reads the {kind} {name}", Place(f"{kind}s.yaml"), hint)
    occupied = {name for entry in catalog.values() for name in entry.step.resources}
    for name, resource in resources().items():
        if name not in occupied and not resource.people:
            place = Place(str(shipped_folder() / FILE), None, name)
            yield LintFinding("resource", f"no step occupies {name}", place, "name it under a step's resources")


def _names(catalog: Catalog) -> Iterator[str]:
    formulas: Iterable[str] = (formula for entry in catalog.values() for formula, _ in formulas_of(entry.step))
    for formula in (*formulas, *(resource.capacity for resource in resources().values())):
        try:
            yield from names(formula)
        except InputError:
            continue  # `formula_findings` names it


@cache
def _words(folders: tuple[Path, ...]) -> re.Pattern[str]:
    """Return a pattern of the texts in the program: each as it is, and those with parts that are filled in."""
    found = set()
    for _, text in texts(folders):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                found.add(pattern_of(node))
    telling = (one for one in found if r"\w" not in one or len(one.replace(r"\w+", "")) > 3)
    return re.compile("|".join(sorted(telling)))
