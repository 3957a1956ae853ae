"""`list`: several values, late work, weeks, CSV; what nothing is called is named."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from ledger.subjects.plan.decisions import adopt_plan
from tests.commands import json_of
from tests.conftest import Command
from tests.ledger.conftest import Clock, activity, begun, small_plan

pytestmark = pytest.mark.usefixtures("second_day")


def listed(site: Path, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json_of(site, "list", *words)
    return found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--phase", "Power"), "'Power' is no phase\n  did you mean power?"),
        (("--phase", "power,coolng"), "'coolng' is no phase\n  did you mean cooling?"),
        (("--unit", "pod-99"), "'pod-99' is no unit\n  did you mean pod-001?"),
        (("--unit", "basement"), "'basement' is no unit\n  units: hall-1, pod-001, site"),
        (("--role", "electrican"), "or licensed-electrician?"),
        (("--state", "waiting"), "'waiting' is no state\n  states: "),
        (("--flag", "late"), "'late' is no flag"),
        (("--late", "very"), "'very' is no delay\n  delays: forecast-later, past-planned-finish"),
        (("--week", "2027-40"), "write year and week as 2027-W05"),
        (("--week", "2027-W54"), "'2027-W54' is no week"),
    ],
)
def test_what_nothing_is_called_is_named_with_what_is(
    adopted: Path, command: Command, words: tuple[str, ...], said: str
) -> None:
    """An empty table would say that there is no such work."""
    refused = command("list", *words, "--site", adopted)

    assert refused.returncode == 2
    assert said in refused.stderr


def test_values_with_commas_and_options_given_twice_add_up(adopted: Path) -> None:
    power, cooling = (listed(adopted, "--phase", phase) for phase in ("power", "cooling"))

    for words in (("--phase", "power,cooling"), ("--phase", "cooling", "--phase", "power")):
        assert {row["id"] for row in listed(adopted, *words)} == {row["id"] for row in (*power, *cooling)}
    both = listed(adopted, "--phase", "power", "--role", "licensed-electrician", "--unit", "pod-001")
    assert both
    assert all((row["phase"], row["role"], row["unit"]) == ("power", "licensed-electrician", "pod-001") for row in both)


def test_each_row_has_its_forecast_and_late_ones_can_be_listed(adopted: Path, command: Command) -> None:
    """The servers are promised eight weeks after they are needed: what waits for them is late, and other work is not."""
    order = "001@site#gpu-server"
    before = listed(adopted, "--late", "forecast-later")
    needed = json_of(adopted, "orders")
    by = next(row["need_by"] for row in needed if row["id"] == order)
    late = date.fromisoformat(by[:10]) + timedelta(days=56)
    placed = (
        "order",
        order,
        "--supplier",
        "Maker",
        "--reference",
        "PO-1",
        "--out-of-sequence",
        "agreed",
        "--as",
        "owner",
    )
    assert command(*placed, "--site", adopted).returncode == 0
    promised = command(
        "promise", order, "--on", late.isoformat(), "--reason", "slipped", "--as", "owner", "--site", adopted
    )
    assert promised.returncode == 0, promised.stderr

    found = {row["id"]: row for row in listed(adopted, "--late", "forecast-later")}

    assert all(row["forecast_days_later"] in (None, 0, 1, 2, 3) for row in before)
    assert 40 < found["H09@pod-001"]["forecast_days_later"] < 70
    assert date.fromisoformat(found["H09@pod-001"]["forecast_finish"]) > late
    assert "076@hall-1" not in found
    assert "H09@pod-001" in command("list", "--late", "forecast-later", "--site", adopted).stdout


def test_a_week_has_what_is_planned_in_it(adopted: Path) -> None:
    row = next(row for row in listed(adopted) if row["id"] == "H09@pod-001")
    start = date.fromisoformat(row["early_start"][:10])
    year, week, _ = start.isocalendar()

    inside, before = (
        {one["id"] for one in listed(adopted, "--week", f"{year}-W{number:02}")} for number in (week, week - 1)
    )

    assert "H09@pod-001" in inside
    assert "H09@pod-001" not in before


def test_csv_has_the_table(adopted: Path, command: Command) -> None:
    printed = command("list", "--phase", "cooling", "--csv", "--site", adopted).stdout

    rows = list(csv.DictReader(io.StringIO(printed)))

    assert {row["activity"] for row in rows} == {row["id"] for row in listed(adopted, "--phase", "cooling")}
    assert all(row["planned finish"] >= row["planned start"] for row in rows)


def test_no_cell_is_a_formula_to_a_spreadsheet(tmp_path: Path, command: Command) -> None:
    """What somebody typed is opened by somebody else, whose spreadsheet would run it."""
    (tmp_path / "site.yaml").touch()
    named = activity("301@site", title="=cmd|' /C calc'!A0")
    with begun(tmp_path, Clock()) as ledger:
        adopt_plan(ledger, "pm", small_plan(activities=[named], links=[], orders=[]), reason="first plan")

    listing = command("list", "--csv", "--site", tmp_path)

    assert listing.returncode == 0, listing.stderr
    (row,) = csv.DictReader(io.StringIO(listing.stdout))
    assert row["what"] == "'=cmd|' /C calc'!A0"
