"""What an activity reads besides its criteria: said by the step's own file and carried by the plan."""

from __future__ import annotations

import json

from steps.planning.activity import PlanActivity, activity_of, text_of
from steps.planning.network.unjudged import noted, noted_before
from tests.shipped import shipped_catalog
from tests.steps.test_plan import plan


def activity(name: str, preset: str = "superpod-1su") -> PlanActivity:
    return next(a for a in plan(preset).activities if a.id == name)


def read_at(name: str, preset: str = "superpod-1su") -> dict[str, str]:
    also = activity(name, preset).also_reads
    assert also is not None
    return {read.metric: read.unit for read in also}


def test_the_plan_carries_what_the_steps_file_says_it_also_reads() -> None:
    assert read_at("007@pod-001") == {"redfish.firmware_unversioned": "count"}


def test_a_criterion_that_the_design_leaves_out_is_read_and_judged_by_nothing() -> None:
    """Without a fabric there are no controllers to hold against a baseline, and a baseline may be there all the same."""
    assert "firmware.baseline_deviations" in read_at("007@pod-001", "localhost")
    assert "firmware.baseline_deviations" in {c.metric for c in activity("007@pod-001").criteria}
    assert "firmware.baseline_deviations" not in read_at("007@pod-001")


def test_what_only_a_person_reads_is_not_read_where_nothing_judges_it() -> None:
    assert "rvs.failed_tests" in {c.metric for c in shipped_catalog()["006"].step.accept}
    assert "rvs.failed_tests" not in read_at("006@pod-001")


def test_a_step_that_does_not_apply_reads_nothing() -> None:
    assert activity("034@pod-001", "lab").also_reads == ()


def test_a_plan_from_before_reads_what_the_plan_of_today_would_say() -> None:
    """The table that was in the program is in the catalog's files; both must lead to the same metrics."""
    document = json.loads(text_of(activity("034@pod-001")))
    del document["also_reads"]

    old = activity_of(json.dumps(document))

    assert old.also_reads is None
    judged = {c.metric for c in old.criteria}
    assert noted_before(old.step, judged) == activity("034@pod-001").also_reads
    assert len(noted_before(old.step, judged)) == 6


def test_a_sites_own_step_read_nothing_before_plans_said_it() -> None:
    assert noted_before("X01", ()) == ()


def test_a_metric_of_two_criteria_is_read_once() -> None:
    assert [read.metric for read in noted(shipped_catalog()["008"].step, ())].count("memory.total_gib") == 1
