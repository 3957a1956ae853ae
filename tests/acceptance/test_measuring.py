"""What the steps of the catalog read: every criterion of an automated step is measured, in its unit."""

from __future__ import annotations

from collections import Counter

from steps.acceptance import proofs
from steps.acceptance.measuring import measure
from steps.acceptance.readers import MACHINE, READERS
from steps.acceptance.toolbox import METRICS
from steps.acceptance.units import is_comparable
from tests.acceptance.handing import FIXTURES, TODAY, steps_that_read, whole
from tests.shipped import shipped_catalog

PROVED = {metric.name for metric in proofs.METRICS}

BESIDE = {
    "burn_in.clean_h",
    "burn_in.temperature_max",
    "gpu_burn.faulty",
    "gemm.tflops",
    "ptp.follows",
    "ptp.offset_abs_ms",
}
"""What steps 035 and 144 note where there was a burn-in with GPUs, and where there is PTP."""


CATALOG = shipped_catalog()

ASKED = {step: {c.metric: c.unit for c in entry.step.accept} for step, entry in CATALOG.items()}
"""Every step's criteria by metric, with their units."""


def test_every_criterion_of_a_step_with_a_playbook_is_measured() -> None:
    with_playbook = [entry.step for entry in CATALOG.values() if entry.step.playbook]

    for step in with_playbook:
        asked = {c.metric for c in step.accept if not c.by_hand}
        assert asked <= set(steps_that_read().get(step.id, ())), step.id


def test_units_compare_and_what_is_not_asked_comes_out_of_the_toolbox() -> None:
    for step, metrics in steps_that_read().items():
        criteria = ASKED[step]
        also = {read.metric: read.unit for read in CATALOG[step].step.also_reads}
        assert set(metrics) & set(criteria), step
        for name in metrics:
            assert name in METRICS or name in criteria or name in PROVED
            assert is_comparable(READERS[name].unit, (criteria | also)[name]), name


def test_each_metric_has_one_reader() -> None:
    names = Counter(metric.name for metric in (*MACHINE, *METRICS.values(), *proofs.METRICS))

    assert {name for name, count in names.items() if count > 1} == set()


def test_whole_host_is_measured_but_for_the_unknown_link_speed() -> None:
    of_no_tool_alone = [metrics for metrics in steps_that_read().values() if not set(metrics) <= set(METRICS)]
    found = [m for metrics in of_no_tool_alone for m in measure(metrics, "node-1", whole(), {}, today=TODAY)]

    assert {m.item for m in found} == {"node-1"}
    assert {m.metric for m in found if m.value is None} == {"link.speed_min_gbit"} | BESIDE
    assert all(m.source for m in found)


def test_a_metric_that_a_person_reads_is_left_out_and_one_asked_for_twice_is_measured_once() -> None:
    found = measure(["cpu.sockets", "rvs.failed_tests", "cpu.sockets"], "node-1", whole(), {}, today=TODAY)

    assert [m.metric for m in found] == ["cpu.sockets"]


def test_step_without_a_playbook_measures_nothing() -> None:
    assert "001" not in steps_that_read()
    assert measure(ASKED["001"], "node-1", whole(), {}, today=TODAY) == []


def test_share_of_what_the_design_allows_stands_beside_the_value() -> None:
    text = (FIXTURES / "tools" / "ib_write_bw.txt").read_text()
    raw = {"ib_write_bw": {"tool": "ib_write_bw", "rc": 0, "stdout": text, "missing_package": None}}

    notes = {
        m.metric: m.note for m in measure(steps_that_read()["064"], "node-1", raw, {"link_gb_s": 400}, today=TODAY)
    }
    bare = {m.metric: m.note for m in measure(steps_that_read()["064"], "node-1", raw, {}, today=TODAY)}

    assert notes["rdma.write_bw_min_gbit"] == "97.8 % of line rate; at 1048576 bytes on ibp5"
    assert bare["rdma.write_bw_min_gbit"] == "at 1048576 bytes on ibp5"
