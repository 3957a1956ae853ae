"""A wrong entry is taken back by an event that names it, while nothing rests on it, and the record keeps both."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.entries import ItemEntry
from ledger.questions.case import require_activity
from ledger.questions.checks import checklist
from ledger.questions.entries import corrections, last_entries
from ledger.questions.ncrs import ncrs
from ledger.questions.orders import require_order, require_tranche, serials
from ledger.questions.records import comments, evidence, measurements
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import why
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.subjects.checklists.decisions import check
from ledger.subjects.corrections.decisions import correct
from ledger.subjects.orders.change_decisions import ask_change, decide_change
from ledger.subjects.orders.decisions import acknowledge, expedite, order, promise
from ledger.subjects.orders.delivery_decisions import receive, ship
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, measure, progress, reopen, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotPermittedError, NotSatisfiedError
from tests.ledger.conftest import T0, Clock, Look, activity, begun, criterion, earlier_rules, link, small_plan
from tests.ledger.journey import bought

NAME, AFTER = "301@site", "302@site"
BOUGHT, FIRST = "001@site#gpu-server", "001@site#gpu-server/1"
POD = "010@pod-001"


@pytest.fixture
def site(ledger: Ledger) -> Ledger:
    """Return the small site with measured work that nothing comes before, and work that waits for its start only."""
    criteria = [criterion("link.loss", "<=", Decimal("0.5"), "dB")]
    more = [activity(NAME, criteria=criteria, items=4, items_of="links"), activity(AFTER)]
    plan = small_plan().model_dump(mode="json")
    links = [*plan["links"], link(NAME, AFTER, type="SS")]
    adopt_plan(ledger, "pm", small_plan(activities=[*plan["activities"], *more], links=links), reason="two more")
    return ledger


def test_a_start_by_mistake_is_put_back(site: Ledger, look: Look) -> None:
    """By who started it, with a reason. It can be started again, and what waited for it waits again."""
    event = start(site, "tech", NAME)
    correct(site, "tech", event.seq, "the wrong pod")

    row = require_activity(look(), NAME)
    assert (row.state, row.started_at, row.performers) == (State.READY, None, ())
    with pytest.raises(NotSatisfiedError, match="cannot start yet"):
        start(site, "tech", AFTER)
    (said,) = corrections(look(), NAME)
    assert (said.entry, said.by, said.reason) == (event.seq, "tech", "the wrong pod")
    start(site, "guest", NAME)
    assert audit(site.site_dir) == []


def test_a_start_is_put_back_by_its_starter_the_crews_lead_and_the_owner(site: Ledger) -> None:
    """Anybody else would stop other people's work."""
    event = start(site, "tech", NAME)

    with pytest.raises(NotPermittedError, match="guest") as refused:
        correct(site, "guest", event.seq, "no")
    assert "network-lead" in refused.value.hint
    for person in ("tech", "lead", "pm"):
        with site.dry_run():
            correct(site, person, event.seq, "the wrong pod")


def test_a_start_on_which_something_rests_stays(site: Ledger) -> None:
    """Work that was reported, and work that began because of it, did happen."""
    event = start(site, "tech", NAME)
    told = progress(site, "tech", NAME, items_done=1)
    with pytest.raises(NotSatisfiedError, match=f"event {told.seq}") as refused:
        correct(site, "tech", event.seq, "the wrong pod")
    assert refused.value.hint == f"take back event {told.seq} first"

    correct(site, "tech", told.seq, "another pod's")
    start(site, "tech", AFTER)
    with pytest.raises(NotSatisfiedError, match=f"{AFTER} began because of"):
        correct(site, "tech", event.seq, "the wrong pod")


