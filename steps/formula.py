"""Formulas of the catalog: a closed grammar over named design values, parsed by Python's own parser.

A formula has arithmetic, comparisons, `and`, `or`, `not`, `in [...]`, and the functions in FUNCTIONS. Names are design values;
text in quotes is an option of a choice. Anything else is refused, and `eval` is never used. The same code evaluates plain
numbers for a plan and pint quantities for the lint.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from steps.errors import InputError


def _ceil(x: Any) -> Any:
    return math.ceil(round(float(x), 9))


def _floor(x: Any) -> Any:
    return math.floor(round(float(x), 9))


Values = Mapping[str, Any]
Functions = Mapping[str, Callable[..., Any]]

FUNCTIONS: Functions = {
    "ceil": _ceil,
    "floor": _floor,
    "min": min,
    "max": max,
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


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """Return the syntax tree of a formula; raise InputError if it has anything else than the grammar."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise InputError(f"formula {text!r} does not parse: {error.msg}") from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise InputError(
                f"formula {text!r} uses {type(node).__name__}, which formulas do not have",
                hint="allowed: + - * / // %, comparisons, and, or, not, in [...], " + ", ".join(FUNCTIONS),
            )
        if isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and not node.keywords
        ):
            raise InputError(f"formula {text!r} calls something other than {', '.join(FUNCTIONS)}")
    return tree


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
    """Return the value of a formula; raise InputError for an unknown name or a division by zero."""
    try:
        return _walk(parse(text), values, functions)
    except KeyError as error:
        raise InputError(
            f"formula {text!r} reads {error.args[0]!r}, which no design value is called",
            hint="the names are listed in docs/design-values.md",
        ) from None
    except ZeroDivisionError:
        raise InputError(f"formula {text!r} divides by zero for this design") from None


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
            return -_walk(operand, values, functions)
        case ast.BinOp(left=left, op=op, right=right):
            operands = (_walk(left, values, functions), _walk(right, values, functions))
            return _BINARY[type(op)](*operands)
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
                if not _COMPARE[type(sign)](left_value, right_value):
                    return False
                left_value = right_value
            return True
        case _:  # parse() has refused everything else
            raise AssertionError(ast.dump(node))
