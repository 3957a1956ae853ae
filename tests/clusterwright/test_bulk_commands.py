"""One command for many: orders, deliveries and progress by pattern; what is refused is said, and the rest is recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

BUY = (
    "--supplier",
    "Maker",
    "--reference",
    "PO-9",
    "--out-of-sequence",
    "agreed in the frame contract",
    "--as",
    "owner",
)


@pytest.fixture
def four(tmp_path: Path, command: Command) -> Path:
    """Return an adopted site of four pods."""
    assert command("init", "four", "--preset", "superpod-4su", "--start", "2026-11-23", cwd=tmp_path).returncode == 0
    site = tmp_path / "four"
    assert command("plan", "adopt", "--as", "owner", "--yes", "--site", site).returncode == 0
    return site


def orders(command: Command, site: Path) -> dict[str, dict[str, Any]]:
    result = command("orders", "--json", "--site", site)
    assert result.returncode == 0, result.stderr
    return {row["id"]: row for row in json.loads(result.stdout)}


def test_racks_of_all_pods_are_ordered_and_received_at_once(four: Path, command: Command) -> None:
    racks = sorted(name for name in orders(command, four) if name.endswith("#compute-rack"))

    placed = command("order", "H08@*#compute-rack", *BUY, "--site", four)
    received = command("receive", "H08@*#compute-rack/*", "--unscanned", "no numbers", "--as", "owner", "--site", four)

    assert (placed.returncode, received.returncode) == (0, 0), placed.stderr + received.stderr
    found = orders(command, four)
    assert len(racks) == 4
    assert {found[name]["state"] for name in racks} == {"received"}


def test_what_is_refused_is_said_and_the_rest_is_recorded(four: Path, command: Command) -> None:
    """One order of four was placed before. The others are not left out for it."""
    assert command("order", "H08@pod-002#compute-rack", *BUY, "--site", four).returncode == 0

    result = command("order", "H08@*#compute-rack", *BUY, "--site", four)

    assert result.returncode == 1
    said = result.stdout + result.stderr
    assert "H08@pod-002#compute-rack: not placed: " in said
    assert "1 of 4 were refused" in said
    assert {row["state"] for name, row in orders(command, four).items() if "#compute-rack" in name} == {"placed"}


def test_one_that_is_refused_alone_has_its_own_error(four: Path, command: Command) -> None:
    assert command("order", "H08@pod-002#compute-rack", *BUY, "--site", four).returncode == 0

    result = command("order", "H08@pod-002#compute-rack", *BUY, "--site", four)

    assert result.returncode == 1
    assert "were refused" not in result.stderr


def test_a_promise_with_the_order_moves_the_forecast(four: Path, command: Command) -> None:
    result = command("order", "001@site#gpu-server", *BUY, "--promised", "2028-06-30", "--site", four)

    assert result.returncode == 0, result.stderr
    status = command("status", "--site", four).stdout
    assert "go-live forecast 2028-" in status


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("order", "H99@*", *BUY), "no order matches 'H99@*'"),
        (("order", "H08@pod-001#compute-rak", *BUY), "H08@pod-001#compute-rack"),
        (("receive", "999*", "--as", "owner"), "no delivery matches '999*'"),
        (("receive", "001@site#gpu-server/1", "001@site#gpu-server/2", "--serials", "s.txt", "--as", "owner"), "of one delivery"),
        (("progress", "999@*", "--percent", "10", "--as", "owner"), "no activity matches '999@*'"),
    ],
)  # fmt: skip
def test_patterns_that_name_nothing_are_refused(
    adopted: Path, command: Command, words: tuple[str, ...], said: str
) -> None:
    result = command(*words, "--site", adopted)

    assert result.returncode == 2
    assert said in result.stderr


def test_progress_of_several_pods_is_noted_at_once(four: Path, command: Command) -> None:
    """Only those that have begun: the others are named with what to do first."""
    for name in ("H08@pod-001", "H08@pod-002"):
        started = command("start", name, "--out-of-sequence", "came early", "--as", "operator", "--site", four)
        assert started.returncode == 0, started.stderr

    result = command("progress", "H08@*", "--percent", "50", "--as", "operator", "--site", four)

    said = result.stdout + result.stderr
    assert result.returncode == 1
    assert said.count(": noted") == 2
    assert said.count(": not noted: ") == 2
    assert "2 of 4 were refused" in said
