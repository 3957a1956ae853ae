"""Public holidays of the site's country are days off from `init` on, and an adopted plan keeps the days that it was adopted with."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Command

THANKSGIVING = "2026-11-26"
GOLDEN = "  public_holidays: none  # US-TN"


def planned(command: Command, site: Path) -> tuple[list[str], str]:
    """Return the days off of the plan that a folder makes now, and its finish."""
    document = json.loads(command("plan", "--dates", "--json", "--site", site).stdout)
    return document["holidays"], document["finish"]


def test_a_new_site_has_the_public_holidays_of_its_country(tmp_path: Path, command: Command) -> None:
    assert command("init", "--preset", "superpod-1su", "--start", "2026-11-23", tmp_path / "new").returncode == 0

    days, _ = planned(command, tmp_path / "new")

    assert THANKSGIVING in days


def test_an_adopted_plan_keeps_its_days_and_the_diff_names_those_of_a_new_one(adopted: Path, command: Command) -> None:
    """It was adopted without holidays. Site files from before say nothing of them, and now that means the country's."""
    before = json.loads(command("forecast", "--json", "--site", adopted).stdout)
    days, finish = planned(command, adopted)
    text = (adopted / "site.yaml").read_text(encoding="utf-8")
    assert GOLDEN in text
    (adopted / "site.yaml").write_text(text.replace(GOLDEN, ""), encoding="utf-8")

    after = json.loads(command("forecast", "--json", "--site", adopted).stdout)
    new_days, new_finish = planned(command, adopted)
    diff = command("plan", "diff", "--site", adopted).stdout

    assert before["finish"] == after["finish"]
    assert days == []
    assert THANKSGIVING in new_days
    assert new_finish > finish
    assert f" {finish[:16]}+00:00" in diff
    assert "days off" in diff
    assert THANKSGIVING in diff
