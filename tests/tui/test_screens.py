"""The screens over a real ledger, driven by keys as a user drives them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from tui.app import ClusterwrightApp
from tui.screens.activity import ActivityScreen
from tui.widgets.rows import Rows

SIZE = (160, 50)


async def until(pilot: Pilot[None], true: Callable[[], bool], *, seconds: float = 10) -> None:
    """Wait until something is so; reads come from worker threads."""
    for _ in range(int(seconds / 0.05)):
        if true():
            return
        await pilot.pause(0.05)
    raise AssertionError("it did not happen in time")


def state(site: Path, activity: str) -> str:
    with open_snapshot(site) as reader:
        return require_activity(reader.at(datetime.now(UTC)), activity).state.value


async def test_the_overview_shows_every_phase_and_the_planned_go_live(adopted: Path) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.screen.query_one("#phases", Rows).row_count == 9)

        assert "go-live planned" in str(app.screen.query_one("#facts", Static).render())


async def test_typing_filters_the_steps_and_enter_opens_one(adopted: Path) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: bool(app.screen.query("#activities")))
        table = app.screen.query_one("#activities", Rows)
        await until(pilot, lambda: table.row_count > 200)
        await pilot.press("slash", *"burn every gpu")
        await until(pilot, lambda: table.row_count == 1)
        await pilot.press("enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))
        await until(pilot, lambda: "034@pod-001" in str(app.screen.query_one("#head", Static).render()))

        assert "waits for" in str(app.screen.query_one("#why", Static).render())


async def test_a_gate_is_signed_from_its_page_by_two_people(adopted: Path) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.site.person is not None)
        app.site.person = "owner"
        note = adopted / "decision.txt"
        note.write_text("the image is pinned", encoding="utf-8")
        app.open_activity("141@site")
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))
        for key, answer in (
            ("m", "image.pinned_by_digest true bool decision"),
            ("e", f"decision-record {note}"),
            ("s", ""),
        ):
            await pilot.press(key)
            await until(pilot, lambda: bool(app.screen.query("#answer")))
            app.screen.query_one("#answer", Input).value = answer
            await pilot.press("enter")
            await pilot.pause(0.4)
        await until(pilot, lambda: state(adopted, "141@site") == "awaiting_sign_off")
        app.site.person = "reviewer"
        await pilot.press("s")
        await until(pilot, lambda: bool(app.screen.query("#answer")))
        await pilot.press("enter")
        await until(pilot, lambda: state(adopted, "141@site") == "done")


async def test_a_refusal_is_shown_and_changes_nothing(adopted: Path) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.site.person is not None)
        app.open_activity("H09@pod-001")
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))
        await pilot.press("b")
        await until(pilot, lambda: len(app._notifications) > 0)

        assert state(adopted, "H09@pod-001") == "blocked"


@pytest.mark.parametrize("file", ["", "/not/there.pdf", "~nobody-here/scan.pdf", "a" * 100_000], ids=len)
async def test_a_file_that_is_not_there_is_refused(adopted: Path, file: str) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.site.person is not None)
        app.open_activity("141@site")
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))
        await pilot.press("e")
        await until(pilot, lambda: bool(app.screen.query("#answer")))
        app.screen.query_one("#answer", Input).value = f"decision-record {file}"
        await pilot.press("enter")
        await until(pilot, lambda: len(app._notifications) > 0)

        (shown,) = app._notifications
        assert shown.title.startswith(file[:100] or "nothing")
        assert "write the kind, a space, and a file's path" in shown.message


@pytest.mark.parametrize("key", ["1", "2", "3", "4", "5"])
async def test_every_screen_opens_and_escape_leads_back(adopted: Path, key: str) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(key)
        await pilot.pause(0.5)
        await pilot.press("escape")
        await asyncio.sleep(0)

        assert app.current_mode == "overview"


async def test_markup_in_a_persons_text_is_shown_as_text(adopted: Path) -> None:
    from ledger.decisions.work import comment
    from ledger.writing import Ledger

    with Ledger.open(adopted) as ledger:
        comment(ledger, "owner", "141@site", "[bold red]look[/] \x1b[31mhere")
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        app.open_activity("141@site")
        await until(pilot, lambda: bool(app.screen.query("#record")))
        await until(pilot, lambda: "[bold red]look[/]" in str(app.screen.query_one("#record", Static).render()))

        assert "\x1b" not in str(app.screen.query_one("#record", Static).render())
