"""Every tool of the toolbox against its captured output: what it says, and what is left of it when it is cut or garbled."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import PurePosixPath

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measured
from steps.acceptance.toolbox import METRICS, TOOLS
from steps.value import Value
from tests.acceptance.handing import FIXTURES, Raw
from tests.acceptance.tool_cases import CASES, Case

BY_OUTPUT = {tool.output: tool for tool in TOOLS}
CUTS, TAIL = 250, 120

FLIPS = 600
OPEN = {
    "gpu.xid_events", "gpu.xid_hardware_events", "bmc.sel_faults", "port.errors", "nccl.ranks", "nvme.firmware_versions",
}  # fmt: skip
"""Metrics that are words or names of an open set: a misspelt one is another word, and nothing shows it."""

MORE = {
    "gpu.fabric_not_ready", "topology.mismatches", "port.down", "lldp.mismatches", "redfish.firmware_unversioned",
    "redfish.bios_deviations", "firmware.baseline_deviations", "fault.links_not_restored", "fault.jobs_lost_on_trunk_or_spine",
    "addresses.overlaps", "switch.firmware_versions", "firmware.switch_tray_deviations", "imex.nodes_not_ready",
}  # fmt: skip
LESS = {
    "gpu.ecc_enabled", "topology.links_found_ratio", "lldp.links_found_ratio", "raid.boot_volume_optimal",
    "inventory.serial_as_planned", "thermal.sensors_seen_ratio", "power.sources_answering_ratio", "fault.scenarios_run_ratio",
    "shelf.healthy_ratio", "nvlink.domain_gpus_min",
}  # fmt: skip
"""Metrics that a misspelt word may make worse: counts of what is amiss, and shares of what is well."""

LOGS = {
    "kernel_log",
    "sacct",
    "ipmi_sel",
    "ipmi_sensor",
    "edac",
    "ibstat",
    "ethtool_stats",
    "ethtool_module",
    "smartctl",
    "mlxlink",
}
"""Outputs that are lists without an end: cut between two entries they are a shorter list, and nothing shows it."""


def read(case: Case, text: str | None = None) -> dict[str, Value | None]:
    found = [one(case, name, case.raw(text)) for name in case.values]
    for m in found:
        assert isinstance(m.value, Decimal | bool | None)
        assert not isinstance(m.value, Decimal) or m.value.is_finite()
        assert (m.value is None) == m.note.startswith("not measured: ")
    return {m.metric: m.value for m in found}


def one(case: Case, name: str, raw: Raw) -> Measured:
    return measured(METRICS[name], "node-1", raw, case.design, date(2026, 3, 15))


def expected(case: Case) -> dict[str, Decimal | bool | None]:
    return {n: v if isinstance(v, bool) or v is None else Decimal(v) for n, v in case.values.items()}


def ids(case: Case) -> str:
    return f"{case.output}-{PurePosixPath(case.file).name}"


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_output_is_read(case: Case) -> None:
    assert read(case) == expected(case)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_output_without_its_last_newlines_is_the_same(case: Case) -> None:
    """Ansible strips them."""
    assert read(case, case.text.rstrip("\n")) == expected(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in CASES if c.output not in LOGS], ids=ids)
def test_cut_output_is_not_measured_or_the_same(case: Case) -> None:
    text, whole = case.text.rstrip(), read(case)
    step = max(1, len(text) // CUTS)

    for end in sorted({*range(0, len(text), step), *range(max(0, len(text) - TAIL), len(text))}):
        for name, value in read(case, text[:end]).items():
            assert value in {None, whole[name]}, f"{name} of {text[max(0, end - 40) : end]!r}"


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in CASES if c.output in LOGS], ids=ids)
def test_cut_list_counts_no_more_than_the_whole(case: Case) -> None:
    text, whole = case.text.rstrip(), read(case)

    for end in range(len(text)):
        for name, value in read(case, text[:end]).items():
            if isinstance(value, Decimal) and not name.endswith("_min_dbm"):
                assert value <= Decimal(whole[name] or 0), f"{name} of {text[max(0, end - 40) : end]!r}"


def is_worse(name: str, value: Value | None, whole: Value | None) -> bool:
    now, then = Decimal(value or 0), Decimal(whole or 0)
    return (name in MORE and now > then) or (name in LESS and now < then)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=ids)
def test_one_letter_that_was_lost_never_makes_a_value_better(case: Case) -> None:
    """A digit that was flipped is another number, which nothing can tell; any other sign must show."""
    whole = read(case)
    places = [n for n, sign in enumerate(case.text) if not sign.isdigit() and sign not in "-."]

    for place in places[:: max(1, len(places) // FLIPS)]:
        for name, value in read(case, f"{case.text[:place]}#{case.text[place + 1 :]}").items():
            assert value in {None, whole[name]} or name in OPEN or is_worse(name, value, whole[name]), (
                f"{name} at {case.text[max(0, place - 40) : place + 9]!r}"
            )


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_flipped_output_never_raises(case: Case, data: st.DataObject) -> None:
    text = list(case.text)
    for _ in range(data.draw(st.integers(1, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.characters())
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))

    read(case, "".join(text[start:end] if data.draw(st.booleans()) else text))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=ids)
@settings(max_examples=25, deadline=None)
@given(text=st.text() | st.recursive(st.booleans() | st.text(), st.lists).map(str))
def test_any_text_in_place_of_an_output_never_raises(case: Case, text: str) -> None:
    read(case, text)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_empty_missing_and_failed_output_is_not_measured(case: Case) -> None:
    missing = {"tool": "", "rc": 127, "stdout": "", "missing_package": "it"}
    for name in case.values:
        for raw in ({}, case.raw(""), case.raw() | {case.output: missing}):
            assert one(case, name, raw).value is None


@pytest.mark.parametrize("case", [c for c in CASES if c.beside], ids=ids)
def test_what_is_compared_with_must_be_there(case: Case) -> None:
    lone = {case.output: case.raw()[case.output]}

    assert None in {one(case, name, lone).value for name in case.values}


def test_every_tool_and_metric_has_a_case() -> None:
    read_metrics = {name for case in CASES for name in case.values}

    assert {tool.output for tool in TOOLS} == {case.output for case in CASES}
    assert set(METRICS) == read_metrics
    assert len(METRICS) == sum(len(tool.metrics) for tool in TOOLS)


def test_every_fixture_names_its_source() -> None:
    sources = yaml.safe_load((FIXTURES / "tools" / "SOURCES.yaml").read_text())
    files = {path.name for path in (FIXTURES / "tools").iterdir()} - {"SOURCES.yaml"}

    outputs = {(PurePosixPath(case.file).as_posix(), case.output) for case in CASES}

    assert {name for name in sources if not name.startswith("../")} == files
    assert outputs <= {(name, output) for name, source in sources.items() for output in source["outputs"]}
    assert {source["kind"] for source in sources.values()} <= {"captured", "public", "documented"}
    assert all(source["tool"] and source["source"] for source in sources.values())
