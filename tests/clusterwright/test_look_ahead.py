"""The look-ahead of a site that has slipped: what is to start in the next three weeks by the forecast, not by a plan that is past."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from clusterwright.look_ahead import AHEAD
from ledger.questions.kept_forecast import kept_forecast
from ledger.reading import open_snapshot
from tests.conftest import ADOPTED_AT, Command, project_time_at

LATER = ADOPTED_AT + timedelta(days=800)
"""By now all of it was to be done, and nothing has begun."""
SECTION = "Next three weeks"


@pytest.fixture
def slipped(adopted: Path, command: Command) -> Path:
    with project_time_at(LATER):
        assert command("forecast", "--site", adopted).returncode == 0
    return adopted


def said(command: Command, site: Path, *words: str) -> dict[str, list[dict[str, str]]]:
    with project_time_at(LATER):
        done = command("report", *words, "--json", "--site", site)
    assert done.returncode == 0, done.stderr
    sections: dict[str, list[dict[str, str]]] = json.loads(done.stdout)["sections"]
    return sections


def expected(site: Path) -> dict[str, datetime]:
    """Return when each activity is forecast to start."""
    with project_time_at(LATER), open_snapshot(site) as snapshot:
        fresh = kept_forecast(snapshot)
    assert fresh is not None
    assert fresh.forecast.starts is not None
    return fresh.forecast.starts


def test_a_week_lists_what_starts_soon_by_the_forecast(slipped: Path, command: Command) -> None:
    week = said(command, slipped, "week")

    listed = {line["id"]: line["date"] for line in week[SECTION]}
    soon = {name: start for name, start in expected(slipped).items() if start <= LATER + AHEAD}
    assert listed == {name: start.date().isoformat() for name, start in soon.items()}
    assert 0 < len(listed) < len(week["Past their planned finish"])
    assert "195@site" not in listed


def test_a_meeting_is_about_the_same_work_and_what_it_waits_for_by_when_it_is_to_start(
    slipped: Path, command: Command
) -> None:
    """Gates are nobody's work."""
    starts, week = expected(slipped), {line["id"] for line in said(command, slipped, "week")[SECTION]}

    meeting = said(command, slipped, "meeting")

    waits = [line for name, lines in meeting.items() if name.startswith("In the way") for line in lines]
    trades = [name for name in meeting if not name.startswith("In the way") and name != "Decisions needed"]
    own = {line["id"]: line for name in trades for line in meeting[name]}
    assert 0 < len(own) <= len(week)
    assert own.keys() <= week
    assert all(starts[name] <= LATER + AHEAD for name in own)
    assert all("past its planned finish" in line["note"] and ", planned 20" in line["note"] for line in own.values())
    assert len(trades) > 1
    assert set(trades) & said(command, slipped, "meeting", "--trade", trades[0]).keys() == {trades[0]}
    assert waits
    assert all(line["date"] >= LATER.date().isoformat() for line in waits)


def test_workload_and_invitations_go_by_the_forecast_too(slipped: Path, command: Command) -> None:
    """By the plan all of it has begun, and every witness is late to be invited."""
    starts = expected(slipped)

    with project_time_at(LATER):
        rows = json.loads(command("workload", "--json", "--site", slipped).stdout)
        reminded = json.loads(command("reminders", "--json", "--site", slipped).stdout)

    assert 0 < sum(row["activities"] for row in rows) < len(starts) / 2
    invited = {row["subject"] for row in reminded if row["kind"] == "notice"}
    assert all(starts[name] < LATER + timedelta(weeks=6) for name in invited)
