"""A screen that is left while it reads: what was read comes when its widgets go, and changes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rich.text import Text

from tests.tui.piloting import SIZE, read, screens
from tui.screens.runs import RunsScreen


async def test_what_is_read_while_a_screen_closes_is_dropped(ready: Path) -> None:
    app = screens(ready)
    async with app.run_test(size=SIZE):
        left = RunsScreen()
        await app.push_screen(left)
        await read(app)
        app.pop_screen()
        while left.is_attached:
            left._show(Text("read too late"), [])
            await asyncio.sleep(0)
