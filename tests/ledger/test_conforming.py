"""Non-conformances: who decides what is done about them, and what an open one holds back."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ledger.entries import RunOutcome
from ledger.questions.ncrs import ncrs, punch
from ledger.questions.why import why
from ledger.subjects.ncr.decisions import assign_ncr, close_ncr, disposition_ncr
from ledger.subjects.orders.delivery_decisions import check_manifest, receive_manifest
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import settle
from ledger.subjects.runs.request_decisions import request_retry
from ledger.subjects.sign_off.decisions import break_glass, reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from tests.ledger.conftest import Clock, Look, StateOf, activity, link, small_plan
from tests.ledger.journey import GOOD, bought, passed, racked, take, verified
from tests.ledger.test_receiving import FIRST, papers

DUE = date(2026, 3, 1)


def of_class(ncr_class: str, *names: str) -> Any:
    """Return the plan with activities whose non-conformances are of a class."""
    activities = [
        a | ({"ncr_class": ncr_class} if a["id"] in names else {}) for a in small_plan().model_dump()["activities"]
    ]
    return small_plan(activities=activities)


@pytest.fixture
def rejected(ledger: Ledger) -> Ledger:
    """Return a ledger in which class A work was rejected and is finished again."""
    adopt_plan(ledger, "pm", of_class("A", "001@site", "030@pod-001"), reason="classes")
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    reject(ledger, "lead", "001@site", "no second quote")
    finish(ledger, "tech", "001@site")
    return ledger


def test_class_a_holds_its_activity_until_it_is_decided_and_closed(rejected: Ledger, state: StateOf) -> None:
    """Neither a signature nor broken glass passes it; the audit finds the record in order."""
    with pytest.raises(NotSatisfiedError, match="class A non-conformances are open: NCR-0001"):
        sign(rejected, "lead", "001@site")
    with pytest.raises(NotSatisfiedError, match="class A non-conformances are open"):
        break_glass(rejected, "pm", "001@site", "hurry")
    with pytest.raises(NotSatisfiedError, match="its disposition is decided first"):
        close_ncr(rejected, "lead", "NCR-0001", "rework")
    disposition_ncr(rejected, "tech", "NCR-0001", "rework", owner="tech", due=DUE)
    with pytest.raises(NotSatisfiedError, match="class A"):
        sign(rejected, "lead", "001@site")

    close_ncr(rejected, "lead", "NCR-0001")
    sign(rejected, "lead", "001@site")

    assert state("001@site") == "done"
    assert audit(rejected.site_dir) == []


def test_use_as_is_wants_a_waiver_or_the_role_that_gives_one(rejected: Ledger) -> None:
    """The crew may decide to do it over, not to leave it."""
    with pytest.raises(NotSatisfiedError, match="may not accept NCR-0001 as it is"):
        disposition_ncr(rejected, "tech", "NCR-0001", "use-as-is", reason="good enough")
    with pytest.raises(InputError, match="needs a reason"):
        disposition_ncr(rejected, "lead", "NCR-0001", "use-as-is")
    disposition_ncr(rejected, "lead", "NCR-0001", "use-as-is", reason="good enough")
    with pytest.raises(InputError, match="is no disposition"):
        disposition_ncr(rejected, "lead", "NCR-0001", "shrug")


def test_a_non_conformance_is_assigned_to_a_person_who_makes_it_good(rejected: Ledger, look: Look) -> None:
    """Assigning decides nothing, keeps the day where none is named, and is refused for strangers and once it is closed."""
    assign_ncr(rejected, "tech", "NCR-0001", "tech", DUE)
    assign_ncr(rejected, "lead", "NCR-0001", "lead")

    (row,) = punch(look(), date(2026, 3, 2))
    assert (row.owner, row.due, row.overdue) == ("lead", DUE, True)
    assert ncrs(look())[0].decided == ""
    with pytest.raises(InputError, match="nobody"):
        assign_ncr(rejected, "lead", "NCR-0001", "nobody")
    disposition_ncr(rejected, "lead", "NCR-0001", "rework")
    assert ncrs(look())[0].owner == "lead"
    close_ncr(rejected, "lead", "NCR-0001")
    with pytest.raises(NotSatisfiedError, match="is closed"):
        assign_ncr(rejected, "lead", "NCR-0001", "tech")
    assert audit(rejected.site_dir) == []


def test_class_b_stays_open_with_an_owner_and_a_day(ledger: Ledger, look: Look, state: StateOf) -> None:
    """It is on the punch list until it is closed, and overdue after its day."""
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    reject(ledger, "lead", "001@site", "scratched")
    disposition_ncr(ledger, "lead", "NCR-0001", "repair", owner="tech", due=DUE)
    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")

    assert state("001@site") == "done"
    (row,) = punch(look(), date(2026, 3, 2))
    assert (row.id, row.ncr_class, row.trade, row.owner, row.due, row.overdue) == (
        "NCR-0001",
        "B",
        "technician",
        "tech",
        DUE,
        True,
    )
    assert not punch(look(), DUE)[0].overdue
    assert ncrs(look())[0].inspections == 1
    close_ncr(ledger, "lead", "NCR-0001")
    assert punch(look(), DUE) == []


def test_a_good_run_waits_for_a_person_while_class_a_is_open(
    ledger: Ledger, clock: Clock, state: StateOf, look: Look
) -> None:
    """Software does not answer a class A by itself; the run counts as another inspection."""
    name = "030@pod-001"
    adopt_plan(ledger, "pm", of_class("A", name), reason="classes")
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    assert take(ledger, name)
    settle(ledger, "engine-1", name, RunOutcome("failed", summary="no light"))
    request_retry(ledger, "lead", name)
    assert take(ledger, name)
    settle(ledger, "engine-1", name, RunOutcome("ok", measurements=GOOD))

    assert state(name) == "awaiting_sign_off"
    assert ncrs(look(), name=name)[0].inspections == 1
    with pytest.raises(NotSatisfiedError, match="class A"):
        sign(ledger, "lead", name)


def test_class_a_holds_the_gates_that_it_stands_before(
    ledger: Ledger, look: Look, clock: Clock, tmp_path: Path
) -> None:
    """A delivery with a class A fault: what comes after it passes no gate above it; a pod's own hold point does."""
    adopt_plan(ledger, "pm", with_gates(), reason="gates")
    bought(ledger)
    manifest, scan = papers(tmp_path, ["A", "B"], ["A", "STRANGE"])
    seen = tuple(map(str, check_manifest(ledger, "pm", FIRST, manifest, scan).differences))
    receive_manifest(ledger, "pm", FIRST, manifest, scan, accept=seen)
    sign(ledger, "sponsor", "190@site")
    racked(ledger)
    passed(ledger, clock)

    with pytest.raises(NotSatisfiedError, match=r"191@site cannot pass: .*: NCR-0001 of 001@site"):
        sign(ledger, "sponsor", "191@site")
    needs = why(look(clock.now), "191@site").needs
    assert [need for need in needs if need.startswith("NCR-0001 (class A) closed, of 001@site")]

    disposition_ncr(ledger, "lead", "NCR-0001", "return")
    close_ncr(ledger, "lead", "NCR-0001")
    sign(ledger, "sponsor", "191@site")

    assert audit(ledger.site_dir) == []


