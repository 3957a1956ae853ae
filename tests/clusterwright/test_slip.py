"""`slip`: why the forecast go-live is not the planned one, by activity, owner and cause."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.commands import json_of
from tests.conftest import Command, adopt_site
from tests.once import Once

ORDER = "001@site#gpu-server"
SWITCHES = "040@site#spine-switch"


@pytest.fixture(scope="session")
def ahead_once(once: Once) -> Path:
    """A site that was adopted before its plan begins, so that nothing of it can be late yet: made once, copied for each test."""
    return once("ahead", lambda folder: adopt_site(folder / "ahead", "2034-01-02")) / "ahead"


@pytest.fixture
def ahead(tmp_path: Path, ahead_once: Path) -> Path:
    """Return a copy of that site."""
    return Path(shutil.copytree(ahead_once, tmp_path / "ahead"))


def promise(command: Command, site: Path, order: str, supplier: str, day: str) -> None:
    """Order, and record the day that the supplier promises."""
    at = ("--as", "operator", "--site", site)
    placed = command(
        *("order", order, "--supplier", supplier, "--reference", "PO 1", "--value", "9"),
        *("--out-of-sequence", "the price holds until Friday", *at),
    )
    assert placed.returncode == 0, placed.stderr
    promised = command("promise", order, "--on", day, "--reason", "slipped", *at)
    assert promised.returncode == 0, promised.stderr


def weeks_late(site: Path, order: str, weeks: float) -> str:
    """Return the day so many weeks after the one on which the plan needs an order's first delivery."""
    rows = json_of(site, "orders")
    need = next(one["need_by"] for one in rows if one["id"] == order)
    return (date.fromisoformat(need[:10]) + timedelta(weeks=weeks)).isoformat()


def test_an_untouched_site_has_no_slip(ahead: Path, command: Command) -> None:
    found = json_of(ahead, "slip")

    assert found["planned"] == found["forecast"]
    assert (found["minutes"], found["parts"], found["late_chains"]) == (0, [], [])
    assert "as planned" in command("slip", "--site", ahead).stdout
    assert "slip " not in command("forecast", "--site", ahead).stdout


def test_a_promise_eight_weeks_late_is_the_suppliers_to_the_minute(ahead: Path, command: Command) -> None:
    promise(command, ahead, ORDER, "ACME", weeks_late(ahead, ORDER, 8))

    found = json_of(ahead, "slip")

    assert found["forecast"] == json_of(ahead, "forecast")["finish"]
    first = found["parts"][0]
    assert (first["id"], first["owner"], first["cause"]) == (f"{ORDER}/1", "ACME", "delivery")
    assert 45 < first["days"] < 70
    for sums in (found["by_owner"], found["by_cause"], {one["id"]: one["minutes"] for one in found["parts"]}):
        assert sum(sums.values()) == found["minutes"] > 0
    said = command("slip", "--site", ahead).stdout
    assert "is delivered late, or promised for later" in said


def test_the_forecast_and_the_weekly_report_name_the_greatest_parts(ahead: Path, command: Command) -> None:
    promise(command, ahead, ORDER, "ACME", weeks_late(ahead, ORDER, 8))
    days = json_of(ahead, "slip")["days"]

    for words in (("forecast",), ("report", "week")):
        said = command(*words, "--site", ahead).stdout.replace("\\#", "#")
        assert f"lip {days:+.1f} days, above all: {ORDER}/1 Delivery 1: GPU servers" in said
        assert "(ACME)" in said


def test_what_is_late_too_and_costs_nothing_is_listed_apart(ahead: Path, command: Command) -> None:
    """The switches would have been nearly as late for go-live as the servers are."""
    promise(command, ahead, ORDER, "ACME", weeks_late(ahead, ORDER, 8))
    alone = json_of(ahead, "slip")
    promise(command, ahead, SWITCHES, "Beta", weeks_late(ahead, SWITCHES, 7.5))

    found = json_of(ahead, "slip")

    assert alone["late_chains"] == []
    assert found["by_owner"] == alone["by_owner"]
    assert [(one["id"], one["owner"]) for one in found["late_chains"]] == [(f"{SWITCHES}/1", "Beta")]
    assert "Delivery 1: spine and core switches" in command("slip", "--site", ahead).stdout
