"""A revision whose release moved a step to the site, and an order under another name, on a signed site."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ledger.log.chain import Draft
from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.questions.orders import require_order
from ledger.reading import open_snapshot
from ledger.revising import taken_over_by
from ledger.rules.activity import State
from ledger.rules.rows import OrderRow, TrancheRow
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.plan.payloads import PlanAdopted
from ledger.subjects.plan.taking_over_rules import TakenOver, taken_over
from ledger.subjects.work.decisions import comment, reopen
from ledger.trust.audit import audit
from ledger.trust.subject import refuse_forged
from ledger.writing import Ledger
from schedule.errors import UnreachableError
from steps.catalog.moved import Moved
from steps.planning.plan import Plan
from tests.ledger.conftest import T0
from tests.ledger.forging import every_state, every_state_plan
from tests.ledger.journey import racked
from tests.ledger.test_rule_bounds import delivery, of, order

pytestmark = pytest.mark.own_file

MOVED = Moved(widened=("010",), bought={"302#gpu-rack": ("001#gpu-server",)})
RACKS = "302@site#gpu-rack"
SERVERS = "001@site#gpu-server"
SECOND = f"{SERVERS}/2"


def wider() -> Plan:
    """Return the plan with one 010 at the site, and racks that another step orders where servers were ordered."""
    plan = every_state_plan(signed=True)
    first = next(a for a in plan.activities if a.id == "010@pod-001")
    others = tuple(a for a in plan.activities if a.step != "010")
    (order,) = plan.orders
    tranches = tuple(t.model_copy(update={"id": t.id.replace("001@site#gpu-server", RACKS)}) for t in order.tranches)
    racks = order.model_copy(update={"id": RACKS, "step": "302", "item": "gpu-rack", "tranches": tranches})
    activities = (*others, replace(first, id="010@site", unit="site"))
    links = tuple(link for link in plan.links if not link.after.startswith("001@site#"))
    return plan.model_copy(update={"activities": activities, "orders": (racks,), "links": links, "moved": MOVED})


@pytest.fixture
def signed(tmp_path: Path) -> Iterator[Ledger]:
    """Return a signed site whose first pod is racked."""
    site = tmp_path / "signed"
    site.mkdir()
    with every_state(site, project_now, signed=True) as ledger:
        racked(ledger)
        yield ledger


def adopted(ledger: Ledger) -> PlanAdopted:
    """Adopt the wider plan and return what the event says."""
    payload = adopt_plan(ledger, "pm", wider(), reason="a new version").payload
    assert isinstance(payload, PlanAdopted)
    return payload


def test_what_takes_the_place_of_finished_work_is_in_the_signed_event(signed: Ledger) -> None:
    """It is done without an event of its own, so that the adoption names it and what it was."""
    racked(signed, 2)

    taken = {row.subject: row.was for row in adopted(signed).taken_over or ()}

    assert taken["010@site"] == ("010@pod-001", "010@pod-002")
    assert taken["302@site#gpu-rack/2"] == (SECOND,)
    with open_snapshot(signed.site_dir) as snapshot:
        assert require_activity(snapshot, "010@site").state is State.DONE
        assert require_order(snapshot, "302@site#gpu-rack").state == "received"
    assert audit(signed.site_dir) == []


def test_decisions_go_on_about_what_was_taken_over(signed: Ledger) -> None:
    """Its state is worked out from the adoption, also under the revision after it and once what comes before it is opened."""
    racked(signed, 2)
    adopted(signed)
    adopt_plan(signed, "pm", wider(), reason="again")
    reopen(signed, "pm", "001@site", "other racks")

    comment(signed, "tech", "010@site", "still there")

    with open_snapshot(signed.site_dir) as snapshot:
        for name in ("010@site", "001@site", "302@site#gpu-rack", "302@site#gpu-rack/2", "195@site"):
            refuse_forged(snapshot, name)
    assert audit(signed.site_dir) == []


def test_what_is_done_in_part_is_named(signed: Ledger) -> None:
    """One of two pods is racked, and one of two deliveries is here: the order is placed, and the rest is to do."""
    with open_snapshot(signed.site_dir) as snapshot:
        found = taken_over_by(snapshot, wider())

    adopted(signed)

    assert [(one.subject, one.why) for one in found.left] == [
        ("010@site", "1 of 2 are done; finish it when the rest is")
    ]
    with open_snapshot(signed.site_dir) as snapshot:
        assert require_activity(snapshot, "010@site").state is not State.DONE
        assert require_order(snapshot, "302@site#gpu-rack").state == "part received"


CABLES = "001@site#cable"
TWO = Moved(widened=("010",), bought={"302#gpu-rack": ("001#gpu-server", "001#cable")})
FIRST, LAST = T0, T0 + timedelta(days=3)


@pytest.fixture(scope="module")
def plans() -> tuple[Plan, Plan]:
    """Return the plan in force, and one that orders racks in the place of servers and cables."""
    return every_state_plan(signed=True), wider().model_copy(update={"moved": TWO})


def bought(item: str = "gpu-server", quantity: int = 32, at: datetime | None = FIRST, **given: Any) -> OrderRow:
    row = {"id": f"001@site#{item}", "step": "001", "unit": "site", "item": item, "unit_of_measure": "server"}
    return order(**row | {"quantity": Decimal(quantity), "ordered": Decimal(quantity), "placed_at": at} | given)


def came(number: int, at: datetime | None, unit: str = "pod-001") -> TrancheRow:
    return delivery(id=f"o/{number}", units=(unit,), received_at=at)


def in_words(found: TakenOver) -> list[tuple[object, ...]]:
    taken = [(one.subject, *one.was, one.started, one.finished, one.by) for one in found.taken]
    return [*taken, *((one.subject, *one.was, one.why) for one in found.left)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([bought()], [(RACKS, SERVERS, FIRST, FIRST, "")]),
        ([bought(at=None)], []),
        ([bought(quantity=31)], [(RACKS, SERVERS, "1 server fewer were ordered than are needed; order the rest here")]),
        ([bought(quantity=1, unit_of_measure="pallet")], [(RACKS, SERVERS, FIRST, FIRST, "")]),
        ([bought(step="002")], []),
        (
            [bought(quantity=30), bought("cable", 2, None)],
            [(RACKS, SERVERS, CABLES, "1 of 2 orders are placed; order the rest here")],
        ),
        ([bought(quantity=30), bought("cable", 2, LAST)], [(RACKS, SERVERS, CABLES, FIRST, LAST, "")]),
        (
            [bought(tranches=(came(1, FIRST), came(2, LAST), came(3, None, "pod-002")))],
            [(RACKS, SERVERS, FIRST, FIRST, ""), (f"{RACKS}/1", "o/1", "o/2", FIRST, LAST, "")],
        ),
        (
            [bought(tranches=(came(1, FIRST), came(2, None)))],
            [
                (RACKS, SERVERS, FIRST, FIRST, ""),
                (f"{RACKS}/1", "o/1", "o/2", "1 of 2 deliveries are here; receive it with the rest"),
            ],
        ),
    ],
)
def test_an_order_takes_the_place_of_what_was_bought_in_full(
    plans: tuple[Plan, Plan], rows: list[OrderRow], expected: list[tuple[object, ...]]
) -> None:
    assert in_words(taken_over(*plans, {}, {row.id: row for row in rows})) == expected


@pytest.mark.parametrize(
    ("before", "after", "of_release", "is_taken"),
    [
        ({"mw": 1}, {"mw": 1}, (), True),
        ({"mw": 1}, {"mw": 2}, (), False),
        ({"mw": 2}, {"mw": 1}, (), False),
        ({"mw": 1}, {"mw": 2}, ("mw",), True),
        ({"mw": 1}, {"kw": 2}, (), True),
    ],
)
def test_where_the_site_changed_its_own_figures_nothing_is_taken_over(
    plans: tuple[Plan, Plan],
    before: dict[str, int],
    after: dict[str, int],
    of_release: tuple[str, ...],
    *,
    is_taken: bool,
) -> None:
    """What the release changed, and a figure that only one plan has, make no difference."""
    old, new = plans
    moved = TWO.model_copy(update={"figures": of_release})
    changed = new.model_copy(update={"figures": after, "moved": moved})

    found = taken_over(old.model_copy(update={"figures": before}), changed, {}, {SERVERS: bought()})

    assert bool(found.taken) is is_taken


def worked(state: State, at: datetime = LAST, *, stale: bool = False, started: datetime | None = FIRST) -> Any:
    return of(state=state, stale=stale, started_at=started, finished_at=at, done_at=at, performers=("tech",))


PODS = ("010@pod-001", "010@pod-002")
DONE, IN_PART = worked(State.DONE), "1 of 2 are done; finish it when the rest is"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((DONE, DONE), [("010@site", *PODS, FIRST, LAST, "tech")]),
        ((DONE, worked(State.NOT_APPLICABLE)), [("010@site", *PODS, FIRST, LAST, "tech")]),
        ((worked(State.DONE, started=None), worked(State.NOT_APPLICABLE)), [("010@site", *PODS, LAST, LAST, "tech")]),
        ((DONE, worked(State.OPEN)), [("010@site", *PODS, IN_PART)]),
        ((DONE, worked(State.DONE, stale=True)), [("010@site", *PODS, IN_PART)]),
        ((worked(State.NOT_APPLICABLE), worked(State.NOT_APPLICABLE)), []),
        ((DONE, DONE, worked(State.OPEN)), [("010@site", *PODS, FIRST, LAST, "tech")]),
        ((DONE, DONE, worked(State.IN_PROGRESS)), []),
    ],
)
def test_work_takes_the_place_of_what_was_all_done(
    plans: tuple[Plan, Plan], rows: tuple[Any, ...], expected: list[tuple[object, ...]]
) -> None:
    """A person may have decided that a part does not apply. The third row is of the wider work itself."""
    standing = dict(zip((*PODS, "010@site"), rows, strict=False))

    assert in_words(taken_over(*plans, standing, {})) == expected


def test_nobody_has_forged_work_taken_over(signed: Ledger) -> None:
    """Or a row that somebody wrote would be in an event that the owner signs."""
    with closing(sqlite3.connect(signed.site_dir / "ledger.db")) as db, db:
        db.execute(
            "UPDATE activity SET state = 'done', done_at = '2026-01-05T00:00:00.000000Z' WHERE id = '010@pod-002'"
        )

    with pytest.raises(UnreachableError, match="010@pod-002 says state"):
        adopted(signed)


def test_an_adoption_that_takes_over_more_than_was_done_is_found(signed: Ledger) -> None:
    """What it takes over follows from the record and the plan, as what it opens again does."""
    payload = adopted(signed)
    again = payload.model_copy(update={"revision": 3, "statement": None})

    signed.append(Draft("pm", again, "plan/3", project_now()))

    found = " ".join(map(str, audit(signed.site_dir)))
    assert "says taken_over" in found
