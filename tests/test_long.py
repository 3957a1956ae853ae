"""The list of long tests: what it names is there."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conftest import LONG

ROOT = Path(__file__).parents[1]


def test_every_long_test_is_there() -> None:
    """A test that has another name now would be part of `make test` again, or of nothing."""
    named = [line for line in LONG.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert named == sorted(set(named))
    for line in named:
        file, _, name = line.partition("::")
        found = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        assert name.rpartition("::")[2] in {
            node.name for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }, line
