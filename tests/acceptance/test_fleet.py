"""Items against each other: the slow one is found, the fleet that is alike is not, and slow alike does not pass."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.rules.judgement import FAILED, MET, judge, judge_items
from steps.acceptance.fleet import LEAST, outliers, robust_z
from steps.acceptance.measured import Measured
from steps.planning.activity import PlanCriterion
from tests.readings import reading

D = Decimal
FLEET = {f"n{i}": D(470 + i) for i in range(8)}
FAST = PlanCriterion(metric="bandwidth", op=">=", value=D(431), unit="GB/s", source="test", fleet_z=D(5))


def read(values: dict[str, Decimal]) -> list[Measured]:
    return [reading(item, value, "GB/s") for item, value in values.items()]


def judged(values: dict[str, Decimal]) -> str:
    return judge(FAST, read(values)).verdict


def test_slow_but_legal_item_fails_and_is_named() -> None:
    slow = FLEET | {"n3": D(440)}

    found = judge(FAST, read(slow))

    assert (found.verdict, found.worst) == (FAILED, "n3")
    assert "7 of 8 met, worst 440 GB/s" in found.measured
    assert "robust deviations from the median of 8" in found.measured
    assert outliers(">=", D(5), slow).keys() == {"n3"}


def test_fleet_that_is_slow_everywhere_fails_by_the_limit() -> None:
    assert judged({item: D(300) for item in FLEET}) == FAILED


def test_fleet_that_is_alike_passes() -> None:
    assert judged(FLEET) == MET
    assert judged({item: D(470) for item in FLEET}) == MET


def test_item_that_is_too_good_is_no_fault() -> None:
    assert judged(FLEET | {"n3": D(520)}) == MET
    assert outliers("<=", D(5), FLEET | {"n3": D(520)}).keys() == {"n3"}


def test_few_items_are_held_against_the_limit_alone() -> None:
    few = {"a": D(470), "b": D(470), "c": D(440)}

    assert robust_z(few) == {}
    assert judged(few) == MET


def test_readings_in_another_unit_are_converted_before_they_are_compared() -> None:
    readings = [reading(i, v * 1000, "MB/s") if i == "n3" else reading(i, v, "GB/s") for i, v in FLEET.items()]

    assert judge(FAST, readings).verdict == MET


def test_item_by_item_only_the_far_one_fails() -> None:
    slow = FLEET | {"n3": D(440)}

    found = judge_items(FAST, read(slow))

    assert {item for item, one in found.items() if one.verdict == FAILED} == {"n3"}
    assert found["n3"].measured.endswith("robust deviations")


@given(st.lists(st.decimals(1, 1000, places=2), min_size=LEAST, max_size=40), st.decimals(2, 100, places=1))
def test_scale_does_not_matter(values: list[Decimal], factor: Decimal) -> None:
    one = robust_z({str(i): v for i, v in enumerate(values)})
    other = robust_z({str(i): v * factor for i, v in enumerate(values)})

    assert all(abs(one[item] - other[item]) < D("0.0001") for item in one)


@pytest.mark.parametrize("bad", [1, 3])
def test_a_minority_of_slow_items_does_not_hide_itself(bad: int) -> None:
    values = {f"n{i}": D(470 + i % 3) for i in range(10)} | {f"n{i}": D(400) for i in range(bad)}

    assert outliers(">=", D(5), values).keys() == {f"n{i}" for i in range(bad)}
