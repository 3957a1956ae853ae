"""Orders and deliveries: what is late, what moves before a promise is recorded, and receipt by scanner."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.questions.orders import require_order
from ledger.questions.receiving import COUNTED, SURPLUS, Awaited, awaited, judged
from ledger.reading import open_snapshot
from ledger.subjects.orders.manifest_rules import ManifestEntry
from tests.tui.piloting import painted, see, type_in, until, using
from tui.acting.form import Form
from tui.acting.running import Done
from tui.app import ClusterwrightApp
from tui.screens.orders import OrdersScreen
from tui.screens.receiving import ReceivingScreen
from tui.site import OpenSite

DELIVERY = "001@site#gpu-server/2"


@dataclass
class Question:
    """A command that is at work until it is answered or stopped."""

    words: Sequence[str]
    said: str = ""
    columns: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def done(self) -> Done:
        await self.ended.wait()
        return Done(0, self.said, "") if self.said else Done(130, "", "stopped")

    def answer(self, said: str) -> None:
        self.said = said
        self.ended.set()

    def stop(self) -> None:
        self.ended.set()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """Let every command be a question of this test, and return those that were asked."""
    questions: list[Question] = []

    def running(_site: OpenSite, words: Sequence[str]) -> Question:
        questions.append(Question(words))
        return questions[-1]

    monkeypatch.setattr(OpenSite, "running", running)
    return questions


def lines(app: ClusterwrightApp, text: str) -> list[str]:
    """Return the painted lines with a text."""
    return [line for line in painted(app).splitlines() if text in line]


async def test_deliveries_are_below_their_order_and_the_keys_are_those_of_the_row(ready: Path) -> None:
    async with using(ready, "pm", "4", "001@site#gpu-server/1", DELIVERY, size=(160, 40)) as (app, pilot):
        order, *deliveries = lines(app, "001@site#gpu-server")
        assert "part received" in order
        assert ["✔ received" in line for line in deliveries] == [True, False]
        assert [bool(re.search(r"\+\d+ d", line)) for line in deliveries] == [False, True]
        assert "r Receive" not in painted(app)
        await pilot.press("down")
        await see(pilot, "r Receive")
        assert "c Ask for a change" not in painted(app)
        await pilot.press("d")
        await until(pilot, lambda: "gpu-server/1" not in painted(app))


async def test_a_key_that_orders_and_deliveries_share_is_about_the_row(ready: Path) -> None:
    async with using(ready, "pm", "4", DELIVERY) as (_, pilot):
        await pilot.press("p")
        await see(pilot, "$ clusterwright promise '001@site#gpu-server'")
        await pilot.press("escape", "end", "p")
        await see(pilot, f"$ clusterwright promise '{DELIVERY}'")


async def test_words_of_the_filter_choose_what_is_open_late_and_of_a_week(ready: Path) -> None:
    async with using(ready, "pm") as (app, pilot):
        await pilot.press("4", "slash")
        await see(pilot, DELIVERY)
        screen = app.screen
        assert isinstance(screen, OrdersScreen)
        for typed, found in {
            "open deliveries": ["/2"],
            "received": ["/1"],
            "late deliveries": ["/2"],
            "week:2026-w10 deliveries": ["/2"],
            "orders": [""],
        }.items():
            screen.prompt.action_set(typed)
            await pilot.pause()
            shown = [row.id.removeprefix("001@site#gpu-server") for row in screen.view.found]
            assert shown == found, typed


async def test_what_a_promise_moves_is_shown_before_it_is_recorded(ready: Path, asked: list[Question]) -> None:
    async with using(ready, "pm", "4", DELIVERY) as (app, pilot):
        await pilot.press("end", "p")
        await see(pilot, "F2 impact first")
        await pilot.press("f2")
        await see(pilot, "type the new delivery date first")
        await type_in(pilot, "2026-03-20")
        await pilot.press("f2")
        await see(pilot, "nothing is recorded; Esc stops it")
        assert [one.words for one in asked] == [["impact", "--days=14", DELIVERY]]
        await pilot.press("escape")
        await see(pilot, "stopped")
        assert isinstance(app.screen, Form)
        await pilot.press("f2")
        await until(pilot, lambda: len(asked) == 2)
        asked[-1].answer("go-live moves by 9 days")
        await see(pilot, "go-live moves by 9 days")
    with open_snapshot(ready) as snapshot:
        assert all(one.promised is None for one in require_order(snapshot, "001@site#gpu-server").tranches)


async def test_the_page_of_an_order_goes_to_what_waits_for_it(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(ClusterwrightApp, "open_activity", lambda _app, name: opened.append(name))

    async with using(ready, "pm", "4", DELIVERY) as (_, pilot):
        await pilot.press("enter")
        await see(pilot, "placed with ACME as PO 1", "Waits for it", "no value is recorded")
        await pilot.press("slash", *"010@pod-002", "enter", "enter")
        await until(pilot, lambda: opened == ["010@pod-002"])


async def test_each_scanned_line_is_judged_at_once_and_receipt_is_filled_in(ready: Path) -> None:
    async with using(ready, "pm", "4", DELIVERY) as (_, pilot):
        await pilot.press("end", "y")
        await see(pilot, "16 servers outstanding")
        for serial in ("A1", "A2", "a1"):
            await type_in(pilot, serial)
            await pilot.press("enter")
        await see(pilot, "2 scanned · 1 does not count", "✘ scanned twice")
        await pilot.press("f2")
        await see(pilot, "$ clusterwright receive --quantity=2", "serials.txt")
    (file,) = (ready / ".clusterwright" / "scans").glob("*-serials.txt")
    assert file.read_text(encoding="utf-8").split() == ["A1", "A2"]


def test_what_was_scanned_is_there_again_after_a_terminal_ended(ready: Path) -> None:
    async def story(*, first: bool) -> None:
        async with using(ready, "pm", "4", DELIVERY) as (_, pilot):
            await pilot.press("end", "y")
            await see(pilot, "outstanding")
            if first:
                await type_in(pilot, "A1")
                await pilot.press("enter")
            await see(pilot, "1 scanned", "A1")

    asyncio.run(story(first=True))
    asyncio.run(story(first=False))


async def test_two_terminals_scan_the_same_delivery(ready: Path) -> None:
    """The second one wrote its own list over that of the first."""
    async with using(ready, "pm") as (app, pilot):
        screen = ReceivingScreen(DELIVERY)
        await app.push_screen(screen)
        await see(pilot, "outstanding")
        await type_in(pilot, "A1")
        await pilot.press("enter")
        screen.file.write_text("A1\nB1\n", encoding="utf-8")  # as the other terminal does
        await type_in(pilot, "A2")
        await pilot.press("enter")
        await see(pilot, "3 scanned", "A1", "B1", "A2")
        assert screen.file.read_text(encoding="utf-8").split() == ["A1", "B1", "A2"]


async def test_what_is_scanned_before_the_record_is_read_is_kept(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scanner is faster than a large record over a slow line."""
    loads = ReceivingScreen.load
    monkeypatch.setattr(ReceivingScreen, "load", lambda _: None)
    async with using(ready, "pm") as (app, pilot):
        screen = ReceivingScreen(DELIVERY)
        await app.push_screen(screen)
        await type_in(pilot, "A1")
        await pilot.press("enter")
        loads(screen)
        await see(pilot, "1 scanned", "A1")