def test_go_live_waits_for_every_class_a_of_the_site(ledger: Ledger, look: Look, clock: Clock, tmp_path: Path) -> None:
    """Nothing links the second delivery's papers with it; go-live asks for the whole site all the same."""
    adopt_plan(ledger, "pm", of_class("A", "001@site"), reason="classes")
    bought(ledger)
    manifest, scan = papers(tmp_path, ["A"], ["A", "STRANGE"])
    seen = tuple(map(str, check_manifest(ledger, "pm", FIRST, manifest, scan).differences))
    receive_manifest(ledger, "pm", FIRST, manifest, scan, accept=seen)
    for pod in (1, 2):
        racked(ledger, pod)
        passed(ledger, clock, pod)
        verified(ledger, pod)

    with pytest.raises(NotSatisfiedError, match=r"195@site cannot pass: .*: NCR-0001 of 001@site"):
        sign(ledger, "sponsor", "195@site")
    assert any("NCR-0001 (class A)" in need for need in why(look(clock.now), "195@site").needs)


def with_gates() -> Any:
    """Return the plan with a gate before and one after the first pod's hold point; purchases are class A."""
    plan = of_class("A", "001@site").model_dump()
    gates = [activity(f"{step}@site", kind="gate", policy={"roles": ["sponsor"]}) for step in ("190", "191")]
    links = [*plan["links"], link("020@pod-001", "191@site"), link("191@site", "195@site")]
    return small_plan(activities=[*plan["activities"], *gates], links=links)
