"""The screens over a real ledger, driven by keys as a user drives them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ledger.decisions.sign_off import sign
from ledger.decisions.work import comment
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError
from tests.tui.piloting import SIZE, answer, open_page, state, text_of, until
from tui.app import ClusterwrightApp
from tui.screens import activity as page
from tui.screens.activity import ActivityScreen
from tui.widgets.rows import Rows


async def test_the_overview_shows_every_phase_and_the_planned_go_live(adopted: Path) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.screen.query_one("#phases", Rows).row_count == 9)

        assert "go-live planned" in text_of(app, "facts")


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
        await until(pilot, lambda: "034@pod-001" in text_of(app, "head"))

        assert "waits for" in text_of(app, "why")


async def test_a_gate_is_signed_from_its_page_by_two_people(adopted: Path) -> None:
    note = adopted / "decision.txt"
    note.write_text("the image is pinned", encoding="utf-8")
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, "141@site", "operator")
        await answer(app, pilot, "m", "image.pinned_by_digest true bool decision")
        await until(pilot, lambda: "read by operator" in text_of(app, "criteria"))
        await answer(app, pilot, "e", f"decision-record {note}")
        await until(pilot, lambda: "decision-record: decision.txt" in text_of(app, "record"))
        app.site.person = "owner"
        await answer(app, pilot, "s", "")
        await until(pilot, lambda: state(adopted, "141@site") == "awaiting_sign_off")
        app.site.person = "reviewer"
        await answer(app, pilot, "s", "")
        await until(pilot, lambda: state(adopted, "141@site") == "done")


async def test_a_refusal_is_shown_and_changes_nothing(adopted: Path) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, "H09@pod-001")
        await pilot.press("b")
        await until(pilot, lambda: len(app._notifications) > 0)

        assert state(adopted, "H09@pod-001") == "blocked"


@pytest.mark.parametrize("file", ["", "/not/there.pdf", "~nobody-here/scan.pdf", "a" * 100_000], ids=len)
async def test_a_file_that_is_not_there_is_refused(adopted: Path, file: str) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, "141@site")
        await answer(app, pilot, "e", f"decision-record {file}")
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
    with Ledger.open(adopted) as ledger:
        comment(ledger, "owner", "141@site", "[bold red]look[/] \x1b[31mhere")
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, "141@site")
        await until(pilot, lambda: "[bold red]look[/]" in text_of(app, "record"))

        assert "\x1b" not in text_of(app, "record")


async def test_what_is_refused_in_any_case_is_refused_before_anything_is_typed(adopted: Path) -> None:
    with Ledger.open(adopted) as ledger, pytest.raises(ClusterwrightError) as refused:
        sign(ledger, "owner", "H09@pod-001")
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, "H09@pod-001", "owner")
        await pilot.press("s")
        await until(pilot, lambda: len(app._notifications) > 0)

        (shown,) = app._notifications
        assert (shown.title, shown.message) == (refused.value.what, refused.value.hint)
        assert isinstance(app.screen, ActivityScreen)


async def test_the_page_names_the_hazards_of_the_work(adopted: Path) -> None:
    app = ClusterwrightApp(adopted)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, "H09@pod-001")

        assert "· hazards: heavy lifting ·" in text_of(app, "head")


async def test_one_line_shows_a_field_of_the_step(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A field that the step and the plan's part of an activity declare needs no other change in this room."""
    monkeypatch.setattr(page, "STEP", (*page.STEP, lambda plan: f"crew of {plan.crew_size}"))
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, "040@pod-001")

        assert "· crew of 1 ·" in text_of(app, "head")
