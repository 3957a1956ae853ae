"""The recipe of CONTRIBUTING for a new kind of event is carried out in a copy of the tree, to the letter."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COPIED = ("ledger", "tests", "docs", "pyproject.toml", "README.md", "CONTRIBUTING.md")
LINKED = ("schedule", "steps", "flows", "playbooks", "tui", "clusterwright", "benchmarks", "examples")

ASK_FOR_IT = (
    "tests/ledger/kinds/test_visited.py",
    "tests/ledger/test_access.py",
    "tests/ledger/test_state_machine.py::test_every_decision_is_among_the_commands",
    "tests/ledger/test_forging.py::test_every_kind_of_event_is_made_again_and_forged",
)
"""What asks something of a new kind: everything that names kinds or decisions."""


def recipe() -> dict[str, str]:
    """Return the files that the recipe shows, by their paths."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("### An event\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"`((?:ledger|tests)/[\w/]+\.py)`[^`]*\n```python\n(.*?)```", section, re.DOTALL))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of the tree with the files of the recipe."""
    leftover = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=leftover)
        else:
            shutil.copyfile(source, tmp_path / name)
    for name in LINKED:
        (tmp_path / name).symlink_to(ROOT / name)
    for name, text in recipe().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def python(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the tree."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )


def test_the_recipe_is_one_module_and_one_test() -> None:
    """Nothing else is to be found and changed."""
    assert list(recipe()) == ["ledger/subjects/work/kinds/visited.py", "tests/ledger/kinds/test_visited.py"]


@pytest.mark.slow
def test_the_recipe_gives_an_event_that_everything_knows(tree: Path) -> None:
    """Who may, random walks, forgeries and the audit find it; the page is written by its own command."""
    written = python(tree, "docs/generate.py", "pages")
    assert written.returncode == 0, written.stderr

    asked = python(tree, "-m", "pytest", "-q", "-m", "slow or not slow", *ASK_FOR_IT)

    assert asked.returncode == 0, asked.stdout[-4000:]
    assert "| visit | an activity | any person in force |" in (tree / "pages/access.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("table", ["AGAIN", "HANDLERS"])
def test_a_kind_that_lacks_a_part_cannot_be_imported(tree: Path, table: str) -> None:
    """Nobody records an event that everybody else would refuse."""
    module = tree / "ledger/subjects/work/kinds/visited.py"
    module.write_text(
        re.sub(rf"^{table}: .*\n", "", module.read_text(encoding="utf-8"), flags=re.MULTILINE), encoding="utf-8"
    )

    imported = python(tree, "-c", "import ledger.writing")

    assert imported.returncode != 0
    assert f"ledger.subjects.work.kinds.visited.Visited: add it to the table {table}" in imported.stderr
