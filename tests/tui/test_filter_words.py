"""A word of a filter is a question of the command line: both find the same activities, and count the same."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ledger.rules.activity import FLAGS, State
from tests.conftest import Command
from tests.tui.piloting import SIZE, User, painted, screens, see, type_in, until, using
from tui.app import ClusterwrightApp
from tui.screens.gantt import GanttScreen
from tui.screens.steps import StepsScreen

FLAGGED = {
    "stale_since": "5",
    "waived": "1",
    "attested": "1",
    "simulated": "1",
    "overridden": "1",
    "valid_until": "'2027-01-01T00:00:00.000000Z'",
}
"""Columns that no event of these tests sets, each with a value that is a flag."""


@pytest.fixture
def flagged(halfway: Path) -> Path:
    """Return a site where every flag is on two activities, as months of work would leave it."""
    with closing(sqlite3.connect(halfway / "ledger.db")) as db:
        ids = [name for (name,) in db.execute("SELECT id FROM activity WHERE state = 'done' ORDER BY ordinal")]
        for number, (column, value) in enumerate(FLAGGED.items()):
            db.executescript(
                f"UPDATE activity SET {column} = {value} WHERE id IN ('{ids[number]}', '{ids[number + 9]}')"
            )
        db.execute("UPDATE activity SET early_because = 'it was there' WHERE id = '089@pod-001'")
        db.commit()
    return halfway


async def steps(app: ClusterwrightApp, pilot: User) -> StepsScreen:
    """Open the list of steps and wait until it is read."""
    await pilot.press("2")
    await until(pilot, lambda: isinstance(app.screen, StepsScreen) and bool(app.screen.view.rows))
    assert isinstance(app.screen, StepsScreen)
    return app.screen


def listed(command: Command, site: Path, *options: str) -> list[str]:
    """Return what the command line lists."""
    answer = command("list", *options, "--json", "--site", site)
    assert answer.returncode == 0, answer.stderr
    return [row["id"] for row in json.loads(answer.stdout)]


QUESTIONS = [
    ("late", ("--late", "past-planned-finish")),
    ("later", ("--late", "forecast-later")),
    ("role:=network-engineer", ("--role", "network-engineer")),
    ("role:=cabling-technician late", ("--role", "cabling-technician", "--late", "past-planned-finish")),
    ("unit:=pod-001", ("--unit", "pod-001")),
    ("unit:=hall-1 state:=done", ("--unit", "hall-1", "--state", "done")),
    ("week:2027-W35", ("--week", "2027-W35")),
    ("week:2027-w01 later", ("--week", "2027-W01", "--late", "forecast-later")),
    ('phase:="server assembly"', ("--phase", "server_assembly")),
    ("phase:=power state:=blocked,in_progress", ("--phase", "power", "--state", "blocked,in_progress")),
    *((f"state:={state}", ("--state", state.value)) for state in State),
    *((flag.replace("_", "-"), ("--flag", flag)) for flag in FLAGS),
]


async def test_each_word_finds_what_the_command_line_lists(flagged: Path, command: Command) -> None:
    app, empty = screens(flagged, "owner"), []
    async with app.run_test(size=SIZE) as pilot:
        screen = await steps(app, pilot)
        for query, options in QUESTIONS:
            screen.grid.filter(query)
            assert screen.view.wrong is None, query
            found = [row.id for row in screen.view.found]
            assert found == listed(command, flagged, *options), query
            if not found:
                empty.append(query)
    at_hand = {"done", "blocked", "in_progress", "failed", "running", "awaiting_sign_off", "on_hold", "not_applicable"}
    assert {word for word in empty if not word.startswith("state:=")} == {"week:2027-w01 later"}
    assert not at_hand & {word.removeprefix("state:=") for word in empty}


async def test_a_minus_finds_the_others(flagged: Path) -> None:
    async with using(flagged, "owner") as (app, pilot):
        screen = await steps(app, pilot)
        everything = {row.id for row in screen.view.rows}
        for query in ("late", "later", "role:=network-engineer", "state:=done", "week:2027-W35", "stale"):
            screen.grid.filter(query)
            found = {row.id for row in screen.view.found}
            screen.grid.filter(f"-{query}")
            assert {row.id for row in screen.view.found} == everything - found


async def test_mine_is_what_is_assigned_to_me_or_to_nobody_with_a_role_of_mine(flagged: Path) -> None:
    async with using(flagged, "operator") as (app, pilot):
        screen = await steps(app, pilot)
        screen.grid.filter("mine open")
        mine = {row.id for row in screen.view.found}
        assert "087@pod-001" in mine
        app.site.person = "owner"
        screen.load()
        await until(pilot, lambda: {row.id for row in screen.view.found} != mine)
        assert "087@pod-001" not in {row.id for row in screen.view.found}


async def test_the_same_words_filter_the_gantt(flagged: Path, command: Command) -> None:
    async with using(flagged, "owner") as (app, pilot):
        await pilot.press("6")
        await until(pilot, lambda: isinstance(app.screen, GanttScreen) and bool(app.screen.view.rows))
        screen: Any = app.screen
        for query, options in QUESTIONS[:6]:
            screen.grid.filter(query)
            assert {row.id for row in screen.view.found} == set(listed(command, flagged, *options)), query


async def test_every_view_counts_the_same_as_late(halfway: Path, command: Command) -> None:
    late, later = (len(listed(command, halfway, "--late", how)) for how in ("past-planned-finish", "forecast-later"))
    status = json.loads(command("status", "--json", "--site", halfway).stdout)
    assert late
    assert later
    assert status["past_planned_finish"] == late
    async with using(halfway, "owner") as (app, pilot):
        await see(pilot, f"{late} past their planned finish, {later} forecast later")
        await steps(app, pilot)
        for word, count in (("late", late), ("later", later)):
            await pilot.press("slash", "ctrl+u")
            await type_in(pilot, word)
            await pilot.press("enter")
            await see(pilot, f"{count} of ")
            assert re.search(rf"/ {word} +{count} of \d+", painted(app))
