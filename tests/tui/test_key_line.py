"""The line of keys at the foot: each of them does something when it is clicked."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tests.tui.piloting import SIZE, read, screens, see, until, using
from tui.app import MAIN
from tui.keyline import KeyLine
from tui.screens.acting import ActingScreen
from tui.screens.crews import CrewsScreen


async def test_each_key_at_the_foot_of_a_main_screen_does_what_something_there_can_do(halfway: Path) -> None:
    """A key whose action nobody has is clicked in vain."""
    app = screens(halfway)
    vain = []
    async with app.run_test(size=SIZE) as pilot:
        for mode in MAIN:
            await app.switch_mode(mode)
            await pilot.pause()
            await read(app)
            assert isinstance(app.screen, ActingScreen)
            shown = app.screen.keys()
            for _, label, action in shown:
                target, name, _ = app._parse_action(action, app.screen)
                if not hasattr(target, f"action_{name}"):
                    vain.append(f"{mode}: {label}")

    assert vain == []


async def test_a_click_on_the_key_of_a_chart_moves_the_chart(adopted: Path) -> None:
    """As the key itself does."""
    async with using(adopted) as (app, pilot):
        await pilot.press("7")
        await until(pilot, lambda: isinstance(app.screen, CrewsScreen) and bool(app.screen.grid.view.lines))
        assert isinstance(app.screen, CrewsScreen)
        chart = app.screen.chart
        chart.choose(date(2026, 11, 30))
        await see(pilot, "2026-W49", "←→ Week")
        before = len(" ? All keys ")
        await pilot.click(KeyLine, offset=(before + 2, 0))
        await until(pilot, lambda: chart.monday == date(2026, 12, 7))
