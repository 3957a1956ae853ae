"""Fields of a catalog entry that no program reads: whoever fills one in believes that it does something.

A function reads a field if it loads an attribute of that name and handles the field's class: it names the class, or
loads what holds one. `step.on_fail.ncr` loads `on_fail`, which holds an OnFail, so it reads OnFail.ncr. In the schema only
properties count, since validators look at every field, and so does the lint's own check of formulas.
"""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from steps.catalog import schema
from steps.catalog.lint import formulas
from steps.catalog.lint.report import LintFinding
from steps.catalog.lint.source import functions, loaded, texts
from steps.catalog.loader import Entry
from steps.errors import Place

NOT_YET_READ = {
    "Duration.restarts_on": "re-tests: what starts a duration again is for the work model to plan",
    "Step.resources": "resources: kilowatts and floor that a step occupies are for the work model to level",
}
"""Fields that stay in the schema although no program reads them, with the reason."""

SCHEMA = Path(schema.__file__)
FORMULAS = Path(formulas.__file__)

Field = tuple[str, str]
"""A class and the name of one of its fields."""


def field_findings(folders: tuple[Path, ...]) -> Iterator[LintFinding]:
    """Yield the fields that no program below these folders reads, and those excused for no reason."""
    unread = {".".join(field) for field in unread_fields(folders)}
    for name in sorted(unread - set(NOT_YET_READ)):
        hint = "use it, or drop it from the schema and the entries"
        yield LintFinding("field", f"no program reads {name}", Place(str(SCHEMA)), hint)
    for name in sorted(set(NOT_YET_READ) - unread):
        yield LintFinding("field", f"{name} is excused, and is read or gone", Place(str(Path(__file__))))


def unread_fields(folders: tuple[Path, ...]) -> set[Field]:
    """Return the fields of an entry's classes that no function below these folders reads."""
    classes = _classes()
    left = {(name, field) for name, known in classes.items() for field in known}
    holders = _holders()
    for path, text in texts(folders):
        if path == FORMULAS or not any(f".{field}" in text for _, field in left):
            continue
        tree = ast.parse(text)
        if path == SCHEMA:
            left -= _read_by_properties(tree)
            continue
        for function in functions(tree):
            left -= _read_by(function, left, holders)
    return left


def _read_by(function: ast.FunctionDef, left: set[Field], holders: dict[str, set[str]]) -> set[Field]:
    attributes = loaded(function)
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | attributes
    handled = {name for name, held_by in holders.items() if names & held_by}
    return {(name, field) for name, field in left if name in handled and field in attributes}


def _read_by_properties(tree: ast.Module) -> set[Field]:
    found: set[Field] = set()
    for defined in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for method in functions(defined):
            if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in method.decorator_list):
                found |= {(defined.name, attribute) for attribute in loaded(method)}
    return found


def _classes() -> dict[str, list[str]]:
    """Return the fields of every class of the schema, and of the entry that the loader makes of one file."""
    own = [kind for kind in vars(schema).values() if isinstance(kind, type) and kind.__module__ == schema.__name__]
    closed = {kind.__name__: list(kind.model_fields) for kind in own if issubclass(kind, schema.Closed)}
    return closed | {Entry.__name__: [field.name for field in fields(Entry)]}


def _holders() -> dict[str, set[str]]:
    """Return the names by which each class is met: its own, and the fields that hold one."""
    found = {name: {name} for name in _classes()}
    found["Step"].add("step")
    found["Entry"].add("entry")
    for kind in (getattr(schema, name) for name in found if name != "Entry"):
        for field, told in kind.model_fields.items():
            for held in _inside(told.annotation):
                found[held].add(field)
    return found


def _inside(annotation: Any) -> Iterator[str]:
    """Yield the schema's classes in an annotation: `tuple[Link, ...]` holds Link."""
    if isinstance(annotation, type) and issubclass(annotation, schema.Closed):
        yield annotation.__name__
    for part in typing.get_args(annotation):
        yield from _inside(part)
