"""A hall goes live while the site's milestone stays open: every view says so, and pods may come first."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from clusterwright.odds_view import few_halls, halls_left_out
from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.questions.links import predecessors
from ledger.reading import open_snapshot
from steps.planning.odds.milestone_odds import Chance, MilestoneOdds
from tests import commands
from tests.commands import json_of
from tests.conftest import Command
from tests.once import Once
from tests.tui.piloting import TALL, screens, see

HALL = "H43@hall-1"
TWO_HALLS = "overrides: {halls: 2, pods_per_tranche: 2, weeks_between_tranches: 4}"


@pytest.fixture(scope="session")
def two_halls_once(once: Once) -> Path:
    """A site of two halls with two pods each, where all that the first hall waits for is done: made once."""

    def make(folder: Path) -> None:
        site = folder / "halls"  # a site has the name of its folder
        called("init", "--preset", "superpod-4su", "--start", "2026-01-05", site)
        text = (site / "site.yaml").read_text(encoding="utf-8")
        (site / "site.yaml").write_text(text.replace("overrides: {}", TWO_HALLS), encoding="utf-8")
        called("plan", "adopt", "--site", site, "--as", "owner", "--yes")
        rows = site / "progress.csv"
        lines = [f"{name},done,2026-01-05,2026-01-05,somebody" for name in sorted(before(site, HALL))]
        rows.write_text("activity,state,started,finished,by\n" + "\n".join(lines) + "\n", encoding="utf-8")
        called("import-progress", rows, "--yes", "--site", site, "--as", "owner")

    return once("two-halls", make) / "halls"


@pytest.fixture
def two_halls(tmp_path: Path, two_halls_once: Path) -> Path:
    """Return a copy of that site."""
    return Path(shutil.copytree(two_halls_once, tmp_path / "halls"))


def called(*words: object) -> None:
    done = commands.called(words)
    assert done.returncode == 0, done.stderr


def before(site: Path, activity: str) -> set[str]:
    """Return all that an activity waits for."""
    with open_snapshot(site) as snapshot:
        found: set[str] = set()
        front = [activity]
        while front:
            new = {link.before for link in predecessors(snapshot, front.pop())} - found
            found |= new
            front += new
    return found


def put_in_service(command: Command, site: Path) -> None:
    """Read, inspect and sign as the people of the site do."""
    with open_snapshot(site) as snapshot:
        plan = require_activity(snapshot, HALL).plan
    operator, note = ("--as", "operator", "--site", site), site / "note.txt"
    note.write_text("seen", encoding="utf-8")
    assert plan.policy.witness
    called("witness", HALL, "--for", project_now().date().isoformat(), "--agreed", *operator)
    for role in plan.policy.witness.roles:
        called("witness", HALL, "--attended", role, "--person", "reviewer", *operator)
    called("start", HALL, *operator)
    for criterion in plan.criteria:
        value = "0.9" if criterion.op == ">=" else str(criterion.value).lower()
        called("measure", HALL, criterion.metric, value, criterion.unit, "--source", "walk", *operator)
    for kind in plan.policy.evidence:
        called("attach", HALL, "--file", note, "--kind", kind, *operator)
    called("finish", HALL, *operator)
    alone = command("sign", HALL, "--as", "owner", "--site", site)
    assert alone.returncode == 0, alone.stderr
    assert json_of(site, "status")["halls"][0]["in_service_since"] is None
    called("sign", HALL, "--as", "reviewer", "--site", site)


def test_a_hall_is_in_service_when_two_people_have_signed_and_the_sites_milestone_stays_open(
    two_halls: Path, command: Command
) -> None:
    said = command("status", "--site", two_halls).stdout
    assert "0 of 2 halls in service; hall-1 in service forecast " in said
    put_in_service(command, two_halls)
    assert command("forecast", "--site", two_halls).returncode == 0

    said = command("status", "--site", two_halls).stdout

    today = project_now().date().isoformat()
    assert f"hall-1 in service since {today}; 1 of 2 halls; hall-2 in service forecast " in said
    status = json_of(two_halls, "status")
    assert [one["in_service_since"] is None for one in status["halls"]] == [False, True]
    assert status["halls"][1]["expected"] <= status["halls"][1]["p80"]
    assert status["forecast"]["finish"] > status["halls"][1]["expected"]
    assert json_of(two_halls, "show", "195@site")["activity"]["state"] == "blocked"
    week = command("report", "week", "--site", two_halls).stdout
    assert f"| {HALL} | hall-1 | {today} | in service" in week


async def test_the_first_screen_shows_when_halls_will_be_in_service(two_halls: Path) -> None:
    app = screens(two_halls)
    async with app.run_test(size=TALL) as pilot:
        await see(pilot, "0 of 2 halls in service", "hall-1 in service forecast")


def test_plan_and_forecast_show_each_hall_beside_go_live(two_halls: Path, command: Command) -> None:
    for words in (("plan",), ("forecast",)):
        rows = command(*words, "--samples", "20", "--site", two_halls).stdout.splitlines()
        found = [row.split()[0] for row in rows if row.split()[:1] in (["go-live"], ["hall-1"], ["hall-2"])]
        assert found[-3:] == ["go-live", "hall-1", "hall-2"]


def test_pods_first_shows_when_they_and_their_hall_are_ready(
    tmp_path: Path, two_halls_once: Path, command: Command
) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    shutil.copy(two_halls_once / "site.yaml", fresh)

    now, then = finishes(json_of(fresh, "whatif", "--pods-first", "3", "--samples", "20"))

    assert then["first 3 pods ready"] < now["first 3 pods ready"]
    said = command("whatif", "--pods-first", "3", "--samples", "20", "--site", fresh).stdout
    for words in ("go-live", "first 3 pods ready", "hall-1 in service", "hall-2 in service", "drives it then"):
        assert words in said
    _, late = finishes(
        json_of(
            fresh,
            *("whatif", "--pods-first", "3", "--delay", "001@site#gpu-server=14w"),
            *("--crew", "rack-technician+2", "--shifts", "2", "--samples", "20"),
        )
    )
    assert late["first 3 pods ready"] > then["first 3 pods ready"]


def finishes(found: dict[str, Any]) -> list[dict[str, str]]:
    """Return when each milestone is reached, before and after."""
    return [{one["milestone"]: one["finish"] for one in found[when]["milestones"]} for when in ("before", "after")]


def test_a_delivery_that_is_here_cannot_come_earlier(two_halls: Path) -> None:
    """The next delivery serves the second hall in any case. What people set up for users may come earlier."""
    now, then = finishes(json_of(two_halls, "whatif", "--pods-first", "4", "--samples", "20"))

    assert then["hall-1 in service"] <= now["hall-1 in service"]
    assert then["hall-2 in service"] <= now["hall-2 in service"]


def odds_of(name: str) -> MilestoneOdds:
    day = datetime(2027, 1, 4, tzinfo=UTC)
    sure = Chance(day, day, day)
    return MilestoneOdds(name, day, day, sure, sure, sure, planned_share=0.5)


def test_a_screen_shows_the_first_halls_and_the_last_one_and_says_how_many_there_are_more() -> None:
    names = ["go-live", *(f"hall-{number} in service" for number in range(1, 41)), "power"]

    shown = [one.milestone for one in few_halls([odds_of(name) for name in names])]

    assert shown == ["go-live", *(f"hall-{number} in service" for number in (1, 2, 3, 4, 5, 40)), "power"]
    assert halls_left_out([odds_of(name) for name in names]) == "34 more halls: --json"
    assert halls_left_out([odds_of(name) for name in names[:7]]) == ""


@pytest.mark.parametrize(("number", "said"), [("0", "0 pods cannot come first: the site has 1 pod"), ("2", "2 pods")])
def test_more_pods_first_than_there_are_say_how_many_there_are(
    adopted: Path, command: Command, number: str, said: str
) -> None:
    result = command("whatif", "--pods-first", number, "--site", adopted)

    assert result.returncode == 2
    assert said in result.stderr
    assert "name 1 to 1" in result.stderr
