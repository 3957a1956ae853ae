"""The sixty-step guide, the page that maps it and the catalog say the same."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.shipped import shipped_catalog

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "crosswalk.md"
GUIDE = Path(__file__).parent / "guide60.md"


class Row(NamedTuple):
    """One row of the page."""

    says: str
    steps: frozenset[str]
    calculators: frozenset[str]
    how: str


def guide() -> dict[int, str]:
    found = re.findall(r"^(\d+)\. (.+)$", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {int(number): text for number, text in found}


def rows() -> dict[int, Row]:
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| \d+ \|", line):
            number, says, covered, how = (cell.strip() for cell in line.strip("|").split(" | "))
            parts = covered.split(", ")
            calculators = frozenset(part.strip("`") for part in parts if part.startswith("`"))
            steps = frozenset(part for part in parts if not part.startswith("`"))
            assert int(number) not in found, f"item {number} has two rows"
            found[int(number)] = Row(says, steps, calculators, how)
    return found


def named_by_catalog() -> dict[int, set[str]]:
    """Steps by the item of the guide that they name."""
    named: dict[int, set[str]] = {}
    for entry in shipped_catalog().values():
        for item in entry.step.sources.guide60:
            named.setdefault(item, set()).add(entry.step.id)
    return named


def words(text: str) -> list[str]:
    return re.findall(r"[\w$×+→/.-]+", text.lower())


ITEMS = range(1, 61)


def test_the_guide_and_the_page_have_sixty_items() -> None:
    assert list(guide()) == list(rows()) == list(ITEMS)


@pytest.mark.parametrize("item", ITEMS)
def test_a_row_says_what_the_guide_says(item: int) -> None:
    """A row may leave words out, never put others in or change their order; its first word is the guide's."""
    left = iter(words(guide()[item]))
    says = words(rows()[item].says)

    assert says[0] == words(guide()[item])[0]
    assert [word for word in says if word not in left] == []


@pytest.mark.parametrize("item", ITEMS)
def test_no_item_is_open(item: int) -> None:
    row = rows()[item]

    assert row.steps | row.calculators
    assert row.how.endswith(".")


def test_what_covers_an_item_is_there() -> None:
    steps = shipped_catalog().keys()
    calculators = {name for row in rows().values() for name in row.calculators}

    assert [item for item, row in rows().items() if not row.steps <= steps] == []
    assert [name for name in calculators if importlib.util.find_spec(f"steps.design.{name}") is None] == []


def test_page_and_catalog_name_the_same_steps() -> None:
    assert named_by_catalog() == {item: set(row.steps) for item, row in rows().items() if row.steps}
