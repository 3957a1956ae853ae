"""Buying on the command line: exit codes, what is listed before anything is recorded, money, and whose work it is."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from ledger.account import machine_account
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.writing import Ledger
from tests.commands import at
from tests.conftest import Command
from tests.ledger.conftest import PEOPLE, begun, small_plan

ORDER = "001@site#gpu-server"
FIRST = f"{ORDER}/1"


@pytest.fixture
def decided(site: Path) -> Path:
    """Return a site whose first order may be placed, with a contractor's technician."""
    people = [
        {
            "id": key,
            "name": name,
            "roles": roles,
            "account": machine_account(),
            "organisation": "Sparks Ltd" if key == "tech" else "",
        }
        for key, (name, roles) in PEOPLE.items()
    ]
    with begun(site, project_now) as ledger:
        adopt_plan(ledger, "pm", small_plan(people=people), reason="first plan")
        _decide(ledger)
    return site


def _decide(ledger: Ledger) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")


@pytest.fixture
def shop(decided: Path) -> Command:
    """Run a command at that site, and hold its exit code against the one expected."""
    return partial(at, decided)


@pytest.fixture
def placed(shop: Command) -> Command:
    """Place the order for dollars on the design's line of servers."""
    shop(
        *("order", ORDER, "--supplier", "ACME", "--reference", "PO 1", "--value", "12000000.50", "--currency", "USD"),
        *("--budget-line", "servers", "--as", "pm"),
    )
    return shop


def test_the_budget_stands_beside_the_designs_estimate(placed: Command) -> None:
    placed("expedite", ORDER, "--reason", "late", "--cost", "99.50", "--as", "pm")
    placed("receive", FIRST, "--as", "pm")

    (line,) = json.loads(placed("orders", "--budget", "--json").stdout)

    assert (line["committed"], line["received"], line["open"]) == ("12000100.00", "6000050.00", "6000050.00")
    assert float(line["estimate_usd"]) > 0
    assert float(line["over_usd"]) == float(line["committed"]) - float(line["estimate_usd"])
    assert "servers" in placed("orders", "--budget").stdout


def test_a_line_in_several_currencies_is_not_held_against_the_estimate(placed: Command, decided: Path) -> None:
    """Its dollars alone would be far below an estimate that they are only a part of."""
    with open_snapshot(decided) as snapshot:
        plan = read_plan(snapshot)
    (order,) = plan.orders
    spare = f"{ORDER}-spare"
    deliveries = tuple(one.model_copy(update={"id": one.id.replace(ORDER, spare)}) for one in order.tranches)
    second = order.model_copy(update={"id": spare, "item": f"{order.item}-spare", "tranches": deliveries})
    with Ledger.open(decided) as ledger:
        adopt_plan(ledger, "pm", plan.model_copy(update={"orders": (order, second)}), reason="spares")
    euros = ("--supplier", "ACME", "--reference", "PO 2", "--value", "900", "--currency", "EUR")
    placed("order", spare, *euros, "--budget-line", "servers", "--as", "pm")

    found = json.loads(placed("orders", "--budget", "--json").stdout)

    assert [(line["currency"], line["over_usd"]) for line in found] == [("EUR", None), ("USD", None)]
    assert all(line["estimate_usd"] for line in found)


def test_differences_are_listed_and_wait_for_a_yes(placed: Command, tmp_path: Path) -> None:
    manifest, scan = tmp_path / "m.csv", tmp_path / "s.txt"
    manifest.write_text("serial\nA\nB\n", encoding="utf-8")
    scan.write_text("A\nC\n", encoding="utf-8")
    words = ("receive", FIRST, "--manifest", manifest, "--scanned", scan, "--as", "pm")

    refused = placed(*words, rc=1)
    assert "B: missing (manifest line 3)" in refused.stderr
    assert "C: unexpected (scan line 2)" in refused.stderr
    assert "nothing is recorded" in refused.stderr
    assert not [h for h in _history(placed) if h["kind"] == "tranche.received"]
    assert "NCR-0001 opened" in placed(*words, "--yes").stderr
    assert [h["said"][:10] for h in _history(placed) if h["kind"] == "tranche.received"] == ["1 received"]

    manifest.write_text("serial\nD\nE\nD\n", encoding="utf-8")
    assert "D on lines 2, 4" in placed(*words, "--yes", rc=2).stderr
    placed("receive", FIRST, "--manifest", manifest, "--as", "pm", rc=2)
    placed("audit")


