"""People's work: what is allowed when, and what a refusal says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from ledger.questions.case import require_activity
from ledger.questions.counts import counts, next_wake
from ledger.questions.inbox import inbox
from ledger.questions.log import last_events
from ledger.questions.orders import orders
from ledger.questions.records import comments, evidence
from ledger.questions.why import why
from ledger.subjects.orders.decisions import order
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import assign, comment, finish, hold, measure, na, progress, reopen, resume, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from tests.ledger.conftest import T0, Clock, Look, StateOf
from tests.ledger.journey import all_but_gate, bought, passed, racked


def test_blocked_activity_names_what_it_waits_for(ledger: Ledger) -> None:
    """A refusal that names nothing sends people to search."""
    with pytest.raises(NotSatisfiedError, match=r"020@pod-001.*cannot start.*010@pod-001.*blocked.*logic") as refused:
        start(ledger, "tech", "020@pod-001")

    assert "clusterwright why" in refused.value.hint


def test_unknown_activity_is_refused_with_the_nearest(ledger: Ledger) -> None:
    """A slip of the finger should cost one look."""
    with pytest.raises(InputError, match="pod-001") as refused:
        start(ledger, "tech", "010@pod-01")

    assert "did you mean" in refused.value.hint


def test_stranger_may_do_nothing(ledger: Ledger) -> None:
    """Only people in force act."""
    with pytest.raises(InputError, match="nobody at this site is called 'eve'"):
        start(ledger, "eve", "001@site")


def test_order_releases_only_the_pod_that_its_delivery_serves(ledger: Ledger, state: StateOf) -> None:
    """Servers of pod 1 do not wait for servers of pod 2."""
    bought(ledger)
    assert state("010@pod-001") == "blocked"

    receive(ledger, "pm", "001@site#gpu-server/1", serials=["a", "b"])

    assert state("010@pod-001") == "ready"
    assert state("010@pod-002") == "blocked"


def test_partial_delivery_releases_nothing(ledger: Ledger, state: StateOf, look: Look, clock: Clock) -> None:
    """Fifteen of sixteen servers are not a pod."""
    bought(ledger)

    receive(ledger, "pm", "001@site#gpu-server/1", Decimal(15))

    assert state("010@pod-001") == "blocked"
    assert orders(look(clock.now))[0].state == "part received"
    receive(ledger, "pm", "001@site#gpu-server/1")
    assert state("010@pod-001") == "ready"


def test_order_waits_for_its_decision(ledger: Ledger) -> None:
    """Nothing is bought before it is decided."""
    with pytest.raises(NotSatisfiedError, match=r"cannot be placed.*001@site"):
        order(ledger, "pm", "001@site#gpu-server")


def test_more_than_ordered_cannot_arrive(ledger: Ledger) -> None:
    """A surplus is a mistake in the count or another delivery."""
    bought(ledger)

    with pytest.raises(InputError, match="16 outstanding, so not 17"):
        receive(ledger, "pm", "001@site#gpu-server/1", 17)


def test_lag_holds_until_its_end(ledger: Ledger, clock: Clock, state: StateOf, look: Look) -> None:
    """A day of curing is a day, and the engine knows when to look again."""
    bought(ledger)
    racked(ledger)
    assert state("020@pod-001") == "blocked"
    assert next_wake(look(clock.now)) == T0 + timedelta(hours=24)
    assert "its lag ends" in why(look(clock.now), "020@pod-001").unmet[0].state

    clock.forward(24)

    assert state("020@pod-001") == "ready"


def test_finish_is_refused_while_a_criterion_is_not_measured(ledger: Ledger, clock: Clock, state: StateOf) -> None:
    """Verification by hand needs the same numbers as by software, in units that compare."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    start(ledger, "tech", "030@pod-001")
    measure(ledger, "tech", "030@pod-001", "link.loss", Decimal("0.7"), "dB", source="otdr")

    with pytest.raises(
        NotSatisfiedError, match=r"link.loss <= 0.5 dB: failed \(0.7 dB\); Link up: not yet \(link.up\)"
    ):
        finish(ledger, "tech", "030@pod-001")

    measure(ledger, "tech", "030@pod-001", "link.loss", Decimal("0.3"), "dB", source="otdr")
    measure(ledger, "tech", "030@pod-001", "link.up", value=True, unit="", source="eye")
    finish(ledger, "tech", "030@pod-001")
    assert state("030@pod-001") == "awaiting_sign_off"


