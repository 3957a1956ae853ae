"""The table of steps against the catalog: every criterion of an automated step is measured, in its unit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from steps.acceptance import proofs
from steps.acceptance.measuring import STEPS, TOOLED, measure
from steps.acceptance.toolbox import METRICS
from steps.acceptance.units import is_comparable
from tests.acceptance.handing import FIXTURES, whole

BY_HAND = {"rvs.failed_tests"}
"""Criteria of a step with a playbook that it does not read: AMD's own diagnostics."""

BESIDE = {
    "burn_in.clean_h",
    "burn_in.temperature_max",
    "gpu_burn.faulty",
    "gemm.tflops",
    "ptp.follows",
    "ptp.offset_abs_ms",
}
"""What steps 035 and 144 note where there was a burn-in with GPUs, and where there is PTP."""

CATALOG = Path(__file__).parents[2] / "steps" / "catalog"


@cache
def asked() -> dict[str, dict[str, str]]:
    """Return every step's criteria by metric, with their units."""
    steps = [yaml.safe_load(path.read_text()) for path in CATALOG.glob("*/[0-9]*.yaml")]
    return {step["id"]: {c["metric"]: c["unit"] for c in step.get("accept", ())} for step in steps}


def test_every_criterion_of_a_step_with_a_playbook_is_measured() -> None:
    with_playbook = [yaml.safe_load(path.read_text()) for path in CATALOG.glob("*/[0-9]*.yaml")]

    for step in (step for step in with_playbook if step.get("playbook")):
        assert set(asked()[step["id"]]) - BY_HAND <= {m.name for m in STEPS.get(step["id"], ())}, step["id"]


def test_units_compare_and_what_is_not_asked_comes_out_of_the_toolbox() -> None:
    for step, metrics in STEPS.items():
        criteria = asked()[step]
        assert {m.name for m in metrics} & set(criteria), step
        for m in metrics:
            assert m.name in METRICS or m.name in criteria or step in proofs.STEPS
            assert m.name not in criteria or is_comparable(m.unit, criteria[m.name]), m.name


def test_whole_host_is_measured_but_for_the_unknown_link_speed() -> None:
    found = [m for step in set(STEPS) - set(TOOLED) for m in measure(step, "node-1", whole(), {})]

    assert {m.item for m in found} == {"node-1"}
    assert {m.metric for m in found if m.value is None} == {"link.speed_min_gbit"} | BESIDE
    assert all(m.source for m in found)


def test_step_without_a_playbook_measures_nothing() -> None:
    assert measure("001", "node-1", whole(), {}) == []


def test_share_of_what_the_design_allows_stands_beside_the_value() -> None:
    text = (FIXTURES / "tools" / "ib_write_bw.txt").read_text()
    raw = {"ib_write_bw": {"tool": "ib_write_bw", "rc": 0, "stdout": text, "missing_package": None}}

    notes = {m.metric: m.note for m in measure("064", "node-1", raw, {"link_gb_s": 400})}
    bare = {m.metric: m.note for m in measure("064", "node-1", raw, {})}

    assert notes["rdma.write_bw_min_gbit"] == "97.8 % of line rate; at 1048576 bytes on ibp5"
    assert bare["rdma.write_bw_min_gbit"] == "at 1048576 bytes on ibp5"
