"""Commitments from the command line: the first plan commits, and only a decision with a reason commits anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.order_words import LateOrder, late_lines
from ledger.project_time import project_now
from tests.commands import json_of
from tests.conftest import Command


def commitment(site: Path) -> dict[str, Any]:
    found: dict[str, Any] = json_of(site, "status")["commitment"]
    return found


def test_the_first_plan_commits_to_what_plan_said(site: Path, command: Command) -> None:
    said = json_of(site, "plan")["commitment"]
    assert said["percentile"] == "P80"
    assert said["target"] < said["commitment"]

    done = command("plan", "adopt", "--as", "owner", "--yes", "--site", site)

    assert done.returncode == 0, done.stderr
    assert f"commitment {said['commitment'][:10]} (P80), target {said['target'][:10]} (P50)" in done.stderr
    kept = commitment(site)
    assert (kept["target"], kept["commitment"]) == (said["target"], said["commitment"])
    forecast = json_of(site, "forecast")
    live = forecast["milestones"][0]["milestone"]
    assert forecast["committed_milestones"][live]["commitment"] == said["commitment"]


def test_dates_alone_are_those_of_the_plan_without_odds(site: Path, command: Command) -> None:
    whole = json_of(site, "plan")
    dates = json_of(site, "plan", "--dates")
    printed = command("plan", "--dates", "--site", site).stdout

    assert dates == whole | {"odds": None, "commitment": None, "contingency": None}
    assert "With unlimited crews" in printed
    assert "How sure the dates are" not in printed
    assert command("plan", "--site", site).stdout.startswith(printed)


def test_p50_is_committed_to_where_the_site_says_so(site: Path, command: Command) -> None:
    file = site / "site.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "\ncommit_to: P50\n", encoding="utf-8")

    assert command("plan", "adopt", "--as", "owner", "--yes", "--site", site).returncode == 0

    kept = commitment(site)
    assert kept["percentile"] == "P50"
    assert kept["commitment"] == kept["target"]


def test_a_site_cannot_commit_to_something_else(site: Path, command: Command) -> None:
    file = site / "site.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "\ncommit_to: P95\n", encoding="utf-8")

    done = command("plan", "--site", site)

    assert done.returncode == 2
    assert "commit_to" in done.stderr
    assert "P50" in done.stderr


def test_only_a_decision_with_a_reason_commits_anew(adopted: Path, command: Command) -> None:
    before = commitment(adopted)
    at = ("--as", "owner", "--yes", "--site", adopted)

    assert command("plan", "adopt", "--reason", "another crew", *at).returncode == 0
    assert commitment(adopted) == before
    refused = command("plan", "adopt", "--recommit", *at)
    assert refused.returncode == 2
    assert "a commitment is replaced for a reason" in refused.stderr

    done = command("plan", "adopt", "--recommit", "--reason", "the utility is late", *at)

    assert done.returncode == 0, done.stderr
    assert f"the commitment was {before['commitment'][:10]} (P80)" in done.stderr
    assert (commitment(adopted)["revision"], commitment(adopted)["reason"]) == (
        3,
        "the utility is late",
    )


def test_nobody_is_asked_who_adopts_what_is_only_looked_at(adopted: Path, command: Command) -> None:
    """The account is that of several people, and nothing is recorded as any of them."""
    again = ("plan", "adopt", "--baseline", "B1", "--reason", "agreed", "--site", adopted)

    looked = command(*again, "--dry-run")

    assert looked.returncode == 0, looked.stderr
    assert "nothing adopted (dry run)" in looked.stderr
    assert command(*again, "--yes").returncode == 2


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (98, "50 days late for the working schedule, and takes as many of the 98 days of schedule contingency."),
        (20, "50 days late for the working schedule, and 30 days too late for the commitment."),
        (-7, "50 days late for the working schedule, and 50 days too late for the commitment."),
        (None, "50 days late for the working schedule."),
    ],
)
def test_a_late_order_is_held_against_the_commitment(left: int | None, said: str) -> None:
    now = project_now()

    (line,) = late_lines([LateOrder("001@site#gpu-server", 49.2, now, ("a second source",))], now, "UTC", left)

    assert line.endswith(f"{said} What may help: a second source")