def test_taking_back_a_start_does_not_take_back_the_hand(site: Ledger) -> None:
    """Else a lead would work, take the start back, let another finish, and approve."""
    event = start(site, "lead", NAME)
    correct(site, "lead", event.seq, "not me")
    start(site, "tech", NAME)
    measure(site, "tech", NAME, "link.loss", Decimal("0.1"), "dB")
    finish(site, "tech", NAME)

    with pytest.raises(NotPermittedError, match="did the work"):
        sign(site, "lead", NAME)


def test_wrong_progress_puts_back_what_was_reported_before(site: Ledger, look: Look) -> None:
    """65 was typed as 56; the report before it counts again."""
    start(site, "tech", NAME)
    progress(site, "tech", NAME, items_done=1, percent=25, note="one")
    wrong = progress(site, "tech", NAME, items_done=3, percent=75, note="three")
    correct(site, "lead", wrong.seq, "typed wrong")

    row = require_activity(look(), NAME)
    assert (row.items_done, row.percent, row.last_note) == (1, 25.0, "one")
    assert audit(site.site_dir) == []


def test_a_wrong_reading_does_not_count_and_its_finding_stays(site: Ledger, look: Look) -> None:
    """The reader may say that it was read wrong; that nothing is wrong, somebody else decides."""
    start(site, "tech", NAME)
    wrong = measure(site, "tech", NAME, "link.loss", Decimal(3), "dB")
    correct(site, "tech", wrong.seq, "0.3, not 3")

    assert measurements(look(), NAME) == []
    assert [(n.id, n.closed_at) for n in ncrs(look())] == [("NCR-0001", None)]
    with pytest.raises(NotSatisfiedError, match=r"link.loss .* not measured"):
        finish(site, "tech", NAME)


def test_a_file_a_comment_and_an_item_are_taken_back(site: Ledger, look: Look) -> None:
    """What is taken back is shown nowhere but among the corrections."""
    start(site, "tech", NAME)
    wrong = [
        attach(site, "tech", NAME, b"another rack", "photo"),
        comment(site, "tech", NAME, "of another pod"),
        check(site, "tech", NAME, [ItemEntry("a", passed=False, note="bent")]).event,
    ]
    check(site, "tech", NAME, [ItemEntry("b")])
    for event in filter(None, wrong):
        correct(site, "tech", event.seq, "another pod's")

    found = look()
    done = checklist(found, require_activity(found, NAME))
    assert (evidence(found, NAME), comments(found, NAME)) == ([], [])
    assert done is not None
    assert (done.passed, done.failed, require_activity(found, NAME).items_done) == (1, 0, 1)
    assert len(corrections(found)) == 3
    assert audit(site.site_dir) == []


def test_an_end_by_mistake_is_put_back_until_somebody_approves(site: Ledger, look: Look) -> None:
    """Afterwards a rejection is the way back, with its reason and its non-conformance."""
    plan = small_plan().model_dump(mode="json")
    adopt_plan(
        site, "pm", small_plan(activities=[*plan["activities"], activity(NAME, policy={"quorum": 2})]), reason="two"
    )
    start(site, "tech", NAME)
    early = finish(site, "tech", NAME)
    correct(site, "tech", early.seq, "two links are left")
    assert require_activity(look(), NAME).state is State.IN_PROGRESS

    end = finish(site, "tech", NAME)
    sign(site, "lead", NAME)
    with pytest.raises(NotSatisfiedError, match="lead approved") as refused:
        correct(site, "tech", end.seq, "one more")
    assert "reject" in refused.value.hint


def test_what_an_earlier_attempt_recorded_stays(site: Ledger) -> None:
    """It was judged, and its judgement stands."""
    start(site, "tech", NAME)
    read = measure(site, "tech", NAME, "link.loss", Decimal("0.1"), "dB")
    finish(site, "tech", NAME)
    reject(site, "lead", NAME, "dirty")
    with pytest.raises(NotSatisfiedError, match="attempt 1"):
        correct(site, "tech", read.seq, "read wrong")


