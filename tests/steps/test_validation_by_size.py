"""Software, storage and validation: people's work is in working time, and what tests the whole cluster grows with it."""

from __future__ import annotations

from datetime import datetime
from functools import cache

import pytest

from steps.catalog.terms import Kind, Phase, Scope
from steps.design.design import Design, design_of_preset
from steps.planning.network.durations import duration_of
from steps.planning.network.expansion import expand
from steps.planning.plan import Plan
from tests.shipped import shipped_catalog
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")

BY_PEOPLE = {"working-day", "crew-day"}
WHOLE_CLUSTER = ("067", "186", "187", "188", "189", "190")
PRACTICE = {"128": 7, "131": 14, "156": 18, "173": 14}
"""Steps that take 6 to 13 times the hours that their playbooks run."""


@cache
def design(preset: str, nodes: int) -> Design:
    return design_of_preset(preset, {"nodes": nodes} if nodes else {})


@cache
def days(step: str, preset: str = "h100-10k", nodes: int = 0) -> float:
    """Return the most likely duration of a step's first activity in working days of 8 hours, or days of 24 if it runs by itself."""
    nodes_ = expand(shipped_catalog(), design(preset, nodes), 8.0).nodes.values()
    first = next(node for node in nodes_ if node.entry.step.id == step)
    is_worked = first.entry.step.duration.fixed.unit in BY_PEOPLE
    return duration_of(first.entry.step, first.values, 8.0).m / (8 if is_worked else 24)


def test_services_are_set_up_by_people_in_working_time() -> None:
    """A night is not worked through: only what a machine does alone passes around the clock."""
    phases = {Phase.STORAGE, Phase.SOFTWARE_STACK, Phase.MONITORING, Phase.GO_LIVE}
    around_the_clock = {
        step.id
        for step in (entry.step for entry in shipped_catalog().values())
        if step.phase in phases and step.scope is Scope.SITE and step.kind in {Kind.AUTOMATE, Kind.VERIFY}
        if step.duration.fixed.unit not in BY_PEOPLE and step.duration.fixed.points != (0, 0, 0)
    }

    assert around_the_clock == {"189"}, "the benchmark is a run of days that the shift watches"


@pytest.mark.parametrize("step", PRACTICE)
def test_services_of_10_000_gpus_take_6_to_13_times_their_playbooks(step: str) -> None:
    assert 6 <= days(step) * 8 / PRACTICE[step] <= 13


@pytest.mark.parametrize("step", [*WHOLE_CLUSTER, *PRACTICE])
def test_a_larger_cluster_takes_longer(step: str) -> None:
    small, middle, large = (days(step, nodes=nodes) for nodes in (32, 1250, 12_500))

    assert small < middle < large


@pytest.mark.parametrize("step", ["156", "173", "142", "154", "166", "174", "175", "194"])
def test_one_machine_is_set_up_in_a_day_or_two(step: str) -> None:
    assert days(step, "localhost") <= 1.5


@pytest.mark.parametrize("step", ["186", "187", "188", "189", "190"])
def test_one_machine_is_validated_in_days(step: str) -> None:
    assert days(step, "localhost") <= 4


def last(made: Plan, *steps: str) -> datetime:
    return max(one.dates.early_finish for one in made.activities if one.step in steps and one.dates)


def driving(made: Plan) -> list[str]:
    """Return the steps that drive go-live, from the last back to a delivery or to the start."""
    dates = {one.id: one.dates for one in made.activities if one.dates}
    chain = ["195@site"]
    while (at := dates.get(chain[-1])) and at.driving:
        chain.append(at.driving)
    return [name.partition("@")[0] for name in chain]


def test_10_000_gpus_go_live_4_to_12_weeks_after_the_last_power_on() -> None:
    made = plan("h100-10k")

    weeks = (last(made, "195") - last(made, "031", "088")).days / 7

    assert 4 <= weeks <= 12


def test_acceptance_holds_go_live_and_neither_documents_nor_training() -> None:
    steps = driving(plan("h100-10k"))

    assert {"066", "186"} <= set(steps)
    assert set(steps[1 : steps.index("066")]) <= {"067", "186", "187", "188", "189", "190", "H24"}
    assert not {"191", "192", "193", "H66"} & set(steps)


def test_writing_ends_before_the_last_pod_is_powered_on() -> None:
    """At 10,000 GPUs the first pods run for weeks before the last one comes."""
    made = plan("h100-10k")

    assert last(made, "191", "192") < last(made, "031")
