"""Runs: those that run and those that failed come first, the output follows the cursor, and a page has hosts and tasks."""

from __future__ import annotations

import os
from pathlib import Path

from ledger.entries import ItemResult, RunOutcome
from ledger.evidence.live_output import LONGEST, LogFile, Tail, live_log, own_log
from ledger.questions.records import requests
from ledger.reading import open_snapshot
from ledger.subjects.runs.decisions import release, settle
from ledger.writing import Ledger
from tests.commands import run
from tests.ledger.journey import GOOD, take
from tests.tui.piloting import TALL, User, painted, see, type_in, until, using
from tui.acting.form import Form
from tui.app import ClusterwrightApp
from tui.screens.run_output import read_output
from tui.screens.run_page import RunScreen
from tui.screens.runs import KEPT, RunsScreen, took_words

NAME, OTHER = "030@pod-001", "040@pod-001"
PRINTED = """TASK Read the card
  ok: n001
  ok: n002
TASK Flash the card
  changed: n001
  failed: n002: it ended with 1: [bold]image[/] is corrupt
    n002: stderr: bad magic
"""


def printed(site: Path, run: str, text: str) -> Path:
    """Write what a run prints."""
    log = own_log(site, run)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        file.write(text)
    return log


def failed_run(site: Path, hosts: int = 2) -> None:
    """Let a run fail on its last host."""
    names = [f"n{number:03}" for number in range(1, hosts + 1)]
    done = [ItemResult(name, "ok", 1.5) for name in names[:-1]]
    bad = ItemResult(names[-1], "failed", 2.5, "Flash the card", "it ended with 1: image is corrupt")
    with Ledger.open(site) as ledger:
        take(ledger, NAME)
        settle(ledger, "engine-1", NAME, RunOutcome("failed", (*done, bad), summary="not on every host"))


async def opened(app: ClusterwrightApp, pilot: User) -> RunsScreen:
    """Open the list of runs and wait until it is read."""
    await pilot.press("5")
    await until(pilot, lambda: isinstance(app.screen, RunsScreen) and bool(app.screen.view.rows))
    assert isinstance(app.screen, RunsScreen)
    return app.screen


async def test_without_a_run_the_screen_says_how_to_start_the_engine(ready: Path) -> None:
    async with using(ready) as (_, pilot):
        await pilot.press("5")
        await see(pilot, "no software has run yet: `clusterwright up` starts the engine")


