"""The record of a burn-in: what the host's recorder keeps, and what the clock makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steps.acceptance.measured import Measured
from tests.acceptance.handing import read
from tests.acceptance.soaks import EIGHT, LOADED, RESTING, at, handed_over, recorder, watched

XID = "NVRM: Xid (PCI:0000:4f:00): {}, pid=2310, something"
GPUS = ("burn_in.gpus_min", "burn_in.gpu_power_min", "burn_in.gpu_clock_share_min")


def clock(folder: Path, *entries: dict[str, Any], cut: str = "") -> Measured:
    """Return what the clock of step 034 says of a host's log."""
    return read("034", "burn_in.clean_h", burn_in=handed_over(folder, entries, cut))


def of_gpus(folder: Path, *entries: dict[str, Any]) -> list[float | None]:
    """Return how many answered, watts and share of the clock, as step 034 reads them of a host's log."""
    said = handed_over(folder, entries)
    values = [read("034", metric, burn_in=said).value for metric in GPUS]
    return [None if value is None else float(value) for value in values]


def test_minutes_of_readings_are_thinned_without_losing_an_hour(tmp_path: Path) -> None:
    found = clock(tmp_path, *watched(0, 49))

    assert (found.value, found.note) == (49, "")
    assert len(recorder().summary(tmp_path / "log.jsonl")["runs"][0]["readings"]) == 49 * 12 + 1


def test_the_cut_last_line_of_a_power_loss_is_left_out(tmp_path: Path) -> None:
    assert clock(tmp_path, *watched(0, 2), cut='{"kind": "reading", "at": "20').value == 2


@pytest.mark.parametrize(
    ("again", "why"),
    [({"boot": "b2", "load": "l2"}, "the host booted again"), ({"load": "l2"}, "the load was started again")],
)
def test_a_new_boot_and_a_new_load_start_again(tmp_path: Path, again: dict[str, Any], why: str) -> None:
    found = clock(tmp_path, *watched(0, 40), *watched(40.1, 41.1, **again))

    assert found.value == 1
    assert why in found.note


def test_time_without_load_is_not_clean(tmp_path: Path) -> None:
    found = clock(tmp_path, *watched(0, 40), *watched(40, 47, load=""), *watched(47, 48))

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
def test_what_the_kernel_logged_decides_clock_and_action(tmp_path: Path, line: str, hours: int, action: str) -> None:
    assert recorder().WORTH.search(line)

    found = clock(tmp_path, *watched(0, 10), {"kind": "kernel", "at": at(6), "boot": "b1", "line": line})

    assert found.value == hours
    assert found.note.endswith(action)


def test_a_line_that_was_damaged_on_its_way_measures_nothing(tmp_path: Path) -> None:
    found = clock(tmp_path, *watched(0, 1), {"kind": "kernel", "at": at(1), "boot": "b1", "line": "NVRM: #id"})

    assert found.value is None


def test_a_host_that_was_never_under_load_is_not_measured(tmp_path: Path) -> None:
    assert clock(tmp_path, *watched(0, 3, load="")).note.endswith("not been read under load yet")


def test_the_hottest_sensor_is_named(tmp_path: Path) -> None:
    clock(tmp_path, *watched(0, 5))
    summary = json.dumps(recorder().summary(tmp_path / "log.jsonl"))

    assert (read("034", "burn_in.temperature_max", burn_in=summary).value) == 65


def test_gpus_that_rest_or_are_gone_are_seen_however_long_the_load_is_said_to_run(tmp_path: Path) -> None:
    """Hours counted while the load's unit was active: 49 of them, at the power of rest, with five of eight GPUs gone, were a burn-in."""
    log = watched(0, 49, every_min=5, gpus=dict.fromkeys(["GPU-0", "GPU-1", "GPU-2"], RESTING))

    assert clock(tmp_path, *log).value == 49
    assert of_gpus(tmp_path, *log) == [3, 74.45, 0.174]


def test_one_bad_hour_among_good_ones_is_found_and_named(tmp_path: Path) -> None:
    capped = EIGHT | {"GPU-5": ("350.00", "900")}
    log = [*watched(0, 20, every_min=5), *watched(20.1, 21, every_min=5, gpus=capped), *watched(21.1, 49, every_min=5)]
    lost = [*watched(0, 20, every_min=5), *watched(20.1, 20.2, gpus={"GPU-0": LOADED}), *watched(20.3, 49)]

    assert of_gpus(tmp_path, *log) == [8, 350, 0.455]
    assert read("034", GPUS[1], burn_in=handed_over(tmp_path, log)).note == "GPU-5 at 2026-11-20 20:06"
    assert of_gpus(tmp_path, *lost)[0] == 1


def test_a_rest_between_two_rounds_of_the_load_is_no_fault(tmp_path: Path) -> None:
    rest = watched(10, 10, gpus=dict.fromkeys(EIGHT, RESTING))
    log = [*watched(0, 10 - 1 / 60), *rest, *watched(10 + 1 / 60, 20), *watched(20 + 1 / 60, 20 + 1 / 60, gpus={})]

    count, watts, share = of_gpus(tmp_path, *log)

    assert count == 0
    assert watts == pytest.approx(696.95 - (696.95 - 74.45) / 5)
    assert share is not None
    assert share > 0.5


def test_a_rest_in_the_last_moments_of_a_run_is_no_fault(tmp_path: Path) -> None:
    log = [*watched(0, 59 / 60), *watched(1, 1, gpus=dict.fromkeys(EIGHT, RESTING))]

    assert of_gpus(tmp_path, *log) == [8, 696.95, 0.667]


def test_what_came_before_the_clock_started_again_does_not_count(tmp_path: Path) -> None:
    weak = watched(0, 5, every_min=5, gpus={"GPU-0": RESTING})

    assert of_gpus(tmp_path, *weak, *watched(5.1, 10, load="l2")) == [8, 696.95, 0.667]


@pytest.mark.parametrize("said", ["[N/A]", "ERR!", "[Unknown Error]"])
def test_a_gpu_that_tells_no_power_is_not_measured(tmp_path: Path, said: str) -> None:
    dumb = EIGHT | {"GPU-3": (said, said)}

    assert of_gpus(tmp_path, *watched(0, 2, gpus=dumb)) == [8, None, None]


def test_minutes_are_too_few_to_judge_power(tmp_path: Path) -> None:
    assert of_gpus(tmp_path, *watched(0, 0.05)) == [8, None, None]
