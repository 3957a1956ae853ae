"""Finds fields of a catalog entry that no program reads. People fill them in, and nothing happens.

A function reads a field if it loads an attribute of that name, and handles the field's class: it names the class, or loads
a field that holds one. For example `step.on_fail.ncr` loads `on_fail`, which holds an OnFail, so it reads OnFail.ncr. In the
schema only properties count, since its validators look at every field. The lint's own check of formulas does not count.
"""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from schedule.errors import Place
from steps.catalog import schema
from steps.catalog.lint import formulas, placing
from steps.catalog.lint.report import LintFinding
from steps.catalog.lint.source import functions, loaded, texts
from steps.catalog.loader import Entry
from steps.planning.activity import PlanActivity

COPIED = {*PlanActivity.__struct_fields__} & set(schema.Step.model_fields)
"""Fields of a step that the planner copies to each activity. A function that reads them there reads the step's."""
ACTIVITIES = {"plan", "activity", "activities"}
"""What holds the plan's part of an activity."""

SCHEMA = Path(schema.__file__)
FORMULAS = (Path(formulas.__file__), Path(placing.__file__))

Fields = frozenset[tuple[str, str]]
"""Fields, each with the name of its class."""

Holders = dict[str, set[str]]
"""By class the names of what holds one."""


def field_findings(folders: tuple[Path, ...]) -> Iterator[LintFinding]:
    """Yield the fields that no program below these folders reads."""
    unread = {".".join(field) for field in unread_fields(folders)}
    for name in sorted(unread):
        hint = "use it, or drop it from the schema and the entries"
        yield LintFinding("field", f"no program reads {name}", Place(str(SCHEMA)), hint)


@cache
def unread_fields(folders: tuple[Path, ...]) -> Fields:
    """Return the fields of an entry's classes that no function below these folders reads."""
    classes = _classes()
    left = frozenset((name, field) for name, known in classes.items() for field in known)
    holders = _holders()
    for path, text in texts(folders):
        if path in FORMULAS or not any(f".{field}" in text for _, field in left):
            continue
        tree = ast.parse(text)
        if path == SCHEMA:
            left -= _read_by_properties(tree)
            continue
        for function in functions(tree):
            left -= _read_by(function, left, holders)
    return left


def _read_by(function: ast.FunctionDef | ast.Lambda, left: Fields, holders: Holders) -> Fields:
    attributes = loaded(function)
    variables = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    named = attributes | variables
    handled = {name for name, held_by in holders.items() if held_by & named}
    copied = COPIED & attributes if ACTIVITIES & named else set()
    read = {(name, field) for name, field in left if name in handled and field in attributes}
    return frozenset(read | {("Step", field) for field in copied})


def _read_by_properties(tree: ast.Module) -> Fields:
    found = set()
    for defined in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for method in functions(defined):
            marks = getattr(method, "decorator_list", ())
            if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in marks):
                found |= {(defined.name, attribute) for attribute in loaded(method)}
    return frozenset(found)


def _classes() -> dict[str, list[str]]:
    """Return the fields of every class of the schema, and of the entry that the loader makes of one file."""
    kinds = [kind for kind in vars(schema).values() if isinstance(kind, type)]
    closed = [kind for kind in kinds if issubclass(kind, schema.Closed)]
    found = {kind.__name__: list(kind.model_fields) for kind in closed}
    return found | {Entry.__name__: [field.name for field in fields(Entry)]}


def _holders() -> Holders:
    """Return the names of each class and of the fields that hold one."""
    found = {name: {name} for name in _classes()}
    found["Step"] |= {"step", "plan"}  # `row.plan.title` reads Step.title: the planner copies fields of the same name
    found["Entry"].add("entry")
    for kind in (getattr(schema, name) for name in found if name != "Entry"):
        for name, field in kind.model_fields.items():
            for held in _inside(field.annotation):
                found[held].add(name)
    return found


def _inside(annotation: Any) -> Iterator[str]:
    """Yield the schema's classes in an annotation: `tuple[Link, ...]` holds Link."""
    if isinstance(annotation, type) and issubclass(annotation, schema.Closed):
        yield annotation.__name__
    for part in typing.get_args(annotation):
        yield from _inside(part)
