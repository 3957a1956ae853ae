"""Formulas of the catalog: a closed grammar over named design values, parsed by Python's own parser.

A formula has arithmetic, comparisons, `and`, `or`, `not`, `in [...]`, and the functions in FUNCTIONS. Names are design values;
text in quotes is an option of a choice. Anything else is refused, and `eval` is never used. The same code evaluates plain
numbers for a plan and pint quantities for the lint.

Arithmetic is on numbers only, and its results are bounded: `"a" * 1900000000` is a text of two gigabytes.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from schedule.errors import InputError

LONGEST = 1000
"""The most characters of a formula."""

DEEPEST = 30
"""How deep the parts of a formula may be nested in each other."""

LARGEST = 1e30
"""The largest number that a formula may hold, meet or result in."""

SHOWN = 80


class FormulaError(InputError):
    """A formula has no value. `formula` is its text, by which its place in a file is found."""

    def __init__(self, formula: str, why: str, *, hint: str = "") -> None:
        """Keep the formula apart from the reason."""
        super().__init__(f"formula {shortened(formula)!r} {why}", hint=hint)
        self.formula = formula


def shortened(formula: str) -> str:
    """Return a formula as messages show it."""
    return formula if len(formula) <= SHOWN else f"{formula[:SHOWN]}…"


def _ceil(x: Any) -> Any:
    return math.ceil(round(float(checked_number(x)), 9))


def _floor(x: Any) -> Any:
    return math.floor(round(float(checked_number(x)), 9))


def _min(*numbers: Any) -> Any:
    return min(map(checked_number, numbers))


def _max(*numbers: Any) -> Any:
    return max(map(checked_number, numbers))


class _NotAllowedError(Exception):
    """A part of a formula has no value, for the reason in the message. `evaluate` catches it."""


def checked_number(value: Any) -> Any:
    """Return a value that is a number within bounds. Yes is 1 and no is 0; the lint's quantities have a magnitude."""
    if isinstance(value, str | list):
        raise _NotAllowedError(f"takes {_named(value)} for a number")
    magnitude = getattr(value, "magnitude", value)
    if not abs(magnitude) <= LARGEST:
        raise _NotAllowedError(f"comes to a number beyond {LARGEST:g}")
    return value


def _named(value: Any) -> str:
    return "a list" if isinstance(value, list) else f"the text {shortened(str(value))!r}"


Values = Mapping[str, Any]
Functions = Mapping[str, Callable[..., Any]]

FUNCTIONS: Functions = {
    "ceil": _ceil,
    "floor": _floor,
    "min": _min,
    "max": _max,
}

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """Return the syntax tree of a formula; raise InputError if it has anything else than the grammar."""
    if len(text) > LONGEST:
        raise FormulaError(text, f"has {len(text):,} characters; at most {LONGEST:,} are read")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:  # a NUL byte, or brackets without end
        why = error.msg if isinstance(error, SyntaxError) else "it cannot be read"
        raise FormulaError(text, f"does not parse: {why}") from None
    _refuse_deep(text, tree)
    for node in ast.walk(tree):
        _refuse_unknown(text, node)
    return tree


def _refuse_deep(text: str, tree: ast.expr) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(2 * DEEPEST):  # a level of the tree that is no expression: the operators, the contexts
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise FormulaError(text, f"is nested more than {DEEPEST} deep", hint="take a sum apart with brackets")


def _refuse_unknown(text: str, node: ast.AST) -> None:
    if not isinstance(node, _ALLOWED):
        raise FormulaError(
            text,
            f"uses {type(node).__name__}, which formulas do not have",
            hint="allowed: + - * / // %, comparisons, and, or, not, in [...], " + ", ".join(FUNCTIONS),
        )
    if isinstance(node, ast.Call) and not _is_call(node):
        raise FormulaError(text, f"calls something other than {', '.join(FUNCTIONS)}")
    if isinstance(node, ast.Constant) and not _is_constant(node.value):
        raise FormulaError(text, f"has {str(node.value)[:20]!r}, which is no number, text, yes or no")
    if isinstance(node, ast.Compare) and not _is_list_after_in(node):
        raise FormulaError(text, "has no list after `in`", hint="write in ['air', 'hybrid']")


