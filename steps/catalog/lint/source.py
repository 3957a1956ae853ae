"""Reads the program's own source: the attributes that it loads, and the metrics that its calculators work out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from steps.design.calculated import FORMULAS, RACK_FEED

RESULT = "gives"
"""The method by which a calculator notes a result; its first argument is the metric."""


def texts(folders: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """Yield every Python file below these folders with its text."""
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            yield path, path.read_text(encoding="utf-8")


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.Lambda]:
    """Yield every function, method and lambda of a module or class, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            yield node


def loaded(tree: ast.AST) -> set[str]:
    """Return the names of the attributes that are read, without methods that are called."""
    called: set[ast.expr] = set()
    read: dict[ast.expr, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called.add(node.func)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            read[node] = node.attr
    return {name for node, name in read.items() if node not in called}


@cache
def worked_out(folders: tuple[Path, ...]) -> re.Pattern[str]:
    """Return a pattern of the metrics that calculators and the formulas of plans work out."""
    found = {re.escape(metric) for metric in (*FORMULAS, RACK_FEED)}
    calculators = [ast.parse(text) for _, text in texts(folders) if f"{RESULT}(" in text]
    for call in (node for tree in calculators for node in ast.walk(tree)):
        if isinstance(call, ast.Call) and call.args and _called(call) == RESULT:
            found.add(pattern_of(call.args[0]))
    return re.compile("|".join(sorted(found)))


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def pattern_of(metric: ast.expr) -> str:
    """Return a pattern of a metric's name: `f"{hall}_kw"` is any word and `_kw`; a variable alone has no pattern."""
    match metric:
        case ast.Constant(value=str(text)):
            return re.escape(text)
        case ast.JoinedStr(values=parts):
            return "".join(pattern_of(part) or r"\w+" for part in parts)
        case _:
            return ""
