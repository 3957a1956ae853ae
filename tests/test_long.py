"""The lists of long and of quick tests: what they name is there."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from steps.design.preset import preset_names
from tests.conftest import LONG

ROOT = Path(__file__).parents[1]
QUICK = Path(__file__).parent / "quick.txt"
"""Words for pytest: the files of `make quick`, and which of their tests it leaves out."""

LEFT_OUT = "--deselect="


def test_every_long_test_is_there() -> None:
    """A test that has another name now would be part of `make test` again, or of nothing."""
    named = [line for line in LONG.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert named == sorted(set(named))
    for line in named:
        assert has_test(line), line


def test_every_quick_file_is_there_and_what_is_left_out_is_in_one() -> None:
    """A test that has another name now would make `make quick` slow."""
    lines = QUICK.read_text(encoding="utf-8").splitlines()
    files = {line for line in lines if not line.startswith(LEFT_OUT)}
    left_out = [line.removeprefix(LEFT_OUT) for line in lines if line.startswith(LEFT_OUT)]
    assert lines == [*sorted(files), *(LEFT_OUT + line for line in sorted(set(left_out)))]
    for line in left_out:
        assert has_test(line), line
        assert line.startswith(tuple(files)), line
    for named in files:
        assert has_test(named) if "::" in named else (ROOT / named).exists(), named


def has_test(name: str) -> bool:
    """Return whether a file has a test of this name. One case of a test is that of a preset, which follows in brackets."""
    named, _, case = name.partition("[")
    file, _, test = named.partition("::")
    return test.rpartition("::")[2] in functions_of(file) and (not case or case.removesuffix("]") in preset_names())


@cache
def functions_of(file: str) -> set[str]:
    """Return the names of a file's functions."""
    found = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
    return {node.name for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
