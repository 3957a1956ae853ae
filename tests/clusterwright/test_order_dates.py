"""What a buyer sees of an order: between which days to place it, whether its risk allows that, and what coming early costs."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from clusterwright.plan_orders import print_orders
from steps.planning.dates.dating import solved
from tests.commands import json_of
from tests.conftest import Command
from tests.ledger.conftest import small_plan

SERVERS = "001@site#gpu-server"


def listed(site: Path, *verb: str) -> dict[str, Any]:
    found = json_of(site, *verb)
    rows = found["orders_by_date"] if isinstance(found, dict) else found
    return {row["id"]: row for row in rows}


def test_orders_say_what_the_plan_says(adopted: Path) -> None:
    """The record has the plan's order-by dates; what can be placed later than planned costs less by coming early."""
    planned, recorded = listed(adopted, "plan"), listed(adopted, "orders")

    assert planned.keys() == recorded.keys()
    for name, row in recorded.items():
        plan = planned[name]
        assert row["latest"][:16] == plan["latest"][:16]
        assert row["order_from"][:16] >= plan["order_from"][:16]
        apart = datetime.fromisoformat(row["order_by"]) - datetime.fromisoformat(plan["order_by"])
        assert abs(apart) <= timedelta(minutes=1)
        if plan["price_usd"] is None:
            assert row["price_usd"] is row["early_cost_usd"] is None
        else:
            assert float(row["price_usd"]) == plan["price_usd"]
            by_hand = plan["price_usd"] * 0.10 * row["early_days"] / 365
            assert float(row["early_cost_usd"]) == pytest.approx(by_hand, abs=0.01)
            assert float(row["early_cost_usd"]) <= plan["early_cost_usd"] + 0.01


def test_an_order_whose_p80_has_passed_is_named_with_the_day_to_place_it(adopted: Path, command: Command) -> None:
    late = listed(adopted, "orders")[SERVERS]["late_days_p80"]
    for verb in ("orders", "plan"):
        text = command(verb, "--site", adopted).stdout
        (line,) = [line for line in text.splitlines() if line.startswith(f"! {SERVERS}: order ")]
        assert "days late for the working schedule" in line
        assert (verb == "orders") is ("of schedule contingency" in line or "too late for the commitment" in line)
        assert "What may help: " in line
        assert "with the P80 lead time" in line
        assert "a second source" in line
        assert "Early deliveries tie up money at 10 % a year: $" in text
    assert late > 30


def test_of_orders_alike_the_latest_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """As `clusterwright orders` names it, and not the one that is to be placed first."""
    plan = solved(small_plan()).plan
    (order,) = plan.orders
    assert order.dates is not None
    early = order.model_copy(update={"lead_p80_h": order.lead.m + 240})
    ready = replace(order.dates, early_finish=order.dates.early_finish + timedelta(days=9))
    ready = replace(ready, late_finish=order.dates.late_finish + timedelta(days=1))
    latest = early.model_copy(update={"id": "001@pod-009#gpu-server", "dates": ready})

    print_orders(plan.model_copy(update={"orders": (early, latest)}))

    assert "! 001@pod-009#gpu-server and 1 more: order " in capsys.readouterr().out


def test_the_rate_of_the_site_counts(adopted: Path) -> None:
    """Ten times the rate, ten times the cost; the plan in force keeps its own until another is adopted."""
    before, in_force = listed(adopted, "plan"), listed(adopted, "orders")
    file = adopted / "site.yaml"
    file.write_text(file.read_text().replace("overrides: {}", "overrides: {cost_of_capital: 100}"))

    after = listed(adopted, "plan")

    costs = {name: row["early_cost_usd"] for name, row in before.items() if row["early_cost_usd"]}
    assert costs
    assert {name: after[name]["early_cost_usd"] for name in costs} == pytest.approx(
        {name: 10 * cost for name, cost in costs.items()}, abs=0.1
    )
    assert {name: row["price_usd"] for name, row in listed(adopted, "orders").items()} == {
        name: row["price_usd"] for name, row in in_force.items()
    }


def test_an_order_that_is_placed_has_no_more_dates_to_place_it(adopted: Path, command: Command) -> None:
    words = ("order", SERVERS, "--supplier", "ACME", "--reference", "PO 1", "--out-of-sequence", "the price holds")
    placed = command(*words, "--site", adopted, "--as", "owner")
    assert placed.returncode == 0, placed.stderr

    row = listed(adopted, "orders")[SERVERS]

    assert row["state"] == "placed"
    assert {row[name] for name in ("order_from", "latest", "late_days_p80", "early_cost_usd", "price_usd")} == {None}
    assert f"! {SERVERS}" not in command("orders", "--site", adopted).stdout
