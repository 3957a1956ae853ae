"""The inbox: what unblocks most first, alike items together, evidence before the decision, keys by what a row is about."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.account import machine_account
from ledger.project_time import project_now
from ledger.questions.action_items import action_items
from ledger.reading import open_snapshot
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import reject, waive
from ledger.subjects.work.decisions import finish, measure, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.subjects.work.kinds.action_items import agree_action
from ledger.writing import Ledger
from tests.ledger.conftest import Clock, begun, criterion, small_plan
from tests.ledger.journey import bought
from tests.tui.conftest import make_ready
from tests.tui.piloting import SIZE, painted, screens, see, state, type_in, until, using
from tui.acting.form import Form

PODS = ("010@pod-001", "010@pod-002")


@pytest.fixture
def racked_both(tmp_path: Path) -> Path:
    """Return a site where both pods are racked and wait for their sign-offs, one of them for the second time."""
    folder, clock = tmp_path / "site", Clock()
    folder.mkdir()
    (folder / "site.yaml").write_text("name: Small\n", encoding="utf-8")
    plan, account = small_plan(), {"account": machine_account()}
    people = tuple(person.model_copy(update=account) for person in plan.people)
    with begun(folder, clock) as ledger:
        adopt_plan(ledger, "pm", plan.model_copy(update={"people": people}), reason="first plan")
        bought(ledger)
        for number, name in enumerate(PODS, start=1):
            receive(ledger, "pm", f"001@site#gpu-server/{number}")
            start(ledger, "tech", name)
            attach(ledger, "tech", name, b"a photo", "photo", name="rack.jpg")
            finish(ledger, "tech", name)
        reject(ledger, "lead", PODS[0], "a crooked rail")
        attach(ledger, "tech", PODS[0], b"another photo", "photo", name="straight.jpg")
        finish(ledger, "tech", PODS[0])
    return folder


async def test_alike_items_are_marked_together_and_decided_at_once(racked_both: Path) -> None:
    async with using(racked_both, "lead2", "3", *PODS, "1/1", "NCR-0001") as (app, pilot):
        await pilot.press("down", "equals_sign")
        await see(pilot, "3, 2 marked")
        await pilot.press("s")
        await see(pilot, f"$ clusterwright sign {PODS[0]} {PODS[1]}")
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, Form))
        assert {state(racked_both, name) for name in PODS} == {"done"}
        await until(pilot, lambda: "✎ sign" not in painted(app))


async def test_evidence_and_what_came_before_are_shown_beside_the_row(racked_both: Path) -> None:
    async with using(racked_both, "lead2", "3", *PODS) as (app, pilot):
        await pilot.press("slash")
        await type_in(pilot, "sign pod-001")
        await pilot.press("enter")
        await see(pilot, "✔ photo", "straight.jpg", "✘ NCR-0001", "done by  tech")
        assert "rack.jpg" not in painted(app)


async def test_what_was_waived_has_no_tick_and_comes_before_what_is_met(tmp_path: Path) -> None:
    """Who signs would take it for met."""
    folder, clock, name = tmp_path / "site", Clock(), "001@site"
    folder.mkdir()
    (folder / "site.yaml").write_text("name: Small\n", encoding="utf-8")
    asked = {"criteria": [criterion("torque", "<=", Decimal(9), "N"), criterion("bond", "<=", Decimal(1), "ohm")]}
    plan, account = small_plan(), {"account": machine_account()}
    people = [person.model_dump() | account for person in plan.people]
    activities = [a | (asked if a["id"] == name else {}) for a in plan.model_dump()["activities"]]
    with begun(folder, clock) as ledger:
        adopt_plan(ledger, "pm", small_plan(people=people, activities=activities), reason="first plan")
        start(ledger, "tech", name)
        measure(ledger, "tech", name, "torque", Decimal(5), "N", source="wrench")
        waive(ledger, "lead", name, "bond", "no meter", date(2099, 1, 1))
        finish(ledger, "tech", name)

    async with using(folder, "lead2", "3", name) as (app, pilot):
        await see(pilot, "≈ bond <= 1 ohm: waived", "✔ torque <= 9 N: met")
        assert painted(app).index("≈ bond") < painted(app).index("✔ torque")


async def test_the_keys_are_those_of_what_the_row_is_about(racked_both: Path) -> None:
    async with using(racked_both, "lead", "3", "NCR-0001") as (app, pilot):
        await pilot.press("slash", *"NCR", "enter")
        await see(pilot, "d Decide")
        assert "s Sign" not in painted(app)
        await pilot.press("s")
        assert not isinstance(app.screen, Form)
        await pilot.press("d")
        await see(pilot, "$ clusterwright ncr disposition", "NCR-0001")


async def test_a_narrow_screen_has_the_list_alone(racked_both: Path) -> None:
    async with using(racked_both, "lead2", "3", *PODS, size=(80, 24)) as (app, pilot):
        await pilot.pause(0.3)
        assert "straight.jpg" not in painted(app)
        assert "unblocks" in painted(app)


async def test_another_person_is_chosen_with_the_arrows(racked_both: Path) -> None:
    async with using(racked_both) as (_, pilot):
        await see(pilot, "acting as pm")
        await pilot.press("at", "down", "down", "enter")
        await see(pilot, "acting as lead", "3 for lead")


async def test_somebody_for_whom_nothing_waits_is_told_what_to_do_next(racked_both: Path) -> None:
    async with using(racked_both, "guest", "3", "nothing waits for you; 2 shows every step"):
        pass


async def test_an_action_item_waits_for_its_owner_and_is_closed_there(racked_both: Path) -> None:
    with Ledger.open(racked_both) as ledger:
        agree_action(ledger, "pm", "ask the crane firm", "sponsor", project_now().date() + timedelta(days=9))

    async with using(
        racked_both, "sponsor", "3", "● do as agreed", "A-0001", "ask the crane firm (by ", "agreed by pm"
    ) as (_, pilot):
        await pilot.press("slash", *"crane", "enter", "enter")  # it belongs to no activity, so that no page opens
        await pilot.press("f")
        await see(pilot, "$ clusterwright action close A-0001")
        await pilot.press("enter")
        await see(pilot, "nothing matches 'crane'")
    with open_snapshot(racked_both) as snapshot:
        assert [one.closed_by for one in action_items(snapshot, open_only=False)] == ["sponsor"]


async def test_what_was_decided_about_is_marked_no_more(racked_both: Path) -> None:
    """It still waits after a comment. The next decision is about the row under the cursor."""
    async with using(racked_both, "lead2", "3", *PODS) as (app, pilot):
        await pilot.press("slash", *"sign", "enter", "space")
        await see(pilot, "1 marked")
        await pilot.press("c")
        await see(pilot, "$ clusterwright comment")
        await type_in(pilot, "seen")
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, Form) and "marked" not in painted(app))


async def test_who_is_no_person_of_the_site_is_told_how_to_be_one(tmp_path: Path) -> None:
    make_ready(tmp_path, Clock(), "somebody else")
    app = screens(tmp_path)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await see(pilot, "acting as nobody", "MINE  you are no person of this site; @ says why")
        await pilot.press("3")
        await until(pilot, lambda: "\nyou are no person of this site; @ says why" in painted(app))
        await pilot.press("at")
        await see(pilot, "site.yaml")
