"""What commands say of a buyer's responses to late orders: how often, at which price, for how many weeks; and who switched them on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Command

EXPEDITE = "\nresponses: {expedite: [gpu-server]}\n"


@pytest.fixture
def hall(tmp_path: Path, command: Command) -> Path:
    """Return a site in a hall in service, whose go-live the servers drive."""
    folder = tmp_path / "hall"
    done = command("init", "--preset", "h100-8-servers", "--start", "2026-11-23", folder)
    assert done.returncode == 0, done.stderr
    return folder


def respond(folder: Path) -> None:
    file = folder / "site.yaml"
    file.write_text(file.read_text(encoding="utf-8") + EXPEDITE, encoding="utf-8")


def test_responses_are_said_by_plan_and_forecast_once_they_are_switched_on(hall: Path, command: Command) -> None:
    words = "What the buyer does about late orders"
    assert command("plan", "adopt", "--as", "owner", "--yes", "--site", hall).returncode == 0
    assert words not in command("plan", "--samples", "200", "--site", hall).stdout
    respond(hall)

    diff = command("plan", "diff", "--site", hall).stdout
    said = command("plan", "--samples", "200", "--site", hall).stdout
    assert "for late orders" in diff
    assert "gpu-server" in diff
    assert words in said
    (one,) = json.loads(command("plan", "--json", "--samples", "200", "--site", hall).stdout)["odds"]["responses"]
    assert (one["name"], one["items"]) == ("expedite", ["gpu-server"])
    assert 0 < one["used_share"] < 1
    assert one["usd_mean"] > 0

    assert command("plan", "adopt", "--as", "owner", "--yes", "--site", hall).returncode == 0
    assert words in command("forecast", "--samples", "200", "--site", hall).stdout
    kept = json.loads(command("forecast", "--json", "--samples", "200", "--site", hall).stdout)["responses"]
    assert kept[0]["name"] == "expedite"


def test_a_scenario_is_compared_with_its_mean_price_and_its_dates_with_the_crews_stay(
    hall: Path, command: Command
) -> None:
    (hall / "scenarios").mkdir()
    (hall / "scenarios" / "ours.yaml").write_text(f"title: ours{EXPEDITE}", encoding="utf-8")
    two = ("--scenario", "ours", "--scenario", "normal")

    found = json.loads(command("plan", "compare", *two, "--samples", "200", "--json", "--site", hall).stdout)

    ours, normal = found["plans"]
    assert ours["title"] == "ours (expedite for late orders none -> gpu-server)"
    assert ours["go_live"] == normal["go_live"]
    assert ours["p80"] < normal["p80"]
    assert ours["cost_more"] == 0
    assert normal["cost_more"] == pytest.approx(-ours["responses"][0]["usd_mean"])
    assert [one["usd"] for one in ours["changes"]] == [-normal["cost_more"]]
