"""No criterion without a red case: each fault is read by the step's own readers, and the step's own criterion is not met."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

from ledger.rules.judgement import FAILED, NOT_MEASURED, judge
from steps.acceptance.measuring import measure
from steps.acceptance.readers import READERS
from steps.catalog.schema import Criterion
from steps.catalog.terms import Kind
from steps.design.design import design_of_preset
from steps.planning.activity import PlanCriterion
from steps.planning.network.expansion import expand
from steps.planning.network.parts import Node
from steps.planning.planner import threshold
from steps.value import Value
from tests.acceptance.bench import Bench
from tests.acceptance.handing import TODAY, entry
from tests.acceptance.red_cases import DATABASE, MACHINE, TOOLBOX
from tests.acceptance.red_proofs import PROOFS, gap_of, late_door
from tests.readings import reading
from tests.shipped import shipped_catalog

READ = MACHINE | TOOLBOX
SOFTWARES = {Kind.AUTOMATE, Kind.VERIFY}
CRITERIA = [
    (entry.step.id, criterion)
    for entry in shipped_catalog().values()
    if entry.step.kind in SOFTWARES
    for criterion in entry.step.accept
    if criterion.metric in READERS
]
"""Every criterion that software reads at a step that it does or checks."""


@cache
def nodes() -> dict[str, Node]:
    """Return the steps of a design with GPUs and a fabric, each at its first unit."""
    found: dict[str, Node] = {}
    for node in expand(shipped_catalog(), design_of_preset("superpod-1su"), day_h=8).nodes.values():
        found.setdefault(node.entry.step.id, node)
    return found


def judged(step: str, criterion: Criterion, value: Value | None) -> str:
    """Return the verdict of the step's own criterion on a value."""
    node = nodes()[step]
    planned = PlanCriterion(
        criterion.metric, criterion.op, threshold(criterion, node), criterion.unit, criterion.source
    )
    unit = READERS[criterion.metric].unit
    return judge(planned, [reading("node-1", value, unit)]).verdict


@pytest.mark.parametrize(
    ("step", "criterion"),
    [(step, c) for step, c in CRITERIA if c.metric in READ],
    ids=lambda part: part if isinstance(part, str) else part.metric,
)
def test_a_fault_is_read_and_the_criterion_is_not_met(step: str, criterion: Criterion) -> None:
    red = READ[criterion.metric]
    (found,) = measure([criterion.metric], "node-1", red.raw(), red.design, today=TODAY)

    assert found.value == red.read, found.note
    assert judged(step, criterion, found.value) == (NOT_MEASURED if red.value is None else FAILED)


@pytest.mark.parametrize(
    ("step", "criterion"),
    [
        pytest.param(step, c, marks=[pytest.mark.long] if PROOFS[c.metric].how == DATABASE else [])
        for step, c in CRITERIA
        if c.metric in PROOFS
    ],
    ids=lambda part: part if isinstance(part, str) else part.metric,
)
def test_a_fault_is_proved_and_the_criterion_is_not_met(
    step: str, criterion: Criterion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    red, bench = PROOFS[criterion.metric], Bench(tmp_path, monkeypatch)
    try:
        document = red.run(bench)
    finally:
        bench.close()
    (found,) = measure([criterion.metric], "node-1", {"proof": entry(json.dumps(document))}, {}, today=TODAY)

    assert found.value == (red.value if red.value is None else value_of(red.value)), found.note
    assert judged(step, criterion, found.value) == (NOT_MEASURED if red.value is None else FAILED)


@pytest.mark.long
def test_what_a_database_scrapes_no_longer_is_no_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was installed with a configuration of its own, which it remembers for minutes."""
    bench = Bench(tmp_path, monkeypatch)
    try:
        document = gap_of(bench, [*range(-180, 0, 15)])
    finally:
        bench.close()

    assert document["metrics.scrape_gap_s"]["value"] == 15, document


def test_a_node_that_begins_a_job_late_lets_its_owner_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scheduler says that a job runs before the node has begun it."""
    bench = Bench(tmp_path, monkeypatch)
    try:
        document = late_door(bench)
    finally:
        bench.close()

    assert {metric: found["value"] for metric, found in document.items()} == {
        "ssh.jobless_users_admitted": 0,
        "ssh.job_owners_refused": 0,
        "ssh.sessions_outliving_jobs": 0,
        "ssh.administrators_refused": 0,
    }


def value_of(value: bool | float) -> Decimal | bool:
    """Return a value as it is read."""
    return value if isinstance(value, bool) else Decimal(str(value))


def test_no_criterion_is_without_a_red_case_and_no_case_without_a_criterion() -> None:
    assert {criterion.metric for _, criterion in CRITERIA} == READ.keys() | PROOFS.keys()
    assert not READ.keys() & PROOFS.keys()
