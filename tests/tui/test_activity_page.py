"""The page of an activity: what a signer reads, where Enter and `w` lead, what `z` takes back, and what is said before work begins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from ledger.entries import ItemEntry, ItemResult, RunOutcome
from ledger.project_time import project_now
from ledger.subjects.checklists.decisions import check
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.people.decisions import delegate
from ledger.subjects.runs.decisions import record_preview, release, settle
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.work.decisions import comment, finish, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.subjects.work.payloads import Attached
from ledger.writing import Ledger
from steps.acceptance.measured import Measured
from tests.conftest import last_event
from tests.ledger.checklists import NAME as CHECKED
from tests.ledger.checklists import begun_site, bond, good
from tests.ledger.journey import GOOD, take
from tests.tui.piloting import TALL, User, open_page, painted, screens, see, state, type_in, until, using
from tui.acting.form import Form
from tui.app import ClusterwrightApp
from tui.screens import activity_state
from tui.screens.activity import ActivityScreen
from tui.screens.evidence import EvidenceScreen, shown_file
from tui.screens.page import PageScreen
from tui.screens.page_lines import PageRow
from tui.screens.run_page import RunScreen

RUN, CHANGE, RACKING, DELIVERY = "030@pod-001", "040@pod-001", "010@pod-002", "001@site#gpu-server/2"


@pytest.fixture
def delivered(ready: Path) -> Path:
    """Return the site with the servers of the second pod, which are racked next."""
    with Ledger.open(ready) as ledger:
        receive(ledger, "pm", DELIVERY)
    return ready


def attached(ledger: Ledger, content: bytes, name: str) -> str:
    """Attach a file to the change as evidence. Return its digest."""
    event = attach(ledger, "tech", CHANGE, content, "record", name=name)
    assert isinstance(event.payload, Attached)
    return event.payload.digest


async def choose(app: ClusterwrightApp, pilot: User, true: Callable[[PageRow], bool]) -> None:
    """Press Enter on the first line of the page of which something is so."""
    assert isinstance(app.screen, PageScreen)
    grid = app.screen.grid
    grid.action_to(next(n for n, row in enumerate(grid.view.lines) if isinstance(row, PageRow) and true(row)))
    await pilot.press("enter")


async def test_the_chain_of_what_it_waits_for_ends_at_what_can_be_done_now_and_keys_go_along_it(ready: Path) -> None:
    async with using(ready, "lead", size=TALL) as (app, pilot):
        await open_page(app, pilot, "030@pod-002")
        shown = painted(app)
        chain = [
            line for line in shown.splitlines() if (line.startswith("  → ") and "pod-002" in line) or DELIVERY in line
        ]
        assert [name in " ".join(chain) for name in ("020@pod-002", RACKING, DELIVERY)] == [True, True, True]
        assert f"so first: {DELIVERY} needs to be received" in shown

        await pilot.press("w")
        await see(pilot, "020@pod-002  ")
        await pilot.press("w")
        await see(pilot, f"{RACKING}  ")
        await pilot.press("escape", "escape")
        await see(pilot, "030@pod-002  ")


async def test_enter_on_a_predecessor_opens_it(ready: Path) -> None:
    async with using(ready, "lead", size=TALL) as (app, pilot):
        await open_page(app, pilot, "030@pod-002")
        await pilot.press("slash", *"Before", "escape")
        await choose(app, pilot, lambda row: row.section == "Before it")
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen) and app.screen.activity == "020@pod-002")


async def test_the_page_says_who_may_sign_and_who_is_shut_out_and_why(delivered: Path) -> None:
    with Ledger.open(delivered) as ledger:
        start(ledger, "lead", RACKING)
        now = project_now()
        lent = {"since": now, "until": now + timedelta(days=9)}
        delegate(ledger, "lead2", "guest", "network-lead", **lent, reason="leave")
    async with using(delivered, "guest", size=TALL) as (app, pilot):
        await open_page(app, pilot, RACKING)
        lines = painted(app).splitlines()

        def of(name: str) -> str:
            return next(
                line for line in lines if (name in line and "sign" in line) or (name in line and "may not" in line)
            )

        assert "✔ may sign" in of("Leo Zwei")
        assert "lent by lead2" in of("Gus (you)")
        assert "✘ may not" in of("Lena Ad")
        assert f"lead did the work of {RACKING}" in of("Lena Ad")


@pytest.mark.parametrize(("key", "activity"), [("b", RACKING), ("m", RUN)])
async def test_who_would_lose_the_right_to_approve_reads_so_in_the_form(
    delivered: Path, key: str, activity: str
) -> None:
    if activity == RUN:
        left_unread(delivered, "link.up")
    before = last_event(delivered)
    async with using(delivered, "lead") as (app, pilot):
        await open_page(app, pilot, activity)
        await pilot.press(key)
        await see(pilot, f"once this is recorded, lead cannot approve {activity}", "these can: lead2")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, Form))
        assert last_event(delivered) == before, "Esc records nothing"


async def test_who_could_not_approve_it_anyway_is_not_warned(delivered: Path) -> None:
    async with using(delivered, "tech") as (app, pilot):
        await open_page(app, pilot, RACKING)
        await pilot.press("b")
        await see(pilot, "$ clusterwright start")
        await pilot.pause(0.5)
        assert "cannot approve" not in painted(app)


async def test_an_entry_is_taken_back_from_the_page(delivered: Path) -> None:
    with Ledger.open(delivered) as ledger:
        start(ledger, "tech", RACKING)
    number = last_event(delivered)
    async with using(delivered, "tech", size=TALL) as (app, pilot):
        await open_page(app, pilot, RACKING)
        await pilot.press("z")
        await see(pilot, f"$ clusterwright correct {number}", f"! event {number} ", "tech started")
        await type_in(pilot, "wrong pod")
        await pilot.press("enter")
        await until(pilot, lambda: state(delivered, RACKING) == "ready")
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))
        await pilot.press("end", "enter", "end")
        await see(pilot, "taken back by tech")


async def test_an_entry_that_nobody_can_take_back_any_more_is_not_offered(delivered: Path) -> None:
    """The work was rejected, and nothing rests on the entries of that attempt."""
    with Ledger.open(delivered) as ledger:
        start(ledger, "tech", RACKING)
        attach(ledger, "tech", RACKING, b"a photo", "photo", name="rack.jpg")
        finish(ledger, "tech", RACKING)
    async with using(delivered, "tech", size=TALL) as (app, pilot):
        await open_page(app, pilot, RACKING)
        await pilot.press("end", "enter")
        await see(pilot, "[z takes it back]")
        with Ledger.open(delivered) as ledger:
            reject(ledger, "lead", RACKING, "a crooked rail")
        await see(pilot, "lead  rejected")
        assert "[z takes it back]" not in painted(app)
        await pilot.press("z")
        await until(pilot, lambda: any("can be taken back by you now" in one.message for one in app._notifications))


async def test_a_search_finds_what_is_in_folded_sections(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        comment(ledger, "tech", CHANGE, "[bold red]look[/] \x1b[31mhere")
    async with using(ready, "tech") as (app, pilot):
        await open_page(app, pilot, CHANGE)
        await pilot.press("comma")
        await until(pilot, lambda: "[bold red]look" not in painted(app))
        await pilot.press("slash")
        await type_in(pilot, "look")
        await see(pilot, "[bold red]look[/]")
        assert "\x1b" not in painted(app)
        await pilot.press("escape")
        await until(pilot, lambda: "[bold red]look" not in painted(app))


async def test_evidence_opens_and_what_is_missing_is_said(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        attach(ledger, "tech", CHANGE, b'{"mtu": {"n1": 9000}}', "record", name="mtu.json")
    async with using(ready, "tech", size=TALL) as (app, pilot):
        await open_page(app, pilot, CHANGE)
        await see(pilot, "mtu.json")
        await choose(app, pilot, lambda row: "mtu.json" in row.text)
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        await see(pilot, '    "n1": 9000', "SHA-256")


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("a.csv", b"rack,watts\nrack-001,4\nr2,5000\n", "rack      watts"),
        ("a.diff", b"--- a\n+++ b\n-mtu 1500\n+mtu [b]9000\n", "+mtu [b]9000"),
        ("text.txt", b"one\n\ttwo\n", "    two"),
        ("bad.json", b"{not json", "{not json"),
    ],
)
async def test_each_kind_of_file_is_shown_as_it_reads_best(ready: Path, name: str, content: bytes, shown: str) -> None:
    with Ledger.open(ready) as ledger:
        digest = attached(ledger, content, name)
    async with using(ready, "tech") as (app, pilot):
        app.push_screen(EvidenceScreen(digest))
        await see(pilot, shown)


@pytest.mark.parametrize("content", [b"%PDF-1.7 ...", b"\x89PNG\0\0"])
def test_what_is_no_text_says_how_to_open_it(content: bytes) -> None:
    lines = [line.pieces[0][0] for line in shown_file("scan", content, "/a site/evidence")]

    assert lines[1] == "open it with: xdg-open '/a site/evidence'"


async def test_evidence_that_is_gone_is_said_to_be(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        digest = attached(ledger, b"gone", "gone.txt")
    next(kept for kept in (ready / "evidence").rglob("*") if kept.is_file() and kept.read_bytes() == b"gone").unlink()
    async with using(ready, "tech") as (app, pilot):
        app.push_screen(EvidenceScreen(digest))
        await see(pilot, "it is missing", "from a backup")


async def test_a_checklist_has_failed_items_first_and_those_that_are_open(tmp_path: Path) -> None:
    site = begun_site(tmp_path / "site")
    with Ledger.open(site) as ledger:
        check(ledger, "tech", CHECKED, [good("pod-001-n01", serial="SN1")])
        check(ledger, "tech", CHECKED, [ItemEntry("pod-001-n02", readings=bond("0.3"), note="[bold]paint[/]")])
    async with using(site, "tech", size=TALL) as (app, pilot):
        await open_page(app, pilot, CHECKED)
        lines = painted(app).splitlines()
        at = next(n for n, line in enumerate(lines) if "Checklist: 1 of 3 servers passed, 1 failed, 1 open" in line)
        for number, words in (
            (1, ("✘ failed NCR-0001", "pod-001-n02", "bond 0.3 ohm", "[bold]paint[/]")),
            (2, ("✔ passed", "pod-001-n01", "bond 0.05 ohm", "SN1")),
            (3, ("· open", "pod-001-n03")),
        ):
            assert [word in lines[at + number] for word in words] == [True] * len(words)


async def test_what_check_mode_showed_is_on_the_page(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        differences = b"--- before\n+++ after\n-mtu 1500\n+mtu [bold]9000[/]\n"
        summary = "would change 1 of 2 hosts"
        record_preview(
            ledger, CHANGE, hosts=["n1", "n2"], playbook_digest="d", differences=differences, summary=summary
        )
    async with using(ready, "lead", size=TALL) as (app, pilot):
        await open_page(app, pilot, CHANGE)
        await see(pilot, "would change 1 of 2 hosts; ", "-mtu 1500", "+mtu [bold]9000[/]")


async def test_a_release_that_has_lapsed_is_asked_for_again(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        release(ledger, "lead", CHANGE, hosts=["n1", "n2"], count=2, playbook_digest="d")
    app = screens(ready, "lead")
    app.site.lapsed = lambda _: {CHANGE: "a variable was changed"}
    async with app.run_test(size=TALL) as pilot:
        await open_page(app, pilot, CHANGE)
        await see(pilot, f"needs another release: a variable was changed; clusterwright release {CHANGE}")


async def test_a_failed_run_says_why_and_its_page_opens(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        take(ledger, RUN)
        failed = ItemResult("n2", "failed", 1, "Flash the card", "item 0: it ended with 1: image is corrupt")
        settle(ledger, "engine-1", RUN, RunOutcome("failed", (ItemResult("n1", "ok", 1), failed)))
    async with using(ready, "lead", size=TALL) as (app, pilot):
        await open_page(app, pilot, RUN)
        await see(pilot, "Not done in run-0001: 1 of 2 hosts", "image is corrupt", "n2 failed")
        await choose(app, pilot, lambda row: "1 failed at" in row.text)
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await see(pilot, "1 failed at 'Flash the card'")


async def test_a_narrow_page_breaks_lines_and_loses_nothing(ready: Path) -> None:
    words = " ".join(f"word-{number}" for number in range(40))
    with Ledger.open(ready) as ledger:
        comment(ledger, "tech", CHANGE, words)
    async with using(ready, "tech", size=(80, 60)) as (app, pilot):
        await open_page(app, pilot, CHANGE)
        await see(pilot, "word-39")
        shown = " ".join(painted(app).split())
        assert words in shown


async def test_one_line_shows_a_field_of_the_step(ready: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A field that the step and the plan's part of an activity declare needs no other change in this room."""
    monkeypatch.setattr(activity_state, "STEP", (*activity_state.STEP, lambda plan: f"crew of {plan.crew_size}"))
    async with using(ready, "tech") as (app, pilot):
        await open_page(app, pilot, CHANGE)
        await see(pilot, "· crew of 1 ·")


def left_unread(site: Path, metric: str) -> None:
    """Let a run end well that could not read one metric at one item."""
    unread = Measured(metric, None, "", "pod-001-n1", note="the tool is not there")
    with Ledger.open(site) as ledger:
        assert take(ledger, RUN)
        read = tuple(reading for reading in GOOD if reading.metric != metric)
        settle(ledger, "engine-1", RUN, RunOutcome("ok", measurements=(*read, unread)))
