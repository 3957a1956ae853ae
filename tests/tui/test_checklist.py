"""The checklist on an activity's page: failed items first, an item checked by keys, a refusal shown as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.table import Table
from textual.pilot import Pilot
from textual.widgets import Checkbox, Input, Static

from ledger.decisions.checklists import check
from ledger.entries import ItemEntry
from ledger.questions.case import require_activity
from ledger.questions.checks import checked_items
from ledger.reading import open_snapshot
from ledger.writing import Ledger
from tests.ledger.checklists import NAME, begun_site, bond, good
from tests.tui.test_screens import SIZE, until
from tui.app import ClusterwrightApp
from tui.screens.activity import ITEMS, ActivityScreen


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """Give a site where work at three named servers has started."""
    return begun_site(tmp_path / "site")


def page(app: ClusterwrightApp) -> str:
    """Give the checklist as it is painted; empty where none is."""
    if not app.screen.query("#checklist"):
        return ""
    part = app.screen.query_one("#checklist", Static)
    painted = part.content
    assert isinstance(painted, Table | str)
    lines = app.console.render_lines(painted, app.console.options.update(width=150), pad=False)
    return "\n".join("".join(segment.text for segment in line) for line in lines) if part.display else ""


async def opened(app: ClusterwrightApp, pilot: Pilot[None]) -> None:
    """Act as the technician, on the activity's page."""
    await until(pilot, lambda: app.site.person is not None)
    app.site.person = "tech"
    app.open_activity(NAME)
    await until(pilot, lambda: bool(app.screen.query("#head")))
    await until(pilot, lambda: NAME in str(app.screen.query_one("#head", Static).render()))


async def test_the_page_shows_counts_and_failed_items_first(begun: Path) -> None:
    with Ledger.open(begun) as ledger:
        check(ledger, "tech", NAME, [good("pod-001-n01", serial="SN1")])
        check(ledger, "tech", NAME, [ItemEntry("pod-001-n02", readings=bond("0.3"), note="[bold]paint[/]")])
    app = ClusterwrightApp(begun)
    async with app.run_test(size=SIZE) as pilot:
        await opened(app, pilot)
        lines = page(app).splitlines()

        assert lines[0].startswith("Checklist: 1 of 3 servers passed, 1 failed, 1 open")
        assert [
            word in lines[2] for word in ("✘ failed NCR-0001", "pod-001-n02", "bond 0.3 ohm", "[bold]paint[/]")
        ] == [True] * 4
        assert [word in lines[3] for word in ("✔ passed", "pod-001-n01", "bond 0.05 ohm", "SN1")] == [True] * 4


async def test_without_an_entry_the_page_has_no_checklist(begun: Path) -> None:
    app = ClusterwrightApp(begun)
    async with app.run_test(size=SIZE) as pilot:
        await opened(app, pilot)

        assert page(app) == ""


async def test_a_long_checklist_is_cut_and_says_so(begun: Path) -> None:
    from ledger.decisions.plan import adopt_plan
    from tests.ledger.checklists import plan_with_items

    with Ledger.open(begun) as ledger:
        people = {"people": plan_with_items().people}
        adopt_plan(ledger, "pm", plan_with_items(items=200).model_copy(update=people), reason="more")
        check(ledger, "tech", NAME, [good(f"P{n}") for n in range(ITEMS + 5)])
    app = ClusterwrightApp(begun)
    app.site.person = "tech"
    async with app.run_test(size=SIZE) as pilot:
        app.open_activity(NAME)
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen) and "Checklist" in page(app))

        assert "and 5 more" in page(app)


async def test_an_item_is_checked_by_keys(begun: Path) -> None:
    app = ClusterwrightApp(begun)
    async with app.run_test(size=SIZE) as pilot:
        await opened(app, pilot)
        await pilot.press("k")
        await until(pilot, lambda: bool(app.screen.query("#passed")))
        await pilot.press(*"POD-001-N03", "tab", "space", "tab")
        await pilot.press(*"bond=0.05", "tab", *"SN7", "tab", *"dent")
        assert not app.screen.query_one("#passed", Checkbox).value
        await pilot.press("enter")
        await until(pilot, lambda: "1 failed" in page(app))

        with open_snapshot(begun) as reader:
            (entry,) = checked_items(reader, require_activity(reader, NAME))
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
        await opened(app, pilot)
        await pilot.press("k")
        await until(pilot, lambda: bool(app.screen.query("#passed")))
        await pilot.press(*"pod-001-n01", "escape")
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))
        await pilot.press("k")
        await until(pilot, lambda: bool(app.screen.query("#passed")))
        app.screen.query_one("#item", Input).value = "pod-001-n9"
        await pilot.press("enter")
        await until(pilot, lambda: any("none of the 3 servers" in n.title for n in app._notifications))

        with open_snapshot(begun) as reader:
            assert checked_items(reader, require_activity(reader, NAME)) == []


async def test_a_reading_that_is_no_number_is_refused(begun: Path) -> None:
    app = ClusterwrightApp(begun)
    async with app.run_test(size=SIZE) as pilot:
        await opened(app, pilot)
        await pilot.press("k")
        await until(pilot, lambda: bool(app.screen.query("#passed")))
        app.screen.query_one("#item", Input).value = "pod-001-n01"
        app.screen.query_one("#readings", Input).value = "bond=NaN"
        await pilot.press("enter")
        await until(pilot, lambda: any("none that an instrument shows" in n.title for n in app._notifications))

        with open_snapshot(begun) as snapshot:
            assert checked_items(snapshot, require_activity(snapshot, NAME)) == []
