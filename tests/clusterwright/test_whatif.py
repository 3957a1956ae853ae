"""`whatif`: delays, crews and shifts against the site as it is; nothing is recorded."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.commands import json_of
from tests.conftest import Command, last_event

FEW = ("--samples", "40")


def asked(site: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json_of(site, "whatif", *words, *FEW)
    return found


def later(found: dict[str, Any], name: str = "finish") -> float:
    """Return by how many days a date would be later."""
    dates = [found[when][name] for when in ("before", "after")]
    old, new = (datetime.fromisoformat(one if isinstance(one, str) else one["date"]) for one in dates)
    return (new - old).total_seconds() / 86400


def test_a_late_delivery_that_drives_go_live_moves_it_and_costs_money(adopted: Path) -> None:
    events = last_event(adopted)

    found = asked(adopted, "--delay", "001@site#gpu-server=8w")

    assert 45 < later(found) < 65
    assert later(found, "p50") > 0
    assert found["cost_usd"] > 0
    assert "001@site#gpu-server/1" not in found["drives_no_more"]
    assert last_event(adopted) == events


def test_a_delay_that_float_absorbs_moves_nothing(adopted: Path) -> None:
    found = asked(adopted, "--delay", "H33@site#infrastructure-rack=1d")

    assert later(found) == 0
    assert found["cost_usd"] == 0
    assert found["drives_now"] == found["drives_no_more"] == []


def test_a_step_is_delayed_at_every_unit_in_its_own_time(adopted: Path) -> None:
    """Five working days are a week, of which two days may be covered by float."""
    days = later(asked(adopted, "--delay", "H09=5d"))

    assert 4 <= days <= 8
    assert later(asked(adopted, "--delay", "H09@pod-001=1w")) == days


def test_more_crews_of_the_trade_that_waits_bring_go_live_forward(command: Command, tmp_path: Path) -> None:
    assert command("init", "four", "--preset", "superpod-4su", "--start", "2026-11-23", cwd=tmp_path).returncode == 0

    found = asked(tmp_path / "four", "--crew", "licensed-electrician+2", "--crew", "performance-engineer=4")

    assert later(found) < -2
    assert later(found, "unlimited_finish") == 0
    assert found["before"]["unlimited_finish"] <= found["after"]["finish"]


def test_two_shifts_bring_go_live_forward(adopted: Path) -> None:
    assert later(asked(adopted, "--shifts", "2")) < -5


def test_what_delays_go_live_most_comes_first(adopted: Path) -> None:
    most = asked(adopted, "--crew", "rigger+1")["delays_most"]

    assert most
    assert [one["days"] for one in most] == sorted((one["days"] for one in most), reverse=True)
    assert all(one["days_of_a_day"] <= one["days"] for one in most)


def test_before_the_first_adoption_it_asks_the_folders_plan(site: Path) -> None:
    assert later(asked(site, "--delay", "001@site#gpu-server=8w")) > 45


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "nothing would be different"),
        (("--delay", "001"), "is no delay"),
        (("--delay", "999=1w"), "no order or activity of the plan is '999'"),
        (("--delay", "077=1w"), "077 has nothing to delay at this site: the hall is in service"),
        (("--crew", "rigger"), "is no change of crews"),
        (("--crew", "wizard+1"), "no crew of the plan is 'wizard'"),
        (("--crew", "rigger-9"), "rigger would have -8 crews"),
        (("--shifts", "9"), "less than or equal to 3"),
    ],
)
def test_what_cannot_be_asked_says_why(adopted: Path, command: Command, words: tuple[str, ...], said: str) -> None:
    result = command("whatif", *words, "--site", adopted)

    assert result.returncode == 2
    assert said in result.stderr
