"""The answer of a command is shown as it comes, whole, and its process ends with the screens."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ledger.subjects.work.decisions import comment
from ledger.writing import Ledger
from tests.tui.piloting import WAIT_S, see, until, using
from tui.screens.output import OutputScreen


async def test_a_long_answer_is_shown_whole(halfway: Path) -> None:
    async with using(halfway, "owner") as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        ids = [row.id for row in app.site.rows]
        app.show_answer(["list"])
        await until(pilot, lambda: isinstance(app.screen, OutputScreen))
        screen = app.screen
        assert isinstance(screen, OutputScreen)
        await until(pilot, lambda: all(map("\n".join(line.text for line in screen.view.found).__contains__, ids)))
    assert len(ids) > 200, "more than a screen, so that it comes in parts"


async def test_a_command_ends_with_the_screens(halfway: Path) -> None:
    """An engine runs until somebody stops it."""
    async with using(halfway, "owner") as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        app.show_answer(["up"])
        await see(pilot, "clusterwright up")
        assert isinstance(app.screen, OutputScreen)
        running = app.screen.running
        assert running is not None
        await until(pilot, lambda: running.process is not None)
        process = running.process
    assert process is not None
    await asyncio.wait_for(process.wait(), WAIT_S)


async def test_a_line_that_is_wider_than_the_screen_is_read_to_its_end(ready: Path) -> None:
    """`Show whole` of a non-conformance ended in the middle of its reason."""
    with Ledger.open(ready) as ledger:
        comment(ledger, "tech", "030@pod-001", f"{'one of many words ' * 20}and the end")
    async with using(ready, "lead", size=(80, 24)) as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        app.show_answer(["show", "030@pod-001"])
        await see(pilot, "and the end")
        await pilot.press("slash", *"words", "enter")
        await see(pilot, "and the end")
        await pilot.press("escape", "escape", "0")
        await see(pilot, "activity commented")
        await pilot.press("enter", "end")
        await see(pilot, "and the end")