async def test_what_runs_comes_first_then_what_failed_and_a_filter_chooses_by_field(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        release(ledger, "lead", OTHER, hosts=["h"], count=1, playbook_digest="d")
        take(ledger, OTHER, hosts=["h"], playbook_digest="d")
    failed_run(ready)
    async with using(ready, "lead") as (app, pilot):
        screen = await opened(app, pilot)
        assert [(row.status, row.activity) for row in screen.view.rows] == [("running", OTHER), ("failed", NAME)]
        await pilot.press("slash")
        await type_in(pilot, "status:failed")
        await until(pilot, lambda: [row.status for row in screen.view.found] == ["failed"])
        assert "✘ failed" in painted(app)
        await pilot.press("enter")
        assert list(screen.chosen) == [NAME], "actions are about the activity of the run"


async def test_the_output_of_the_run_under_the_cursor_follows_as_it_comes(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        take(ledger, NAME)
    printed(ready, "run-0001", "TASK Read the card\n  ok: n001\n")
    async with using(ready) as (app, pilot):
        screen = await opened(app, pilot)
        await see(pilot, "TASK Read the card", "  ok: n001")
        screen.following = screen.following and screen.following._replace(
            hosts=7
        )  # the list is read again: another row of the run
        printed(ready, "run-0001", "  failed: n002: [bold]bad[/] \x1b[31m\n  ok: n0")
        await see(pilot, "failed: n002: [bold]bad[/] <U+001B>[31m")
        assert "ok: n0\n" not in painted(app), "half a line is not shown"
        assert screen.output.cursor == len(screen.output.view.lines) - 1


async def test_output_of_a_run_elsewhere_follows_from_the_exchange_of_the_team(ready: Path) -> None:
    """This machine is not that of the dispatcher that leads. Others may write in an exchange."""
    exchange = ready / "shared"
    (exchange / "live").mkdir(parents=True)
    (ready / "site.yaml").write_text("name: small\nteam: {exchange: shared}\n", encoding="utf-8")
    with Ledger.open(ready) as ledger:
        take(ledger, NAME)
    async with using(ready) as (app, pilot):
        await opened(app, pilot)
        await see(pilot, "nothing was printed yet")
        copy = exchange / "live" / "small-run-0001.log"
        copy.write_text("TASK Read the card\n  ok: n001 \x1b[2J\n", encoding="utf-8")
        await see(pilot, "  ok: n001 <U+001B>[2J")
        shown = run(["show", NAME, "--site", ready])
        assert "  ok: n001 <U+001B>[2J" in shown.stdout
        await pilot.press("enter")
        await see(pilot, "Read the card: ✔ 1 ok")
        copy.unlink()
        os.mkfifo(copy)
        assert Tail(live_log(ready, "run-0001")).lines() == [], "a pipe is not waited for"


async def test_a_run_that_printed_nothing_says_so(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        take(ledger, NAME)
        settle(ledger, "engine-1", NAME, RunOutcome("ok", measurements=GOOD))
    async with using(ready) as (app, pilot):
        await opened(app, pilot)
        await see(pilot, "nothing was printed yet")


async def test_a_runs_page_has_hosts_that_failed_first_causes_and_folded_tasks(ready: Path) -> None:
    failed_run(ready)
    printed(ready, "run-0001", PRINTED)
    async with using(ready, "lead", size=TALL) as (app, pilot):
        await opened(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await see(pilot, "1 failed at 'Flash the card'", "Hosts: 1 failed, 1 ok")
        shown = painted(app)
        assert shown.index("✘  n002") < shown.index("✔  n001")
        assert "tasks 1 ok 1 changed" in shown
        assert "▸ TASK 1 Read the card: ✔ 2 ok" in shown, "a task that went well is folded"
        assert "▾ TASK 2 Flash the card: ✘ 1 changed 1 failed" in shown
        assert "failed: n002: it ended with 1: [bold]image[/] is corrupt" in shown

        await pilot.press("slash")
        await type_in(pilot, "ok: n002")
        await see(pilot, "  ok: n002")


async def test_a_task_that_was_unfolded_stays_so_while_more_hosts_come(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        take(ledger, NAME)
    printed(ready, "run-0001", "TASK Read the card\n  ok: n001\n")
    async with using(ready) as (app, pilot):
        app.push_screen(RunScreen("run-0001"))
        await see(pilot, "▸ TASK 1 Read the card: ✔ 1 ok")
        await pilot.press("end", "enter")
        await see(pilot, "▾ TASK 1 Read the card: ✔ 1 ok")
        printed(ready, "run-0001", "  ok: n002\n")
        await see(pilot, "▾ TASK 1 Read the card: ✔ 2 ok")


async def test_a_failed_run_is_tried_again_from_the_list(ready: Path) -> None:
    failed_run(ready)
    async with using(ready, "lead") as (app, pilot):
        await opened(app, pilot)
        await pilot.press("t")
        await see(pilot, f"$ clusterwright retry {NAME}")
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, Form))
        with open_snapshot(ready) as snapshot:
            assert [(asked.activity, asked.action) for asked in requests(snapshot)] == [(NAME, "retry")]


async def test_many_hosts_have_a_map_with_a_sign_each(ready: Path) -> None:
    failed_run(ready, hosts=40)
    async with using(ready, "lead", size=TALL) as (app, pilot):
        app.push_screen(RunScreen("run-0001"))
        await see(pilot, f"n001 to n032 {'✔' * 32}", f"n033 to n040 {'✔' * 7}✘", "Hosts: 1 failed, 39 ok")


async def test_a_long_output_is_on_the_runs_page_and_can_be_searched(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        take(ledger, NAME)
    printed(ready, "run-0001", "TASK Look at it\n" + "".join(f"  ok: n{number}: fine\n" for number in range(3000)))
    async with using(ready) as (app, pilot):
        app.push_screen(RunScreen("run-0001"))
        await see(pilot, "TASK 1 Look at it: ✔ 3000 ok")
        await pilot.press("slash")
        await type_in(pilot, "n2999")
        await see(pilot, "ok: n2999: fine")


async def test_the_output_of_a_run_is_kept_within_bounds(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        take(ledger, NAME)
    printed(ready, "run-0001", "".join(f"  ok: n{number}\n" for number in range(KEPT + 500)))
    async with using(ready) as (app, pilot):
        screen = await opened(app, pilot)
        await see(pilot, f"  ok: n{KEPT + 499}")
        assert len(screen.printed) == KEPT


def test_of_a_long_file_the_end_is_read(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("x" * LONGEST + "\nlast\nhalf", encoding="utf-8")
    tail = Tail(LogFile(log))

    assert tail.lines()[-1] == "last"
    assert tail.is_cut
    with log.open("a", encoding="utf-8") as file:
        file.write(" line\n")
    assert tail.lines() == ["half line"]
    log.write_text("anew\n", encoding="utf-8")
    assert tail.lines() == ["anew"], "a file that was begun anew is read from its beginning"


def test_an_output_is_read_task_by_task() -> None:
    found = read_output(["before", *PRINTED.splitlines()])

    assert found.before == ["before"]
    assert [task.heading for task in found.tasks] == [
        "TASK 1 Read the card: ✔ 2 ok",
        "TASK 2 Flash the card: ✘ 1 changed 1 failed",
    ]
    assert found.hosts["n002"] == {"ok": 1, "failed": 1}


def test_how_long_a_run_took_is_said_in_the_unit_that_fits() -> None:
    assert [took_words(seconds) for seconds in (3, 119, 600, 7199, 8000)] == [
        "3 s",
        "119 s",
        "10 min",
        "120 min",
        "2 h",
    ]
