"""Crews that share the work of one pod: a larger pod has more of them, and the hours of work stay."""

from __future__ import annotations

from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steps.catalog.lint.bases import basis_findings
from steps.catalog.lint.durations import duration_findings
from steps.catalog.loader import read_catalog
from steps.catalog.schema import Crew, Step
from steps.catalog.terms import SHIFT_H, Scope
from steps.design.design import design_of_preset
from steps.design.quantities import Values
from steps.formula import number_of
from steps.planning.network.durations import crews_on, duration_of
from steps.planning.plan import Plan
from steps.planning.scenarios.working_cost import working_cost
from tests.shipped import shipped_catalog
from tests.steps.test_crewed_plan import most_at_once
from tests.steps.test_lint import changed, messages
from tests.steps.test_plan import planned, site_of

ENOUGH = 10_000
ROOMY = tuple(entry.step for entry in shipped_catalog().values() if entry.step.crew.room)
POD_STEPS = tuple(step for step in ROOMY if step.scope is Scope.POD)
SERVERS = 32


@cache
def a_pod() -> Values:
    """Return the values of a pod of 32 servers in eight racks, cooled by air."""
    return design_of_preset("h100-10k").within(design_of_preset("h100-10k").site, Scope.POD)[0].values


def pod(times: int, crews: int = ENOUGH) -> dict[str, Any]:
    """Return the values of a pod with so many times the servers, racks, leaves and links, at a site with so many crews."""
    values = dict(a_pod())
    for name in values:
        if name.endswith("_in_pod"):
            values[name] *= times
    return values | {"crews": crews}


def days(step: Step, values: Values) -> float:
    return duration_of(step, values, SHIFT_H).m / SHIFT_H


def work(step: Step, values: Values) -> float:
    """Return the crew-days of an activity."""
    return days(step, values) * crews_on(step, values)


def test_the_steps_of_a_large_pod_say_what_room_a_crew_needs() -> None:
    assert {step.id for step in ROOMY} >= {
        *["047", "049", "062", "086", "087", "088", "089", "106", "107", "H37", "036"]
    }


@pytest.mark.parametrize("step", POD_STEPS, ids=lambda step: step.id)
@pytest.mark.parametrize("times", [2, 4, 8, 16])
def test_a_pod_of_twice_the_size_does_not_take_twice_as_long_where_crews_idle(step: Step, times: int) -> None:
    """Of two pods the larger has room for twice the crews. Crews are whole numbers, so that some of it remains."""
    assert days(step, pod(2 * times)) < 1.6 * days(step, pod(times))


@pytest.mark.parametrize("step", POD_STEPS, ids=lambda step: step.id)
def test_a_pod_of_twelve_times_the_size_takes_no_more_than_twice_as_long(step: Step) -> None:
    assert days(step, pod(12)) < 2 * days(step, pod(1))


@given(step=st.sampled_from(ROOMY), times=st.integers(1, 40), crews=st.integers(1, 300))
@example(step=ROOMY[0], times=12, crews=20)
def test_hours_of_work_are_the_same_with_any_number_of_crews(step: Step, times: int, crews: int) -> None:
    assert work(step, pod(times, crews)) == pytest.approx(work(step, pod(times, 1)))


@given(step=st.sampled_from(ROOMY), times=st.integers(1, 40), crews=st.integers(1, 300))
def test_no_more_crews_work_than_the_site_has_and_its_space_lets_in(step: Step, times: int, crews: int) -> None:
    values, room = pod(times, crews), step.crew.room
    assert room is not None

    assert 1 <= crews_on(step, values) <= min(crews, max(1, ceil(number_of(room.of, values) / room.value)))


@given(step=st.sampled_from(ROOMY), times=st.integers(1, 40), crews=st.integers(1, 300))
def test_one_more_crew_makes_no_work_longer(step: Step, times: int, crews: int) -> None:
    assert days(step, pod(times, crews + 1)) <= days(step, pod(times, crews)) + 1e-9


@given(step=st.sampled_from(ROOMY), times=st.integers(1, 40), crews=st.integers(1, 300))
def test_the_beginning_is_hardly_shared(step: Step, times: int, crews: int) -> None:
    """Where one crew begins alone and the others come for the rest it takes so long, or a quarter less: crews are whole numbers."""
    alone = duration_of(step, pod(times, 1), SHIFT_H).m
    once = step.duration.fixed.points[1] * SHIFT_H

    assert duration_of(step, pod(times, crews), SHIFT_H).m >= 0.75 * (once + (alone - once) / crews)


@cache
def large_pods(crews: int) -> Plan:
    """Return the plan of two pods of 384 servers with so many crews of each trade."""
    more = {"nodes": 768, "halls": 1, "nodes_per_crew": 768 / crews}
    return planned("meta-24k", overrides=more)


def held(plan: Plan, step: str) -> int:
    return next(one.crews for one in plan.activities if one.step == step)


def test_levelling_never_uses_more_crews_than_the_site_has() -> None:
    made = large_pods(9)

    most = most_at_once(made, lambda one: [(one.role, one.crews)])

    assert held(made, "087") > 4
    assert all(count <= made.crews[role] for role, count in most.items())


def test_more_crews_change_no_hours_and_no_cost_of_this_work() -> None:
    """The crews page, earned value and the cost of crews all count hours times crews."""
    one, many = large_pods(1), large_pods(9)
    own = {step.id for step in ROOMY}

    def alone(plan: Plan) -> Plan:
        return plan.model_copy(update={"activities": tuple(a for a in plan.activities if a.step in own)})

    site = site_of("meta-24k")
    assert working_cost(alone(one), site).labour == pytest.approx(working_cost(alone(many), site).labour)
    assert many.finish < one.finish


def test_a_site_says_what_room_its_own_aisles_have(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    own = 'room: {of: racks_in_pod, value: 48, unit: racks per crew, source: "survey of the hall"}'
    text = f'overrides: "086"\nreason: narrow aisles\ncrew:\n  role: licensed-electrician\n  size: 2\n  {own}\n'
    (tmp_path / "catalog" / "086.yaml").write_text(text, encoding="utf-8")
    values = pod(12)

    assert crews_on(read_catalog(tmp_path)["086"].step, values) < crews_on(read_catalog()["086"].step, values)


def with_room(step: str, **changes: Any) -> dict[str, Any]:
    crew = shipped_catalog()[step].step.crew
    assert crew.room is not None
    return {"crew": crew.model_copy(update={"room": crew.room.model_copy(update=changes)})}


def test_the_lint_asks_for_a_source_and_a_formula_of_the_design() -> None:
    bare = changed("086", **with_room("086", source="judgement"))

    assert [f.message for f in basis_findings(bare["086"], bare)] == ["the source is only 'judgement'"]
    assert messages("086", **with_room("086", of="racks_in_pond")) == [
        "formula 'racks_in_pond' reads 'racks_in_pond', which no design value is called"
    ]


@pytest.mark.parametrize("step", ["034", "001"])
def test_what_takes_the_same_time_with_any_number_of_crews_has_no_room_for_them(step: str) -> None:
    """A soak passes by itself, and an order has no rate."""
    found = duration_findings(changed(step, crew=shipped_catalog()["086"].step.crew)[step])

    assert "there is no work that crews could share" in [finding.message for finding in found]


def test_a_crew_has_either_a_count_or_a_room() -> None:
    room = {"of": "racks_in_pod", "value": 4, "unit": "racks per crew", "source": "assumption"}

    with pytest.raises(ValueError, match="either `count` or `room`"):
        Crew.model_validate({"role": "rigger", "size": 2, "count": "3", "room": room})