def test_after_a_rejection_why_says_who_and_why_and_under_which_finding(site: Ledger, look: Look) -> None:
    """Whoever goes on with the work reads it where they look."""
    start(site, "tech", NAME)
    measure(site, "tech", NAME, "link.loss", Decimal("0.1"), "dB")
    finish(site, "tech", NAME)
    reject(site, "lead", NAME, "two links are dirty")

    assert why(look(), NAME).needs[0] == (
        "to be made good: lead rejected it as network-lead on 2026-01-05: two links are dirty (NCR-0001, open)"
    )


def test_evidence_of_done_work_stays(site: Ledger, look: Look) -> None:
    """The approval rests on it. Opened again, the work has new evidence."""
    start(site, "tech", NAME)
    photo = attach(site, "tech", NAME, b"photo", "photo")
    measure(site, "tech", NAME, "link.loss", Decimal("0.1"), "dB")
    finish(site, "tech", NAME)
    late = attach(site, "tech", NAME, b"another photo", "photo")
    correct(site, "tech", late.seq, "another rack")
    assert require_activity(look(), NAME).state is State.AWAITING_SIGN_OFF
    sign(site, "lead", NAME)
    with pytest.raises(NotSatisfiedError, match="lead approved") as refused:
        correct(site, "tech", photo.seq, "another rack")
    assert refused.value.hint.startswith(f"clusterwright reopen {NAME} "), "done work is not rejected"
    reopen(site, "pm", NAME, "loose")


def test_only_entries_are_taken_back_and_only_once(site: Ledger) -> None:
    """A decision has its own way back; a reason is wanted."""
    said = comment(site, "tech", NAME, "x")
    with pytest.raises(InputError, match="needs a reason"):
        correct(site, "tech", said.seq, " ")
    correct(site, "tech", said.seq, "nonsense")
    with pytest.raises(NotSatisfiedError, match="was taken back"):
        correct(site, "tech", said.seq, "nonsense")
    with pytest.raises(InputError, match="genesis"):
        correct(site, "pm", 1, "mine")
    with pytest.raises(InputError, match="no event 999"):
        correct(site, "pm", 999, "mine")


def test_a_wrong_receipt_is_taken_back_until_work_began_with_it(ledger: Ledger, look: Look) -> None:
    """Its serial numbers may come again, and what waited for the delivery waits again."""
    bought(ledger)
    came = receive(ledger, "pm", FIRST, serials=["a", "b"])
    with pytest.raises(NotPermittedError):
        correct(ledger, "tech", came.seq, "pod 2's")
    correct(ledger, "pm", came.seq, "pod 2's")
    found = require_tranche(look(), FIRST)
    assert (found.received_quantity, found.received_at, serials(look(), FIRST)) == (Decimal(0), None, ())
    with pytest.raises(NotSatisfiedError, match="cannot start yet"):
        start(ledger, "tech", POD)

    again = receive(ledger, "pm", FIRST, serials=["a", "b"])
    start(ledger, "tech", POD)
    with pytest.raises(NotSatisfiedError, match=f"{POD} began"):
        correct(ledger, "pm", again.seq, "pod 2's")
    assert audit(ledger.site_dir) == []


def test_what_a_supplier_said_is_put_right_one_after_the_other(ledger: Ledger, look: Look) -> None:
    """A promise on the wrong order is taken back to the one before it, and an order itself when nothing rests on it."""
    bought(ledger)
    placed = require_order(look(), BOUGHT)
    assert placed.placed_at is not None
    accepted = acknowledge(ledger, "pm", BOUGHT, on=T0.date(), reference="AB 1", promised=date(2026, 5, 1))
    late = promise(ledger, "pm", BOUGHT, date(2026, 9, 1), reason="they said")
    paid = expedite(ledger, "pm", BOUGHT, reason="late", cost=10)
    left = ship(ledger, "pm", FIRST, shipped=T0.date(), carrier="van")

    with pytest.raises(NotSatisfiedError, match=f"event {late.seq}"):
        correct(ledger, "pm", accepted.seq, "another order")
    for event in (late, paid, left):
        correct(ledger, "pm", event.seq, "another order")
    found = require_order(look(), BOUGHT)
    assert (found.promised, found.tranches[0].promised) == (date(2026, 5, 1), date(2026, 5, 1))
    assert (found.expedite_cost, found.tranches[0].carrier) == (Decimal(0), "")

    correct(ledger, "pm", accepted.seq, "another order")
    assert require_order(look(), BOUGHT).acknowledged is None
    assert audit(ledger.site_dir) == []


