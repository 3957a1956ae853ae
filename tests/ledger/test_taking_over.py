"""A revision whose release moved a step to the site, and an order under another name, on a signed site."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from ledger.log.chain import Draft
from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.questions.orders import require_order
from ledger.reading import open_snapshot
from ledger.revising import taken_over_by
from ledger.rules.activity import State
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.plan.payloads import PlanAdopted
from ledger.subjects.work.decisions import comment, reopen
from ledger.trust.audit import audit
from ledger.trust.subject import refuse_forged
from ledger.writing import Ledger
from schedule.errors import UnreachableError
from steps.catalog.moved import Moved
from steps.planning.plan import Plan
from tests.ledger.forging import every_state, every_state_plan
from tests.ledger.journey import racked

pytestmark = pytest.mark.own_file

MOVED = Moved(widened=("010",), bought={"302#gpu-rack": ("001#gpu-server",)})
RACKS = "302@site#gpu-rack"
SECOND = "001@site#gpu-server/2"


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
