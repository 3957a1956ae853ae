"""Non-conformances, change orders, waivers and action items in one list, each with the decisions that it takes."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.entries import RunOutcome
from ledger.questions.open_quality import quality
from ledger.reading import open_snapshot
from ledger.subjects.ncr.decisions import assign_ncr
from ledger.subjects.orders.change_decisions import ask_change
from ledger.subjects.runs.decisions import settle
from ledger.subjects.sign_off.decisions import waive
from ledger.subjects.work.kinds.action_items import agree_action
from ledger.writing import Ledger
from steps.acceptance.measured import Measured
from tests.ledger.conftest import T0, Clock
from tests.ledger.journey import take
from tests.tui.piloting import screens, see, using
from tui.screens.quality import QualityScreen

LOSSY = RunOutcome(
    "failed",
    measurements=(
        Measured("link.loss", Decimal(2), "dB", "pod-001-n1", "otdr"),
        Measured("link.up", True, "", "pod-001-n1", "ip link"),
    ),
)
WIDE = (160, 40)


@pytest.fixture
def lossy(ready: Path) -> Path:
    """Return a site with a non-conformance of lead2, an open change order, a waiver that ends in 2026, and an action item."""
    clock = Clock()
    clock.forward(72)
    with Ledger.open(ready, clock=clock) as ledger:
        take(ledger, "030@pod-001")
        settle(ledger, "engine-1", "030@pod-001", LOSSY)
        assign_ncr(ledger, "lead", "NCR-0001", "lead2", due=T0.date() + timedelta(days=9))
        waive(ledger, "pm", "030@pod-001", "link.loss", "short run", date(2026, 3, 1))
        ask_change(ledger, "pm", "001@site#gpu-server", reason="two spares", value=Decimal(5))
        agree_action(ledger, "pm", "Ask the crane firm", "lead2", T0.date() + timedelta(days=20))
    return ready


async def test_keys_are_those_of_the_kind_of_row(lossy: Path) -> None:
    async with using(lossy, "lead", size=WIDE) as (app, pilot):
        await pilot.press("minus")
        await see(
            pilot,
            "NCR-0001",
            "not met in a run: Step 030",
            "CO-0001",
            "W-0001",
            "value 5 EUR: two spares",
            "short run",
            "Ask the crane firm",
            "! 2026-",
        )
        screen = app.screen
        assert isinstance(screen, QualityScreen)
        for kind, foot, key, command in (
            ("ncrs", "d Decide", "A", "ncr assign NCR-0001"),
            ("changes", "s Approve", "s", "change approve CO-0001"),
            ("waivers", "s Sign", "A", "assign 030@pod-001"),
            ("actions", "f Close", "f", "action close A-0001"),
        ):
            screen.prompt.action_set(kind)
            await see(pilot, foot)
            await pilot.press(key)
            await see(pilot, f"$ clusterwright {command}")
            await pilot.press("escape")


async def test_a_waiver_is_moved_from_its_row(lossy: Path) -> None:
    app = screens(lossy, "lead")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.press("minus")
        await see(pilot, "W-0001")
        screen = app.screen
        assert isinstance(screen, QualityScreen)
        await pilot.press("u")
        await see(pilot, "a waiver has a day")
        screen.prompt.action_set("waivers")
        await pilot.pause()
        await pilot.press("u")
        await see(pilot, "$ clusterwright move-waiver", "030@pod-001 W-0001")


async def test_words_find_what_is_mine_open_and_overdue(lossy: Path) -> None:
    async with using(lossy, "lead2", "minus", "CO-0001", size=WIDE) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, QualityScreen)
        for typed, found in {
            "mine": {"NCR-0001", "W-0001", "A-0001"},
            "overdue": {"NCR-0001", "W-0001", "A-0001"},
            "open -ncrs": {"CO-0001", "W-0001", "A-0001"},
            "undecided": {"NCR-0001", "CO-0001"},
            "class-a": set(),
        }.items():
            screen.prompt.action_set(typed)
            await pilot.pause()
            assert {row.id for row in screen.view.found} == found, typed


def test_what_is_open_comes_first_and_a_change_of_the_past_last(lossy: Path) -> None:
    with open_snapshot(lossy) as snapshot:
        rows = quality(snapshot)

    assert [row.is_open for row in rows] == [True] * 4
    assert {row.kind: row.deciders for row in rows}["change"] == ("owner-pm", "procurement-lead")
    assert {row.kind: row.is_overdue for row in rows} == {"ncr": True, "change": False, "waiver": True, "action": True}