def _is_call(node: ast.Call) -> bool:
    is_known = isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS
    return is_known and bool(node.args) and not node.keywords


def _is_constant(value: Any) -> bool:
    if isinstance(value, bool | str):
        return True
    return isinstance(value, int | float) and abs(value) <= LARGEST


def _is_list_after_in(node: ast.Compare) -> bool:
    pairs = zip(node.ops, node.comparators, strict=True)
    return all(isinstance(right, ast.List | ast.Tuple) for op, right in pairs if isinstance(op, ast.In | ast.NotIn))


_ALLOWED = (
    ast.BinOp,
    ast.UnaryOp,
    ast.USub,
    ast.Not,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.Compare,
    ast.Call,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.List,
    ast.Tuple,
    *_BINARY,
    *_COMPARE,
)


def names(text: str) -> frozenset[str]:
    """Return the design values that a formula reads."""
    nodes = ast.walk(parse(text))
    used = [node.id for node in nodes if isinstance(node, ast.Name)]
    return frozenset(used) - frozenset(FUNCTIONS)


def comparisons(text: str) -> frozenset[tuple[str, str]]:
    """Return the design values that a formula compares with words, and these words."""
    found = set()
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
            constants = [word for right in node.comparators for word in ast.walk(right)]
            words = [word.value for word in constants if isinstance(word, ast.Constant)]
            found |= {(node.left.id, word) for word in words if isinstance(word, str)}
    return frozenset(found)


def evaluate(text: str, values: Values, *, functions: Functions = FUNCTIONS) -> Any:
    """Return the value of a formula; raise FormulaError for an unknown name, a division by zero, or a sum with text."""
    try:
        return _walk(parse(text), values, functions)
    except KeyError as error:
        raise FormulaError(
            text,
            f"reads {error.args[0]!r}, which no design value is called",
            hint="the names are listed in docs/reference/design-values.md",
        ) from None
    except ZeroDivisionError:
        raise FormulaError(text, "divides by zero for this design") from None
    except OverflowError:
        raise FormulaError(text, f"comes to a number beyond {LARGEST:g}") from None
    except _NotAllowedError as error:
        raise FormulaError(text, str(error)) from None


def number_of(text: str, values: Values) -> float:
    """Return the number that a formula comes to; raise FormulaError if it comes to something else."""
    value = evaluate(text, values)
    try:
        return float(checked_number(value))
    except _NotAllowedError as error:
        raise FormulaError(text, str(error)) from None


def _walk(node: ast.expr, values: Values, functions: Functions) -> Any:  # noqa: PLR0912  one case a node
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return values[name]
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_walk(e, values, functions) for e in elements]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _walk(operand, values, functions)
        case ast.UnaryOp(operand=operand):
            return -checked_number(_walk(operand, values, functions))
        case ast.BinOp(left=left, op=op, right=right):
            operands = (checked_number(_walk(left, values, functions)), checked_number(_walk(right, values, functions)))
            return checked_number(_BINARY[type(op)](*operands))
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_walk(p, values, functions) for p in parts)
        case ast.BoolOp(values=parts):
            return any(_walk(p, values, functions) for p in parts)
        case ast.Call(func=ast.Name(id=name), args=args):
            return functions[name](*(_walk(a, values, functions) for a in args))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            left_value = _walk(left, values, functions)
            for sign, comparator in zip(ops, comparators, strict=True):
                right_value = _walk(comparator, values, functions)
                if isinstance(sign, _ORDER):
                    checked_number(left_value)
                    checked_number(right_value)
                if not _COMPARE[type(sign)](left_value, right_value):
                    return False
                left_value = right_value
            return True
        case _:  # parse() has refused everything else
            raise AssertionError(ast.dump(node))