def _history(shop: Command) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(shop("orders", "--history", ORDER, "--json").stdout)
    return found


def test_what_a_supplier_says_is_kept_and_shown(placed: Command) -> None:
    today = project_now().date()
    first, second = today + timedelta(days=40), today + timedelta(days=60)
    placed("acknowledge", ORDER, "--on", today, "--reference", "SO 9", "--promised", first, "--as", "pm")
    placed("promise", ORDER, "--on", second, "--reason", "memory", "--as", "pm")
    placed("ship", FIRST, "--carrier", "DHL", "--on", today, "--handling", "shock 25 g", "--as", "pm")

    assert f"promised for {second}, before {first}" in placed("orders", "--history", ORDER).stdout
    assert "1 shipped" in placed("orders").stdout
    assert json.loads(placed("orders", "--organisation", "acme", "--json").stdout)[0]["id"] == ORDER
    assert "go-live" in placed("orders").stdout
    assert "go-live" not in placed("orders", "--organisation", "acme").stdout, "it may be handed to them"
    assert "organisations: ACME" in placed("orders", "--organisation", "nobody", rc=2).stderr
    placed("orders", "--history", "001@site#gpu", rc=2)


def test_a_change_is_decided_by_another(placed: Command) -> None:
    placed("change", "request", FIRST, "--quantity", "17", "--reason", "one more came", "--as", "tech", rc=1)
    placed("change", "request", FIRST, "--quantity", "17", "--reason", "one more came", "--as", "sponsor")
    placed("change", "approve", "CO-0001", "--as", "sponsor", rc=1)
    placed("change", "approve", "CO-0001", "--as", "pm")
    part = placed("receive", FIRST, "--quantity", "16", "--as", "pm")
    whole = placed("receive", FIRST, "--quantity", "1", "--as", "pm")

    assert f"{FIRST}: received; the rest of it is outstanding" in part.stderr
    assert f"{FIRST}: received\n" in whole.stderr
    assert json.loads(placed("change", "--json").stdout)[0]["state"] == "approved"
    assert "CO-0001" in placed("change").stdout


def test_a_contractors_work_is_listed_and_reported_by_contractor(shop: Command) -> None:
    shop("assign", "020@pod-*", ORDER, "--organisation", "Sparks Ltd", "--as", "pm")
    shop("assign", "030@pod-001", "--as", "pm", rc=2)

    rows = json.loads(shop("list", "--organisation", "Sparks Ltd", "--json").stdout)
    week = shop("report", "week", "--organisation", "sparks ltd").stdout

    assert [r["id"] for r in rows] == ["020@pod-001", "020@pod-002"]
    assert "## By contractor (1)" in week
    assert "| Sparks Ltd |" in week


def test_a_report_is_for_an_organisation_that_has_an_order_alone(shop: Command) -> None:
    """Who was given an order has no people here and no work, and is handed the week all the same."""
    shop("assign", ORDER, "--organisation", "Fjord Forwarding", "--as", "pm")

    rows = json.loads(shop("orders", "--organisation", "fjord forwarding", "--json").stdout)
    week = json.loads(shop("report", "week", "--organisation", "fjord forwarding", "--json").stdout)

    assert [row["id"] for row in rows] == [ORDER]
    assert [row["id"] for row in week["sections"]["Orders due"]] == [ORDER]