@pytest.mark.parametrize(
    ("metric", "value", "unit", "said"),
    [
        ("link.los", Decimal(1), "dB", "no criterion"),
        ("link.loss", Decimal(1), "V", "cannot be compared"),
        ("link.loss", True, "dB", "a number in dB"),
        ("link.up", Decimal(1), "", "true or false"),
    ],
)
def test_reading_that_cannot_be_judged_is_refused(
    ledger: Ledger, clock: Clock, metric: str, value: Decimal | bool, unit: str, said: str
) -> None:
    """What is recorded can be compared with a criterion, or is refused at once."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    start(ledger, "tech", "030@pod-001")

    with pytest.raises(InputError, match=said):
        measure(ledger, "tech", "030@pod-001", metric, value, unit, source="x")


def test_hold_stops_and_resume_goes_on_where_it_was(ledger: Ledger, state: StateOf) -> None:
    """A hold loses nothing. What is refused says what comes first."""
    for too_early, hint in ((finish, "first: clusterwright start 001@site"), (resume, "clusterwright why 001@site")):
        with pytest.raises(NotSatisfiedError, match="001@site is ready; it cannot take") as refused:
            too_early(ledger, "tech", "001@site")
        assert refused.value.hint == hint
    start(ledger, "tech", "001@site")
    hold(ledger, "pm", "001@site", "budget")
    assert state("001@site") == "on_hold"
    with pytest.raises(NotSatisfiedError, match="is on hold; it cannot take 'finish' now"):
        finish(ledger, "tech", "001@site")

    resume(ledger, "pm", "001@site", "approved")

    assert state("001@site") == "in_progress"


def test_not_applicable_is_bridged_not_cut(ledger: Ledger, clock: Clock, state: StateOf) -> None:
    """What follows inherits what the skipped step waited for."""
    with pytest.raises(NotSatisfiedError, match="may not decide that 020@pod-001 does not apply"):
        na(ledger, "tech", "020@pod-001", "no need")
    na(ledger, "pm", "020@pod-001", "no need")
    assert state("030@pod-001") == "blocked"

    bought(ledger)
    racked(ledger)
    assert state("030@pod-001") == "blocked"
    clock.forward(24)

    assert state("030@pod-001") == "ready"


def test_reopened_work_makes_what_rested_on_it_stale_and_holds_its_hold_point(
    ledger: Ledger, clock: Clock, state: StateOf, look: Look
) -> None:
    """A stale hold point blocks what has not started until it is signed again."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    assert state("030@pod-001") == "ready"

    reopen(ledger, "tech", "010@pod-001", "wrong torque")

    row = require_activity(look(clock.now), "020@pod-001")
    assert row.flags == {"stale"}
    assert require_activity(look(clock.now), "010@pod-001").attempt == 2
    assert state("030@pod-001") == "blocked"
    sign(ledger, "lead", "020@pod-001")
    assert state("030@pod-001") == "blocked"
    sign(ledger, "lead2", "020@pod-001")
    assert state("030@pod-001") == "ready"


def test_reopened_work_waits_since_it_was_reopened(ledger: Ledger, clock: Clock, look: Look) -> None:
    """All before it was done long ago, and nobody could go on with it since then."""
    bought(ledger)
    racked(ledger)
    clock.forward(24)

    reopen(ledger, "tech", "010@pod-001", "wrong torque")

    (waits,) = [one for one in inbox(look(clock.now), "tech") if one.activity == "010@pod-001"]
    assert (waits.action, waits.since) == ("start", clock.now)


def test_reopening_the_first_decision_makes_the_whole_site_stale(ledger: Ledger, clock: Clock, look: Look) -> None:
    """Staleness runs through orders and deliveries."""
    all_but_gate(ledger, clock)

    reopen(ledger, "pm", "001@site", "wrong servers")

    assert counts(look(clock.now)).stale == 10


def test_progress_is_kept_and_bounded(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Percent is between 0 and 100."""
    start(ledger, "tech", "001@site")
    progress(ledger, "tech", "001@site", percent=40, note="two quotes in")
    for percent in ("-0.1", "100.1", "NaN"):
        with pytest.raises(InputError, match="percent"):
            progress(ledger, "tech", "001@site", percent=Decimal(percent))
    good: list[dict[str, Any]] = [{"percent": 0}, {"percent": 100}, {"items_done": 0}, {"items_done": 9}]
    for reported in good:
        with ledger.dry_run():
            progress(ledger, "tech", "001@site", **reported)
    with pytest.raises(InputError, match="001@site has no items that the plan counts, not -1"):
        progress(ledger, "tech", "001@site", items_done=-1)
    with pytest.raises(InputError, match="nothing to record"):
        progress(ledger, "tech", "001@site")

    row = require_activity(look(clock.now), "001@site")
    assert (row.percent, row.last_note) == (40.0, "two quotes in")


def test_small_records_are_read_back(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Comments, evidence and assignments are on the activity's page."""
    assign(ledger, "pm", "001@site", "tech")
    comment(ledger, "tech", "001@site", "asked three vendors")
    attach(ledger, "tech", "001@site", b"quote", "quote", name="q.txt")

    assert require_activity(look(clock.now), "001@site").assignee == "tech"
    assert [c.text for c in comments(look(), "001@site")] == ["asked three vendors"]
    assert [(e.kind, e.name, e.size) for e in evidence(look(), "001@site")] == [("quote", "q.txt", 5)]


def test_effective_time_is_when_it_happened(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Recording on Monday what happened on Friday keeps Friday."""
    clock.forward(72)
    with ledger.happened(T0, "the weekend"):
        start(ledger, "tech", "001@site")

    assert require_activity(look(clock.now), "001@site").started_at == T0
    recorded = last_events(look(), 1)[0].recorded_at
    assert recorded is not None
    assert recorded > datetime(2026, 1, 1, tzinfo=UTC)


def test_what_happened_cannot_lie_in_the_future(ledger: Ledger) -> None:
    """Work that has not been done is not recorded as done."""
    with pytest.raises(InputError, match="future"), ledger.happened(T0 + timedelta(days=30)):
        start(ledger, "tech", "001@site")


def test_finish_before_start_is_refused(ledger: Ledger, clock: Clock) -> None:
    """Time runs one way."""
    clock.forward(5)
    start(ledger, "tech", "001@site")

    with pytest.raises(InputError, match=r"started on 2026-01-05 14:00, after 2026-01-05 09:00"), ledger.happened(T0):
        finish(ledger, "tech", "001@site")
