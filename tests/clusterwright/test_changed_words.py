"""What a change of a plan says: nothing that differs is left out, and what reads the same is said to the last digit."""

from __future__ import annotations

from decimal import Decimal

import pytest

from clusterwright.changed_words import both, sides_of
from steps.planning.activity import Hours, PlanCriterion


def criterion(value: int, each: str | None = None, source: str = "judgement") -> PlanCriterion:
    return PlanCriterion(
        metric="modules.missing", op="<=", value=Decimal(value), unit="count", source=source, each=each
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (12500.0, 12400.0, ("12,500", "12,400")),
        (156.921, 156.92025, ("156.921", "156.92025")),
        (Hours(1.5, 3.0, 6.0), Hours(2.0, 2.0, 2.0), ("3 h (1.50 to 6)", "2 h")),
        (Hours(1.0, 3.001, 6.0), Hours(1.0, 3.002, 6.0), ("3.001 h (1.0 to 6.0)", "3.002 h (1.0 to 6.0)")),
        ((1, 2), (1, 2, 3), ("1, 2", "1, 2, 3")),
        (None, "", ("", "")),
        (False, True, ("no", "yes")),
    ],
)
def test_both_sides_are_in_words(before: object, after: object, said: tuple[str, str]) -> None:
    assert both(before, after) == said


def test_of_two_criteria_of_one_metric_each_change_is_said() -> None:
    before = criterion(0, each="image"), criterion(2, each="host")
    after = criterion(1, each="image"), criterion(3, each="host")

    assert list(sides_of(before, after)) == [
        ("modules.missing <= 0 count each image", "modules.missing <= 1 count each image"),
        ("modules.missing <= 2 count each host", "modules.missing <= 3 count each host"),
    ]
    assert list(sides_of(before, before[:1])) == [("modules.missing <= 2 count each host", "")]


def test_a_criterion_that_asks_the_same_for_another_reason_says_the_reasons() -> None:
    (sides,) = sides_of((criterion(0),), (criterion(0, source="the contract"),))

    assert sides == ("modules.missing <= 0 count, by judgement", "modules.missing <= 0 count, by the contract")
