"""The house stays one that a reader sees through: no circle, few floors, one class to a name, short lines, plain docstrings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.structure import (
    ROOMS,
    circles,
    classes_twice,
    files_of_a_sign_off,
    giving_docstrings,
    import_graph,
    long_lines,
    long_modules,
    longest_chain,
    loose_modules,
)
from benchmarks.workshop import RULES

ROOT = Path(__file__).parents[1]
MOST_FLOORS = {"ledger": 13, "schedule": 17, "steps": 15, "steps.planning": 8}
MOST_LOOSE = {"schedule": 6, "steps": 8, "steps/planning": 5}
MOST_FILES_OF_A_SIGN_OFF = 16
WITH_DOCSTRINGS = (*ROOMS, "tests", "benchmarks", "docs", "examples", "playbooks")


def test_no_module_imports_itself_through_others() -> None:
    """Imports inside functions are counted too, since they hide a circle without undoing it."""
    assert circles(import_graph()) == set()


def test_a_circle_hidden_in_a_function_is_found() -> None:
    """The measure itself: three modules of which the last imports the first."""
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == {frozenset({"a", "b", "c"})}


@pytest.mark.parametrize("package", MOST_FLOORS)
def test_a_room_has_few_floors(package: str) -> None:
    """The longest chain of imports among its modules, packages not collapsed."""
    chain = longest_chain(import_graph(), package)
    assert len(chain) <= MOST_FLOORS[package], " > ".join(chain)


@pytest.mark.parametrize("folder", MOST_LOOSE)
def test_few_modules_are_in_no_package(folder: str) -> None:
    """Who opens a room sees what it is made of."""
    assert len(loose_modules(folder)) <= MOST_LOOSE[folder], loose_modules(folder)


@pytest.mark.parametrize("room", ROOMS)
def test_a_public_class_name_means_one_class_in_a_room(room: str) -> None:
    """Who reads a name need not look up which of two it is."""
    assert classes_twice(room) == {}


@pytest.mark.parametrize("room", ROOMS)
def test_modules_are_short(room: str) -> None:
    """A module has one idea and fits in a few screens."""
    assert long_modules(room) == {}


def test_lines_of_the_ledger_are_short() -> None:
    """A line that holds several steps is unfolded into them."""
    assert long_lines("ledger") == []


@pytest.mark.parametrize("folder", WITH_DOCSTRINGS)
def test_docstrings_say_what_is_returned(folder: str) -> None:
    """A function returns something; it does not give."""
    assert giving_docstrings(folder) == []


def test_one_sign_off_can_be_followed(tmp_path: Path) -> None:
    """Through few files, from the verb that a person used to the rows that it changed."""
    files = files_of_a_sign_off(tmp_path)
    assert len(files) <= MOST_FILES_OF_A_SIGN_OFF, files


@pytest.mark.xdist_group("together")
def test_tests_of_a_group_stay_together(request: pytest.FixtureRequest) -> None:
    """pytest-xdist finds the group in a test's id. With pytest 9.2 it is not there, and several labs run at once."""
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("all tests run in one process, or are not grouped")
    assert request.node.nodeid.endswith("@together")


def test_a_benchmark_is_what_a_target_or_a_page_names() -> None:
    """Or what another one imports. Nobody finds any other, and it stops to run unnoticed."""
    benchmarks = sorted((ROOT / "benchmarks").glob("*.py"))
    pages = [ROOT / "Makefile", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"), *benchmarks]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    unnamed = [
        own.name
        for own in benchmarks
        if not any(re.search(rf"benchmarks[./]{own.stem}\b", text) for page, text in texts.items() if page != own)
    ]
    assert unnamed == []


def test_each_rule_that_the_workshop_breaks_is_where_it_says() -> None:
    """Its half an hour would end at a rule that has moved."""
    moved = [rule.words for rule in RULES if rule.now not in (ROOT / rule.file).read_text(encoding="utf-8")]
    assert moved == []
