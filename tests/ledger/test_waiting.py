"""What waits for a person, by what it unblocks, and what counts as unblocked."""

from __future__ import annotations

from decimal import Decimal

from ledger.questions.open_links import OpenLinks
from ledger.questions.waiting import waiting
from ledger.subjects.ncr.decisions import assign_ncr, disposition_ncr
from ledger.subjects.orders.change_decisions import ask_change
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.work.decisions import finish, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.writing import Ledger
from tests.ledger.conftest import T0, Clock, Look, small_plan
from tests.ledger.journey import bought, passed, racked


def test_what_waits_for_nothing_else_is_unblocked_with_all_that_follows(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    """The purchase is the root of both pods and of go-live, through its order and its deliveries, which are not counted."""
    links = OpenLinks(look(clock.now))

    both_pods, one_pod = 2 * 5 + 1, 5
    assert links.unblocks("001@site") == links.unblocks("001@site#gpu-server") == both_pods
    assert links.unblocks("001@site#gpu-server/1") == one_pod


def test_what_waits_for_something_else_too_counts_only_where_it_comes_directly_after(
    ready: Ledger, look: Look, clock: Clock
) -> None:
    """Go-live comes directly after a release, so it counts although the other pod holds it up too."""
    links = OpenLinks(look(clock.now))

    assert links.unblocks("040@pod-001") == 1
    assert links.unblocks("010@pod-002") == 4


def test_an_expired_hold_point_blocks_again(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Its links were satisfied once, and what comes after it may not start until it is signed again."""
    plan = small_plan().model_dump()
    for one in plan["activities"]:
        if one["step"] == "020":
            one["policy"]["valid_days"] = 40
    adopt_plan(ledger, "pm", small_plan(activities=plan["activities"]), reason="approvals for 40 days")
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    assert OpenLinks(look(clock.now)).unblocks("020@pod-001") == 0

    clock.forward(41 * 24)

    assert OpenLinks(look(clock.now)).unblocks("020@pod-001") == 3


def test_everything_waits_in_the_end_for_what_is_not_blocked(ready: Ledger, look: Look, clock: Clock) -> None:
    """Through the hold point of the second pod its software waits for the delivery."""
    roots = OpenLinks(look(clock.now)).roots({})

    assert roots["040@pod-002"] == "001@site#gpu-server/2"
    assert "010@pod-001" not in roots


def test_what_unblocks_most_comes_first(ready: Ledger, look: Look, clock: Clock) -> None:
    """A sign-off that has waited for less time is before a release if more comes after it."""
    clock.forward(5)
    receive(ready, "pm", "001@site#gpu-server/2")
    start(ready, "tech", "010@pod-002")
    attach(ready, "tech", "010@pod-002", b"a photo", "photo", name="rack.jpg")
    finish(ready, "tech", "010@pod-002")

    rows = waiting(look(clock.now), "lead")

    assert [(row.action, row.subject, row.unblocks) for row in rows] == [
        ("sign", "010@pod-002", 4),
        ("release", "040@pod-001", 1),
    ]
    assert (rows[0].needed, rows[0].missing) == (1, ())


def test_a_rejection_waits_for_whoever_decides_on_it_and_then_for_its_owner(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    """The row is about the non-conformance, since that is what the commands are about."""
    bought(ledger)
    receive(ledger, "pm", "001@site#gpu-server/1")
    start(ledger, "tech", "010@pod-001")
    attach(ledger, "tech", "010@pod-001", b"a photo", "photo", name="rack.jpg")
    finish(ledger, "tech", "010@pod-001")
    reject(ledger, "lead", "010@pod-001", "a crooked rail")

    (row,) = [row for row in waiting(look(clock.now), "lead") if row.kind == "ncr"]
    assert (row.action, row.subject, row.activity) == ("ncr", "NCR-0001", "010@pod-001")
    assert "a crooked rail" in row.title

    disposition_ncr(ledger, "lead", "NCR-0001", "rework")
    assign_ncr(ledger, "lead", "NCR-0001", owner="guest", due=T0.date())
    assert not [row for row in waiting(look(clock.now), "lead") if row.kind == "ncr"]
    (row,) = waiting(look(clock.now), "guest")
    assert (row.action, row.subject) == ("close", "NCR-0001")


def test_a_change_order_has_its_own_id(ledger: Ledger, look: Look, clock: Clock) -> None:
    """It is decided by its id; what it unblocks is what the order does."""
    people = small_plan().model_dump()["people"]
    for one in people:
        one["roles"] = [*one["roles"], *(["buyer"] if one["id"] == "tech" else [])]
    adopt_plan(ledger, "pm", small_plan(people=people), reason="a buyer")
    bought(ledger)
    ask_change(ledger, "tech", "001@site#gpu-server/1", reason="two spare", quantity=Decimal(18))

    (row,) = [row for row in waiting(look(clock.now), "pm") if row.kind == "change"]

    assert (row.subject, row.activity, row.title) == ("CO-0001", "001@site#gpu-server/1", "two spare")
