"""One command for many: orders, deliveries and progress by pattern; what is refused is said, and the rest is recorded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import commands
from tests.conftest import ADOPTED_AT, Command, project_time_at
from tests.once import Once

pytestmark = pytest.mark.usefixtures("second_day")

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
def four(tmp_path: Path, once: Once) -> Path:
    """Return an adopted site of four pods."""

    def make(folder: Path) -> None:
        for words in (
            ("init", "--preset", "superpod-4su", "--start", "2026-11-23", folder),
            ("plan", "adopt", "--as", "owner", "--yes", "--site", folder),
        ):
            with project_time_at(ADOPTED_AT):
                assert commands.called(words).returncode == 0

    return Path(shutil.copytree(once("four", make), tmp_path / "four"))


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


# from files

ORDERS = """Order;What;Supplier;Reference;Value;Promised
{first}#compute-rack;racks;;PO-11;1200.50;2028-08-02
H08@pod-999#compute-rack;racks;;PO-12;;
{second}#compute-rack;racks;;;;
{second}#compute-rack;racks;;PO-13;1.200,50;
{second}#compute-rack;racks;Other;PO-14;;
"""
"""As a spreadsheet in Europe writes it. Lines 3 to 5 are wrong, each in another way."""


def test_orders_from_a_file_are_placed_and_wrong_lines_are_named(four: Path, command: Command, tmp_path: Path) -> None:
    """What a line leaves out is as the option says; an unknown id takes nothing with it."""
    first, second, *_ = (name.partition("#")[0] for name in sorted(orders(command, four)) if "#compute-rack" in name)
    file = tmp_path / "orders.csv"
    file.write_text(ORDERS.format(first=first, second=second), encoding="utf-8")
    given = ("--supplier", "Maker", "--out-of-sequence", "a frame contract", "--as", "owner")

    result = command("order", file, *given, "--site", four)

    assert result.returncode == 2
    for line in (
        f"{file}: not read: what",
        f"{file}:3: H08@pod-999#compute-rack not placed: there is no order",
        f"{file}:4: {second}#compute-rack not placed: the number of the purchase order is missing",
        f"{file}:5: {second}#compute-rack not placed: the value of an order is a number in plain digits, not '1.200,50'",
        "2 of 5 placed",
        "3 of 5 were refused, as said above; recorded: 2",
        "go-live ",
    ):
        assert line in result.stderr
    found = orders(command, four)
    placed = [found[f"{unit}#compute-rack"] for unit in (first, second)]
    assert [(one["supplier_name"], one["reference"]) for one in placed] == [("Maker", "PO-11"), ("Other", "PO-14")]
    assert placed[0]["value"] == "1200.50"

    came = tmp_path / "came.csv"
    came.write_text(
        f"delivery,quantity,note,at,late_because\n{first}#compute-rack/1,1,bay 2,,\n{first}#compute-rack/1,99,,,\n"
        f"{second}#compute-rack/1,,,someday,\n",
        encoding="utf-8",
    )
    received = command("receive", came, "--unscanned", "racks have no numbers", "--as", "owner", "--site", four)

    assert received.returncode == 2
    assert "1 of 3 received" in received.stderr
    assert f"{came}:4: at: {second}#compute-rack/1 not received: 'someday' is not a date or time" in received.stderr
    assert orders(command, four)[f"{first}#compute-rack"]["tranches"][0]["received_quantity"] == "1"


def test_progress_from_a_file_is_recorded_but_for_its_wrong_lines(four: Path, command: Command, tmp_path: Path) -> None:
    early = ("--out-of-sequence", "the crew was free", "--as", "operator", "--site", four)
    began = command("start", "H08@pod-001", "H08@pod-999", "H08@pod-002", *early)
    file = tmp_path / "week.csv"
    file.write_text(
        "activity,percent,items,note\nH08@pod-001,40,,row 2\nH08@pod-002,40%,,\nH08@pod-002,,2,\nX9@pod-1,5,,\n"
    )

    result = command("progress", file, "--as", "operator", "--site", four)

    assert (began.returncode, result.returncode) == (2, 2)
    assert "not started: there is no activity 'H08@pod-999'; did you mean H08@pod-00" in began.stderr
    assert "1 of 3 were refused" in began.stderr
    assert f"{file}:3: percent: H08@pod-002 not noted: '40%' is not a number, as 12.5" in result.stderr
    assert f"{file}:5: X9@pod-1 not noted: there is no activity 'X9@pod-1'" in result.stderr
    rows = {row["id"]: row for row in json.loads(command("list", "--json", "--search", "H08", "--site", four).stdout)}
    assert (rows["H08@pod-001"]["percent"], rows["H08@pod-002"]["items_done"]) == (40, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the column 'activity' is missing"),
        ("activity\n", "no line below the header"),
        ("activity,percnt\n001@site,5\n", "unknown column 'percnt'\n  did you mean percent?"),
        ("activity,percent,percent\n001@site,5,5\n", "the column 'percent' is there twice"),
        ('activity,note\n"001@site,x\n', "this does not read as CSV"),
    ],
)
def test_a_file_that_cannot_be_read_by_its_columns_records_nothing(
    adopted: Path, command: Command, tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "week.csv"
    file.write_text(text, encoding="utf-8")

    result = command("progress", file, "--as", "operator", "--site", adopted)

    assert (result.returncode, said in result.stderr) == (2, True), result.stderr


def test_files_and_ids_are_not_named_together(adopted: Path, command: Command) -> None:
    result = command("progress", "week.csv", "071@site", "--as", "operator", "--site", adopted)

    assert (result.returncode, "week.csv is a file, and 071@site is not" in result.stderr) == (2, True)