async def test_a_narrow_terminal_shows_how_much_is_scanned_too(ready: Path) -> None:
    """What is awaited took both lines."""
    async with using(ready, "pm", size=(40, 24)) as (app, pilot):
        await app.push_screen(ReceivingScreen(DELIVERY))
        await see(pilot, "servers outstanding", "0 scanned · 0 do not count")


async def test_what_is_scanned_while_the_record_is_read_stays(ready: Path) -> None:
    """Any event of anybody lets the screen read again. What came meanwhile was gone from the list, and at the next scan from the file."""
    async with using(ready, "pm") as (app, pilot):
        await app.push_screen(ReceivingScreen(DELIVERY))
        await see(pilot, "outstanding")
        screen = app.screen
        assert isinstance(screen, ReceivingScreen)
        with open_snapshot(ready) as snapshot:
            answer = screen.ask(snapshot)
        await type_in(pilot, "A1")
        await pilot.press("enter")
        await see(pilot, "1 scanned")

        screen.show(answer)

        await see(pilot, "1 scanned", "A1")
        await type_in(pilot, "A2")
        await pilot.press("enter")
        await see(pilot, "2 scanned")
        assert screen.file.read_text(encoding="utf-8").split() == ["A1", "A2"]


def test_a_scan_says_what_was_received_before_and_what_no_manifest_names() -> None:
    of = Awaited(
        DELIVERY, "servers", Decimal(2), "server", serialised=True, received={"b": ("B", "001@site#gpu-server/1")}
    )

    counted = [scan.said for scan in judged(["A", "B", "C", "D", "x\ty"], of, None)]
    listed = [scan.said for scan in judged(["A", "Z"], of, {"a": ManifestEntry("A", (2,))})]

    assert counted == [COUNTED, "received elsewhere: 001@site#gpu-server/1", COUNTED, SURPLUS, "no serial number"]
    assert listed == ["expected", "unexpected"]


def test_a_delivery_at_the_door_is_what_is_outstanding(ready: Path) -> None:
    with open_snapshot(ready) as snapshot:
        assert awaited(snapshot, DELIVERY).outstanding == 16
        assert awaited(snapshot, "001@site#gpu-server/1").outstanding == 0


async def test_keys_are_about_the_marked_orders_wherever_the_cursor_is(adopted: Path) -> None:
    """Space goes on to the next line, which is a delivery of the order that was marked."""
    async with using(adopted, "", "4", "#") as (app, pilot):
        screen = app.screen
        assert isinstance(screen, OrdersScreen)
        name = screen.grid.key
        await pilot.press("space")
        await see(pilot, "o Place")
        await pilot.press("o")
        await see(pilot, f"$ clusterwright order '{name}'")
