"""What check mode showed, on the page of the activity that waits for a release."""

from __future__ import annotations

from pathlib import Path

from ledger.decisions.runs import record_preview
from ledger.decisions.sign_off import release
from ledger.writing import Ledger
from tests.tui.piloting import SIZE, open_page, text_of, until
from tui.app import ClusterwrightApp
from tui.screens.activity import LINES
from tui.screens.inbox import InboxScreen
from tui.widgets.rows import Rows

NAME = "040@pod-001"


async def preview_of(folder: Path) -> str:
    """Return what the page says of check mode; empty where it says nothing."""
    app = ClusterwrightApp(folder)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME)
        return text_of(app, "preview")


def look(folder: Path, differences: str) -> None:
    """Keep what check mode showed."""
    with Ledger.open(folder) as ledger:
        record_preview(
            ledger,
            NAME,
            hosts=["n1", "n2"],
            playbook_digest="d",
            differences=differences.encode(),
            summary="would change 1 of 2 hosts",
        )


async def test_the_page_shows_what_would_change_once_somebody_looked(ready: Path) -> None:
    assert await preview_of(ready) == ""
    look(ready, "--- before\n+++ after\n-mtu 1500\n+mtu [bold]9000[/]\n")

    shown = (await preview_of(ready)).splitlines()

    assert "What check mode showed" in shown
    assert any(line.startswith("would change 1 of 2 hosts; ") for line in shown)
    assert [line.strip() for line in shown][-2:] == ["-mtu 1500", "+mtu [bold]9000[/]"]


async def test_long_differences_are_cut_and_say_so(ready: Path) -> None:
    look(ready, "".join(f"+line {n}\n" for n in range(LINES + 7)))

    shown = (await preview_of(ready)).splitlines()

    assert shown[-2].strip() == f"+line {LINES - 1}"
    assert "and 7 lines more" in shown[-1]


async def test_differences_that_are_gone_are_said_to_be(ready: Path) -> None:
    look(ready, "+mtu 9000\n")
    for kept in (ready / "evidence").rglob("*"):
        if kept.is_file() and kept.read_bytes() == b"+mtu 9000\n":
            kept.unlink()

    assert "it is missing" in await preview_of(ready)


async def test_a_release_that_has_lapsed_is_asked_for_again(ready: Path) -> None:
    """The page says why, and the inbox asks the people who may release."""
    with Ledger.open(ready) as ledger:
        release(ledger, "lead", NAME, hosts=["n1", "n2"], count=2, playbook_digest="d")
    app = ClusterwrightApp(ready)
    app.site.person = "lead"
    app.site.lapsed = lambda _: {NAME: "a variable was changed"}

    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME, "lead")
        assert f"needs another release: a variable was changed; clusterwright release {NAME}" in text_of(app, "why")
        await pilot.press("escape", "3")
        await until(pilot, lambda: isinstance(app.screen, InboxScreen) and app.screen.chosen == NAME)
        assert app.screen.query_one("#inbox", Rows).selected_key == f"release {NAME}"
