"""`impact`: what a delay of one order, delivery or activity does, asked before or after it is promised; nothing is recorded."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.commands import json_of
from tests.conftest import Command, last_event

pytestmark = pytest.mark.usefixtures("second_day")
FEW = ("--samples", "20")
ORDER = "001@site#gpu-server"
ABSORBED = "H33@site#infrastructure-rack"
AT = ("--as", "operator")


def asked(site: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json_of(site, "impact", *words, *FEW)
    return found


def later(found: dict[str, Any]) -> timedelta:
    """Return by how much go-live would be later."""
    old, new = (datetime.fromisoformat(found[when]["finish"]) for when in ("before", "after"))
    return new - old


def ordered(command: Command, site: Path, promised: str) -> None:
    """Place the order of the servers, and record the day that is promised."""
    early = ("--out-of-sequence", "the price holds")
    for words in (
        ("order", ORDER, "--supplier", "ACME", "--reference", "PO 1", *early),
        ("promise", ORDER, "--on", promised, "--reason", "allocation"),
    ):
        done = command(*words, *AT, "--site", site)
        assert done.returncode == 0, done.stderr


def test_a_late_order_says_who_moves_what_it_costs_and_what_would_recover_it(adopted: Path) -> None:
    events = last_event(adopted)

    found = asked(adopted, ORDER, "--days", "56")

    assert timedelta(days=45) < later(found) < timedelta(days=65)
    assert found["cost_usd"] > 0
    assert found["delays_most"]
    assert {"id", "role", "days", "float_before", "float_after"} <= found["moved"][0].keys()
    assert sum(one["activities"] for one in found["by_role"].values()) == sum(
        bool(one["role"]) for one in found["moved"]
    )
    assert last_event(adopted) == events


def test_one_day_is_no_days(adopted: Path, command: Command) -> None:
    said = command("impact", ABSORBED, "--days", "1", *FEW, "--site", adopted).stdout

    assert said.startswith(f"Go-live if {ABSORBED} is 1 day later; nothing is recorded")


def test_a_delay_that_float_absorbs_uses_it_up_and_costs_nothing(adopted: Path) -> None:
    found = asked(adopted, ABSORBED, "--days", "1")

    used = {one["id"]: one["days_before"] - one["days_after"] for one in found["float_used"]}
    assert later(found) == timedelta(0)
    assert found["cost_usd"] == 0
    assert used[f"{ABSORBED}/1"] == pytest.approx(1, abs=0.05)


def test_after_a_promise_it_says_what_the_promise_does(adopted: Path, command: Command) -> None:
    rows = json_of(adopted, "orders")
    need = next(datetime.fromisoformat(row["need_by"]) for row in rows if row["id"] == ORDER)
    before = json_of(adopted, "forecast", *FEW)
    ordered(command, adopted, (need + timedelta(days=56)).date().isoformat())
    after = json_of(adopted, "forecast", *FEW)

    found = asked(adopted, ORDER)

    assert found["after"]["finish"] == after["finish"]
    planned, unordered = (datetime.fromisoformat(one["finish"]) for one in (found["before"], before))
    assert abs(planned - unordered) <= timedelta(days=1)  # what is ordered need not be decided on any more
    assert timedelta(days=45) < later(found) < timedelta(days=65)
    assert found == found | {key: value for key, value in asked(adopted, f"{ORDER}/1").items() if key != "what"}


def test_a_delivery_can_be_asked_about_before_it_is_ordered(adopted: Path) -> None:
    assert later(asked(adopted, f"{ORDER}/1", "--days", "56")) == later(asked(adopted, ORDER, "--days", "56"))


def test_an_activity_is_late_in_its_own_working_days(adopted: Path, command: Command) -> None:
    found = asked(adopted, "H09@pod-001", "--days", "5")

    assert timedelta(days=4) <= later(found) <= timedelta(days=8)
    assert "Who moves" in command("impact", "H09@pod-001", "--days", "5", *FEW, "--site", adopted).stdout


@pytest.mark.parametrize("what", [ORDER, "071@site", "nothing"])
def test_without_days_something_must_be_promised(adopted: Path, command: Command, what: str) -> None:
    refused = command("impact", what, "--site", adopted)

    assert refused.returncode == 2
    assert f"impact '{what}' --days 56" in refused.stderr
