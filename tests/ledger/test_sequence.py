"""Out of sequence: what people did is recorded when it happened, and what comes after it still waits for what is missing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from ledger.entries import ProgressRow
from ledger.questions.actuals import actuals
from ledger.questions.case import require_activity
from ledger.questions.counts import counts
from ledger.questions.why import why
from ledger.subjects.corrections.decisions import correct
from ledger.subjects.orders.decisions import order
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.plan.progress_decisions import import_progress
from ledger.subjects.sign_off.decisions import break_glass, reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, reopen, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from steps.planning.plan import Plan
from steps.planning.record.forecast import forecast
from tests.ledger.conftest import T0, Clock, Look, StateOf, activity, dates, link, small_plan
from tests.ledger.deciding import ORDER, TRANCHE

LEASE, STUDY, FENCE, ROAD, CABLE, PERMIT = "501@site", "500@site", "502@site", "503@site", "504@site", "505@site"
WHY = "the owner signed while the study was running"


def plan() -> Plan:
    """Return the small plan with a study, the lease that comes after it, a fence, a road, a live cable and a permit."""
    days = {"dates": dates(T0, T0 + timedelta(days=2))}
    given: dict[str, dict[str, object]] = {
        STUDY: {},
        LEASE: {"kind": "gate"},
        FENCE: {},
        ROAD: {},
        CABLE: {"hazards": ("arc flash",)},
        PERMIT: {"policy": {"hold_point": True}},
    }
    base = small_plan().model_dump()
    activities = [*base["activities"], *(activity(name, **days, **fields) for name, fields in given.items())]
    pairs = [(STUDY, LEASE), (STUDY, FENCE), (FENCE, ROAD), (STUDY, CABLE), (STUDY, PERMIT), (LEASE, "195@site")]
    links = [*base["links"], *(link(*pair) for pair in pairs), link(STUDY, "001@site#gpu-server")]
    return small_plan(activities=activities, links=links)


@pytest.fixture
def site(ledger: Ledger, clock: Clock) -> Ledger:
    """A site where the study is running, a month after the start."""
    adopt_plan(ledger, "pm", plan(), reason="with a site")
    clock.forward(30 * 24)
    start(ledger, "tech", STUDY)
    return ledger


def end_study(ledger: Ledger) -> None:
    finish(ledger, "tech", STUDY)
    sign(ledger, "lead", STUDY)


def test_a_lease_that_was_signed_early_is_recorded_with_its_day_and_approved_when_the_study_is_done(
    site: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """The record says when it happened, and the gate stays a gate."""
    day = clock.now - timedelta(days=10)
    with pytest.raises(NotSatisfiedError, match=r"500@site(.|\n)*--out-of-sequence WHY"), site.happened(day):
        finish(site, "tech", LEASE)

    with site.happened(day, "the notary's copy came today"):
        finish(site, "tech", LEASE, out_of_sequence=WHY)

    row = require_activity(look(clock.now), LEASE)
    assert row.finished_at == day
    assert row.flags == {"out_of_sequence"}
    assert counts(look(clock.now)).out_of_sequence == 1
    found = why(look(clock.now), LEASE)
    assert WHY in found.state_sentence
    assert [wait.predecessor for wait in found.unmet] == [STUDY]
    with pytest.raises(NotSatisfiedError, match=r"cannot be passed yet; it waits for 1 .*: 500@site"):
        sign(site, "lead", LEASE)
    with pytest.raises(NotSatisfiedError, match=r"cannot be passed yet; it waits for 1 .*: 500@site"):
        break_glass(site, "pm", LEASE, "it is urgent")

    end_study(site)
    assert require_activity(look(clock.now), LEASE).flags == set()
    sign(site, "lead", LEASE)
    assert state(LEASE) == "done"
    assert audit(site.site_dir) == []


def test_early_work_is_signed_off_and_what_comes_after_it_waits_for_what_is_missing(
    site: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """The fence is there, and the road still waits for the study."""
    with pytest.raises(NotSatisfiedError, match="--out-of-sequence WHY"):
        start(site, "tech", FENCE)
    start(site, "tech", FENCE, out_of_sequence=WHY)
    finish(site, "tech", FENCE)
    sign(site, "lead", FENCE)

    assert state(FENCE) == "done"
    assert state(ROAD) == "blocked"
    (wait,) = why(look(clock.now), ROAD).unmet
    assert (wait.predecessor, wait.state) == (FENCE, "done out of sequence")
    with pytest.raises(NotSatisfiedError, match="done out of sequence"):
        start(site, "tech", ROAD)

    clock.forward(48)
    end_study(site)
    assert state(ROAD) == "ready"
    assert require_activity(look(clock.now), ROAD).ready_from == clock.now
    reopen(site, "pm", STUDY, "a page is missing")
    assert state(ROAD) == "blocked", "what the early work never waited for is missing again"
    assert audit(site.site_dir) == []


def test_an_early_order_is_delivered_and_its_work_waits(site: Ledger, look: Look, clock: Clock, state: StateOf) -> None:
    """What came is here, but whoever waits for the order waits for what the order should have waited for."""
    start(site, "tech", "001@site")
    finish(site, "tech", "001@site")
    sign(site, "lead", "001@site")
    with pytest.raises(NotSatisfiedError, match="--out-of-sequence WHY"):
        order(site, "pm", ORDER)
    order(site, "pm", ORDER, out_of_sequence="the price was good")
    receive(site, "pm", TRANCHE, unscanned="no reader")

    assert state("010@pod-001") == "blocked"
    (wait,) = why(look(clock.now), "010@pod-001").unmet
    assert wait.state == "received out of sequence"
    assert [unmet.predecessor for unmet in why(look(clock.now), ORDER).unmet] == [STUDY]

    end_study(site)
    assert state("010@pod-001") == "ready"
    assert audit(site.site_dir) == []


@pytest.mark.parametrize(
    ("record", "name", "because"),
    [
        (start, CABLE, r"it is dangerous \(arc flash\)"),
        (start, "030@pod-001", "software does it"),
        (finish, "195@site", "it is the end of the project"),
    ],
)
def test_energising_software_and_go_live_are_never_out_of_sequence(
    site: Ledger, record: Callable[..., object], name: str, because: str
) -> None:
    """A live cable is no paper, and nobody is offered the option either."""
    with pytest.raises(NotSatisfiedError, match=because):
        record(site, "tech", name, out_of_sequence="it was quicker")
    with pytest.raises(NotSatisfiedError) as refused:
        record(site, "tech", name)
    assert "--out-of-sequence" not in str(refused.value)


def test_a_hold_point_that_was_done_early_is_not_signed_off(site: Ledger, state: StateOf) -> None:
    """Its work is there, but passing it is a decision that everything before it is done."""
    start(site, "tech", PERMIT, out_of_sequence=WHY)
    finish(site, "tech", PERMIT)
    with pytest.raises(NotSatisfiedError, match="cannot be passed yet"):
        sign(site, "lead", PERMIT)
    end_study(site)
    sign(site, "lead", PERMIT)
    assert state(PERMIT) == "done"


def test_a_reason_that_nothing_needs_is_not_kept(site: Ledger, look: Look, clock: Clock) -> None:
    """What is in sequence stays in sequence."""
    end_study(site)
    start(site, "tech", FENCE, out_of_sequence="just in case")
    assert require_activity(look(clock.now), FENCE).early_because == ""


def test_what_was_recorded_early_by_mistake_is_taken_back(
    site: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """With its flag: the gate waits again, and the work was never begun."""
    lease = finish(site, "tech", LEASE, out_of_sequence=WHY)
    fence = start(site, "tech", FENCE, out_of_sequence=WHY)
    correct(site, "tech", lease.seq, "it was the letter of intent")
    correct(site, "tech", fence.seq, "another fence")

    for name in (LEASE, FENCE):
        assert state(name) == "blocked"
        assert require_activity(look(clock.now), name).early_because == ""
    assert counts(look(clock.now)).out_of_sequence == 0
    finish(site, "tech", LEASE, out_of_sequence=WHY)
    reject(site, "lead", LEASE, "a page is missing")
    assert state(LEASE) == "blocked"
    assert require_activity(look(clock.now), LEASE).early_because == ""
    assert audit(site.site_dir) == []


def test_progress_from_before_may_be_out_of_sequence_where_the_row_says_why(
    site: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """As P6 takes it in, but flagged, and a row that follows an early one is early too."""

    def row(line: int, name: str, why: str = "") -> ProgressRow:
        return ProgressRow(line, name, "done", T0, T0, "ACME", out_of_sequence=why)

    with pytest.raises(InputError, match=r"line 2: 502@site waits for 500@site .*say why in its `out_of_sequence`"):
        import_progress(site, "pm", [row(2, FENCE), row(3, ROAD)])
    with pytest.raises(InputError, match="line 3: 503@site waits for 502@site"):
        import_progress(site, "pm", [row(2, FENCE, WHY), row(3, ROAD)])
    with pytest.raises(
        InputError, match=r"501@site cannot be out of sequence(.|\n)*504@site cannot be out of sequence"
    ):
        import_progress(site, "pm", [row(2, LEASE, WHY), row(3, CABLE, WHY)])
    with pytest.raises(InputError, match="505@site cannot be out of sequence: nobody may pass a gate or a hold point"):
        import_progress(site, "pm", [row(2, PERMIT, WHY)])
    with pytest.raises(InputError, match="leave its `out_of_sequence` empty"):
        import_progress(site, "pm", [row(2, "001@site", WHY)])

    import_progress(site, "pm", [row(2, FENCE, WHY), row(3, ROAD, WHY)])
    assert state(ROAD) == "done"
    assert require_activity(look(clock.now), ROAD).flags == {"before", "out_of_sequence"}
    end_study(site)
    assert counts(look(clock.now)).out_of_sequence == 0
    assert audit(site.site_dir) == []


def test_a_forecast_waits_for_what_is_missing(site: Ledger, look: Look, clock: Clock) -> None:
    """Work that was done early does not bring forward what comes after it (retained logic)."""
    before = forecast(plan(), actuals(look(clock.now)), clock.now).nodes[ROAD]
    start(site, "tech", FENCE, out_of_sequence=WHY)
    finish(site, "tech", FENCE)
    sign(site, "lead", FENCE)
    after = forecast(plan(), actuals(look(clock.now)), clock.now).nodes
    assert after[STUDY] < after[ROAD] <= before
