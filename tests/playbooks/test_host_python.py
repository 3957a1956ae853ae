"""Scripts run by the Python that a host has: 3.10 on Ubuntu 22.04, and 3.9 on RHEL 9 and Rocky Linux 9, where some roles go."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.playing import FOLDER

ON_THE_CONTROL_NODE = {"bmc_accounts", "building_read", "maintenance", "power_shelves"}
SCRIPTS = {
    f"{path.parent.parent.name}/{path.stem}": path
    for path in sorted((FOLDER / "roles").glob("*/files/*.py"))
    if path.parent.parent.name not in ON_THE_CONTROL_NODE
}
ON_RHEL = (
    *("burn_in/burn_in_recorder", "card_firmware/network_cards", "data_cache/data_cache", "proof/card_firmware"),
    *("data_cache/read_sample", "fabric_faults/fabric_fault", "fabric_faults/fabric_load", "pair_tests/pair_tests"),
    *(
        "preprocessing/sample",
        "preprocessing/tokenise_shards",
        "proof/container_run",
        "proof/data_cache",
        "proof/ended",
    ),
    *(
        "proof/nvidia_stack",
        "proof/path_probe",
        "proof/preprocessed",
        "proof/rdma_stack",
        "segment_probe/segment_probe",
    ),
)
"""Of roles and playbooks whose packages RHEL has by the table of `packages`."""
NEWER = {"UTC", "StrEnum", "file_digest", "ExceptionGroup", "TaskGroup", "chdir", "tomllib"}
"""Names that came with 3.11."""


def newer_than_3_9(tree: ast.Module) -> Iterator[str]:
    """Yield what Python 3.9 cannot do: it evaluates annotations that are not quoted as a module is loaded."""
    later = any(isinstance(part, ast.ImportFrom) and part.module == "__future__" for part in tree.body)
    for part in ast.walk(tree):
        if isinstance(part, ast.Call) and any(word.arg == "strict" for word in part.keywords) and is_zip(part):
            yield f"line {part.lineno}: zip(strict=)"
        if isinstance(part, ast.alias) and part.name == "pairwise":
            yield f"line {part.lineno}: pairwise"
        if isinstance(part, ast.ExceptHandler) and isinstance(part.type, ast.Name) and part.type.id == "TimeoutError":
            yield f"line {part.lineno}: a time-out of a socket is no TimeoutError"
        if isinstance(part, ast.Match):
            yield f"line {part.lineno}: match"
        if isinstance(part, ast.FunctionDef) and not later:
            asked = [*(word.annotation for word in (*part.args.args, *part.args.kwonlyargs)), part.returns]
            if any(isinstance(one, ast.BinOp) for each in asked if each for one in ast.walk(each)):
                yield f"line {part.lineno}: an annotation with |"


def is_zip(call: ast.Call) -> bool:
    """Say whether this is a call of zip."""
    return isinstance(call.func, ast.Name) and call.func.id == "zip"


def parsed(path: Path) -> ast.Module:
    """Return a script as Python reads it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_of_hosts_names_nothing_that_python_3_10_lacks(name: str) -> None:
    words = {one.name for one in ast.walk(parsed(SCRIPTS[name])) if isinstance(one, ast.alias)}

    assert not words & NEWER


@pytest.mark.parametrize("name", ON_RHEL)
def test_a_script_that_hosts_with_rhel_run_needs_no_more_than_python_3_9(name: str) -> None:
    assert list(newer_than_3_9(parsed(SCRIPTS[name]))) == []
