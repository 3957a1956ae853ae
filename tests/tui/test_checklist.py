"""The checklist on an activity's page: failed items first, an item checked by keys, a refusal shown as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Checkbox, Input

from ledger.decisions.checklists import check
from ledger.decisions.plan import adopt_plan
from ledger.entries import ItemEntry
from ledger.questions.case import require_activity
from ledger.questions.checks import CheckRow, checked_items
from ledger.reading import open_snapshot
from ledger.writing import Ledger
from tests.ledger.checklists import NAME, begun_site, bond, good, plan_with_items
from tests.tui.piloting import SIZE, User, open_page, text_of, until
from tui.app import ClusterwrightApp
from tui.screens.activity import ITEMS, ActivityScreen


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """Return a site where work at three named servers has started."""
    return begun_site(tmp_path / "site")


async def opened_dialog(app: ClusterwrightApp, pilot: User) -> None:
    """Press the key that checks an item, and wait until the dialog is there."""
    await pilot.press("k")
    await until(pilot, lambda: bool(app.screen.query("#passed")))


def items_of(site: Path) -> list[CheckRow]:
    """Return the entries that count."""
    with open_snapshot(site) as snapshot:
        return checked_items(snapshot, require_activity(snapshot, NAME))


async def test_the_page_shows_counts_and_failed_items_first(begun: Path) -> None:
    with Ledger.open(begun) as ledger:
        check(ledger, "tech", NAME, [good("pod-001-n01", serial="SN1")])
        bad = ItemEntry("pod-001-n02", readings=bond("0.3"), note="[bold]paint[/]")
        check(ledger, "tech", NAME, [bad])
    app = ClusterwrightApp(begun)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME, "tech")
        lines = text_of(app, "checklist").splitlines()

        assert lines[0].startswith("Checklist: 1 of 3 servers passed, 1 failed, 1 open")
        for word in ("✘ failed NCR-0001", "pod-001-n02", "bond 0.3 ohm", "[bold]paint[/]"):
            assert word in lines[2]
        for word in ("✔ passed", "pod-001-n01", "bond 0.05 ohm", "SN1"):
            assert word in lines[3]


async def test_without_an_entry_the_page_has_no_checklist(begun: Path) -> None:
    app = ClusterwrightApp(begun)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME, "tech")

        assert text_of(app, "checklist") == ""


async def test_a_long_checklist_is_cut_and_says_so(begun: Path) -> None:
    with Ledger.open(begun) as ledger:
        people = {"people": plan_with_items().people}
        adopt_plan(ledger, "pm", plan_with_items(items=200).model_copy(update=people), reason="more")
        check(ledger, "tech", NAME, [good(f"P{n}") for n in range(ITEMS + 5)])
    app = ClusterwrightApp(begun)
    app.site.person = "tech"
    async with app.run_test(size=SIZE) as pilot:
        app.open_activity(NAME)
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen) and "Checklist" in text_of(app, "checklist"))

        assert "and 5 more" in text_of(app, "checklist")


async def test_an_item_is_checked_by_keys(begun: Path) -> None:
    app = ClusterwrightApp(begun)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME, "tech")
        await opened_dialog(app, pilot)
        await pilot.press(*"POD-001-N03", "tab", "space", "tab")
        await pilot.press(*"bond=0.05", "tab", *"SN7", "tab", *"dent")
        assert not app.screen.query_one("#passed", Checkbox).value
        await pilot.press("enter")
        await until(pilot, lambda: "1 failed" in text_of(app, "checklist"))

        (entry,) = items_of(begun)
        assert (entry.item, entry.failing, entry.serial, entry.note, entry.by) == (
            "pod-001-n03",
            ("result",),
            "SN7",
            "dent",
            "tech",
        )


async def test_a_refused_item_is_said_and_escape_records_nothing(begun: Path) -> None:
    app = ClusterwrightApp(begun)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME, "tech")
        await opened_dialog(app, pilot)
        await pilot.press(*"pod-001-n01", "escape")
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))
        await opened_dialog(app, pilot)
        app.screen.query_one("#item", Input).value = "pod-001-n9"
        await pilot.press("enter")
        await until(pilot, lambda: any("none of the 3 servers" in n.title for n in app._notifications))

        assert items_of(begun) == []


async def test_a_reading_that_is_no_number_is_refused(begun: Path) -> None:
    app = ClusterwrightApp(begun)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME, "tech")
        await opened_dialog(app, pilot)
        app.screen.query_one("#item", Input).value = "pod-001-n01"
        app.screen.query_one("#readings", Input).value = "bond=NaN"
        await pilot.press("enter")
        await until(pilot, lambda: any("none that an instrument shows" in n.title for n in app._notifications))

        assert items_of(begun) == []
