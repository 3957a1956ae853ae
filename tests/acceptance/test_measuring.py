"""The table of steps against the catalog: every criterion of an automated step is measured, in its unit."""

from __future__ import annotations

from pathlib import Path

import yaml

from ledger.judging import is_comparable
from steps.acceptance.measuring import STEPS, measure
from tests.acceptance.handing import whole

CATALOG = Path(__file__).parents[2] / "steps" / "catalog"


def test_table_measures_exactly_what_the_catalog_asks() -> None:
    asked: dict[str, dict[str, str]] = {}
    for path in CATALOG.glob("*/[0-9]*.yaml"):
        step = yaml.safe_load(path.read_text())
        if step.get("playbook"):
            asked[step["id"]] = {c["metric"]: c["unit"] for c in step["accept"]}

    assert {step: {m.name for m in metrics} for step, metrics in STEPS.items()} == {
        step: set(metrics) for step, metrics in asked.items()
    }
    for step, metrics in STEPS.items():
        assert [m.name for m in metrics if not is_comparable(m.unit, asked[step][m.name])] == []


def test_whole_host_is_measured_but_for_the_unknown_link_speed() -> None:
    found = [m for step in STEPS for m in measure(step, "node-1", whole(), {})]

    assert {m.item for m in found} == {"node-1"}
    assert {m.metric for m in found if m.value is None} == {"link.speed_min_gbit"}
    assert all(m.source for m in found)


def test_step_without_a_playbook_measures_nothing() -> None:
    assert measure("001", "node-1", whole(), {}) == []