def test_an_order_by_mistake_is_taken_back_before_anybody_answers(ledger: Ledger, look: Look) -> None:
    """It can then be placed again, with the right supplier."""
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")
    wrong = order(ledger, "pm", BOUGHT, supplier="Other", value=3)
    accepted = acknowledge(ledger, "pm", BOUGHT, on=T0.date(), reference="AB 1")
    with pytest.raises(NotSatisfiedError, match=f"event {accepted.seq}"):
        correct(ledger, "pm", wrong.seq, "the wrong supplier")
    correct(ledger, "pm", accepted.seq, "of another order")
    correct(ledger, "pm", wrong.seq, "the wrong supplier")

    assert require_order(look(), BOUGHT).state == "planned"
    order(ledger, "pm", BOUGHT, supplier="ACME")
    assert require_order(look(), BOUGHT).supplier_name == "ACME"
    assert audit(ledger.site_dir) == []


def test_an_order_by_mistake_is_taken_back_once_its_change_orders_are_decided(ledger: Ledger, look: Look) -> None:
    """The wrong supplier and currency go with it. What was decided about a delivery's quantity stays."""
    bought(ledger)
    wrong = order_entry(look())
    ask_change(ledger, "sponsor", BOUGHT, value=4, reason="dearer")
    decide_change(ledger, "pm", "CO-0001", approved=True)
    ask_change(ledger, "sponsor", FIRST, quantity=20, reason="fewer")
    with pytest.raises(NotSatisfiedError, match="has change orders: CO-0002\n"):
        correct(ledger, "pm", wrong, "the wrong supplier and currency")
    decide_change(ledger, "pm", "CO-0002", approved=True)
    correct(ledger, "pm", wrong, "the wrong supplier and currency")

    row = require_order(look(), BOUGHT)
    assert (row.state, row.supplier_name, row.currency, row.value) == ("planned", "", "", None)
    order(ledger, "pm", BOUGHT, supplier="Right", value=5, currency="EUR")
    row = require_order(look(), BOUGHT)
    assert (row.supplier_name, row.currency, row.value) == ("Right", "EUR", Decimal(5))
    assert require_tranche(look(), FIRST).quantity == 20
    assert audit(ledger.site_dir) == []


def test_before_version_5_an_order_with_change_orders_stays(tmp_path: Path, clock: Clock) -> None:
    """Then it can be taken back once the owner has put version 5 in force."""
    with earlier_rules(4):
        site = begun(tmp_path, clock)
    with site:
        adopt_plan(site, "pm", small_plan(), reason="first plan")
        bought(site)
        with open_snapshot(site.site_dir) as snapshot:
            wrong = order_entry(snapshot)
        ask_change(site, "sponsor", BOUGHT, value=4, reason="dearer")
        decide_change(site, "pm", "CO-0001", approved=False, reason="the wrong order")
        with pytest.raises(NotSatisfiedError, match="before version 5 of the rules"):
            correct(site, "pm", wrong, "the wrong supplier")
        assert audit(site.site_dir) == []

        raise_rules(site, "pm", "orders can be put right")
        correct(site, "pm", wrong, "the wrong supplier")

        assert audit(site.site_dir) == []


def order_entry(snapshot: Snapshot) -> int:
    """Return the number of the event that placed the order."""
    (entry,) = last_entries(snapshot, BOUGHT)
    return entry.seq
