"""The record of a burn-in: what the host's recorder keeps, and what the clock makes of it."""

from __future__ import annotations

import importlib.util
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from steps.acceptance.measured import Measured
from tests.acceptance.handing import read

RECORDER = Path(__file__).parents[2] / "playbooks/roles/burn_in/files/burn_in_recorder.py"
BEGAN = datetime(2026, 11, 20, tzinfo=UTC)
XID = "NVRM: Xid (PCI:0000:4f:00): {}, pid=2310, something"


@pytest.fixture(scope="module")
def recorder() -> ModuleType:
    """Return the program that runs on hosts."""
    spec = importlib.util.spec_from_file_location("burn_in_recorder", RECORDER)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def at(hours: float) -> str:
    return (BEGAN + timedelta(hours=hours)).isoformat()


def reading(hours: float, *, boot: str = "b1", load: str = "l1") -> dict[str, Any]:
    return {"kind": "reading", "at": at(hours), "boot": boot, "load": load, "temperatures": {"cpu": 60 + hours}}


def watched(first: float, last: float, **terms: str) -> list[dict[str, Any]]:
    """Return a reading a minute."""
    return [reading(first + minute / 60, **terms) for minute in range(round((last - first) * 60) + 1)]


def clock(recorder: ModuleType, folder: Path, *entries: dict[str, Any], cut: str = "") -> Measured:
    """Return what the clock of step 034 says of a host's log."""
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries) + cut)
    return read("034", "burn_in.clean_h", burn_in=json.dumps(recorder.summary(log)))


def test_minutes_of_readings_are_thinned_without_losing_an_hour(recorder: ModuleType, tmp_path: Path) -> None:
    found = clock(recorder, tmp_path, *watched(0, 49))

    assert (found.value, found.note) == (49, "")
    assert len(recorder.summary(tmp_path / "log.jsonl")["runs"][0]["readings"]) == 49 * 12 + 1


def test_the_cut_last_line_of_a_power_loss_is_left_out(recorder: ModuleType, tmp_path: Path) -> None:
    assert clock(recorder, tmp_path, *watched(0, 2), cut='{"kind": "reading", "at": "20').value == 2


@pytest.mark.parametrize(
    ("again", "why"),
    [({"boot": "b2", "load": "l2"}, "the host booted again"), ({"load": "l2"}, "the load was started again")],
)
def test_a_new_boot_and_a_new_load_start_again(
    recorder: ModuleType, tmp_path: Path, again: dict[str, str], why: str
) -> None:
    found = clock(recorder, tmp_path, *watched(0, 40), *watched(40.1, 41.1, **again))

    assert found.value == 1
    assert why in found.note


def test_time_without_load_is_not_clean(recorder: ModuleType, tmp_path: Path) -> None:
    found = clock(recorder, tmp_path, *watched(0, 40), *watched(40, 47, load=""), *watched(47, 48))

    assert found.value == 1
    assert "h without a reading" in found.note


@pytest.mark.parametrize(
    ("line", "hours", "action"),
    [
        (XID.format(31), 10, "keep the node in service and watch the count"),
        ("EDAC MC0: 1 CE memory read error on CPU_SrcID#0", 10, "keep the node in service and watch the count"),
        (XID.format(48), 4, "drain the node and reset the GPU"),
        (XID.format(79), 4, "drain the node and reboot it, power off and on"),
        ("EDAC MC0: 1 UE memory read error on CPU_SrcID#0", 4, "drain the node and reboot it, power off and on"),
        (XID.format(64), 0, "drain the node, take it out and replace the part"),
    ],
)
def test_what_the_kernel_logged_decides_clock_and_action(
    recorder: ModuleType, tmp_path: Path, line: str, hours: int, action: str
) -> None:
    assert recorder.WORTH.search(line)

    found = clock(recorder, tmp_path, *watched(0, 10), {"kind": "kernel", "at": at(6), "boot": "b1", "line": line})

    assert found.value == hours
    assert found.note.endswith(action)


def test_a_line_that_was_damaged_on_its_way_measures_nothing(recorder: ModuleType, tmp_path: Path) -> None:
    found = clock(
        recorder, tmp_path, *watched(0, 1), {"kind": "kernel", "at": at(1), "boot": "b1", "line": "NVRM: #id"}
    )

    assert found.value is None


def test_a_host_that_was_never_under_load_is_not_measured(recorder: ModuleType, tmp_path: Path) -> None:
    assert clock(recorder, tmp_path, *watched(0, 3, load="")).note.endswith("not been read under load yet")


def test_the_hottest_sensor_is_named(recorder: ModuleType, tmp_path: Path) -> None:
    clock(recorder, tmp_path, *watched(0, 5))
    summary = json.dumps(recorder.summary(tmp_path / "log.jsonl"))

    assert (read("034", "burn_in.temperature_max", burn_in=summary).value) == 65
