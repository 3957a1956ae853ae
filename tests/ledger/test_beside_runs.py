"""What a person measures beside a run: what software could not read, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from ledger.entries import ItemResult, RunOutcome
from ledger.questions.case import require_activity
from ledger.questions.ncrs import ncrs, punch
from ledger.questions.shut_out import shut_out
from ledger.questions.why import criteria, why
from ledger.reading import open_snapshot
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.runs.decisions import release, settle
from ledger.subjects.sign_off.decisions import waive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, measure, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.catalog.terms import AlsoRead, Effect, Kind
from tests.ledger.conftest import (
    Clock,
    Look,
    StateOf,
    activity,
    adopt_small_plan,
    begun,
    criterion,
    earlier_rules,
    small_plan,
)
from tests.ledger.journey import GOOD, bought, passed, racked, take

NAME, SIMPLE = "030@pod-001", "301@site"
AT = "pod-001-n1"
DUE = date(2026, 12, 1)
LOSS = GOOD[0]
UNREAD = Measured("link.up", None, "", AT, note="ip link is not there")


def ran(ledger: Ledger, *readings: Measured, results: tuple[ItemResult, ...] = ()) -> None:
    """Run the check with these readings."""
    assert take(ledger, NAME)
    settle(ledger, "engine-1", NAME, RunOutcome("ok", results, readings))


def test_the_last_reading_by_hand_leads_to_a_sign_off(ready: Ledger, state: StateOf, look: Look, clock: Clock) -> None:
    """The run could not read it, a person did: another person signs for that, and who read what is shown."""
    ran(ready, LOSS, UNREAD)
    assert state(NAME) == "checked_not_met"
    assert "measure what was not" in why(look(clock.now), NAME).needs[-1]

    measure(ready, "lead", NAME, "link.up", True, "", item=AT, instrument="link tester")

    assert state(NAME) == "awaiting_sign_off"
    with pytest.raises(NotSatisfiedError, match="lead"):
        sign(ready, "lead", NAME)
    sign(ready, "lead2", NAME)
    assert state(NAME) == "done"
    assert {c.metric: c.readers for c in criteria(look(), NAME)} == {"link.loss": (), "link.up": ("lead",)}
    assert audit(ready.site_dir) == []


def test_a_change_that_lacked_a_reading_is_completed_by_hand(ready: Ledger, state: StateOf) -> None:
    """What failed only because nobody could read it is not done again for that."""
    name = "040@pod-001"
    release(ready, "lead", name, hosts=["n1"], count=1, playbook_digest="d")
    take(ready, name, hosts=["n1"], playbook_digest="d")
    settle(ready, "engine-1", name, RunOutcome("ok", (ItemResult("n1", "changed"),)))
    assert state(name) == "failed"

    measure(ready, "tech", name, "mtu", Decimal(9), "kB")

    assert state(name) == "awaiting_sign_off"


def test_a_reading_that_fails_leaves_it_open_and_may_be_read_again(ready: Ledger, state: StateOf, look: Look) -> None:
    """The cable is put right, and the tester shows it: both readings stay."""
    ran(ready, LOSS)

    measure(ready, "tech", NAME, "link.up", False, "")
    assert state(NAME) == "checked_not_met"
    assert [n.activity for n in ncrs(look(), open_only=True)] == [NAME]
    measure(ready, "tech", NAME, "link.up", True, "")

    assert state(NAME) == "awaiting_sign_off"
    assert audit(ready.site_dir) == []


@pytest.mark.parametrize(
    ("readings", "results", "metric", "item", "error", "says"),
    [
        ((LOSS, Measured("link.up", False, "", AT)), (), "link.up", AT, NotSatisfiedError, "has read link.up"),
        ((LOSS, UNREAD), (), "link.up", "", InputError, f"was not measured at {AT}"),
        ((LOSS,), (ItemResult("n2", "unreachable"),), "link.up", AT, NotSatisfiedError, "failed on n2"),
    ],
)
def test_a_reading_by_hand_replaces_nothing(
    ready: Ledger,
    state: StateOf,
    readings: tuple[Measured, ...],
    results: tuple[ItemResult, ...],
    metric: str,
    item: str,
    error: type[ClusterwrightError],
    says: str,
) -> None:
    """A link that software saw down is not up because someone says so; a host that was not reached is not done."""
    ran(ready, *readings, results=results)
    before = state(NAME)

    with pytest.raises(error, match=says):
        measure(ready, "tech", NAME, metric, True, "", item=item)

    assert state(NAME) == before


def test_a_skipped_host_needs_a_reading_of_its_own(ready: Ledger, state: StateOf) -> None:
    """A host on which nothing was looked at is not vouched for by a reading of another."""
    ran(ready, LOSS, results=(ItemResult(AT, "ok"), ItemResult("n2", "skipped")))

    measure(ready, "tech", NAME, "link.up", True, "", item=AT)
    assert state(NAME) == "checked_not_met"
    measure(ready, "tech", NAME, "link.up", True, "", item="n2")

    assert state(NAME) == "awaiting_sign_off"


def test_nothing_is_measured_before_the_run_that_reads_it(ready: Ledger, state: StateOf) -> None:
    """The run would not look at it, and nothing could then be measured, nor waived."""
    with pytest.raises(NotSatisfiedError, match="measured by its run"):
        measure(ready, "tech", NAME, "link.up", True, "")

    assert state(NAME) == "ready"


def test_what_was_waived_before_its_run_does_not_fail_it(ready: Ledger, state: StateOf) -> None:
    """Without a waiver for the other criterion it fails all the same."""
    waive(ready, "lead", NAME, "link.up", "no tool", due=DUE)
    ran(ready, LOSS, UNREAD)

    assert state(NAME) == "done"
    assert audit(ready.site_dir) == []


def test_by_earlier_rules_what_was_waived_before_its_run_is_to_be_tried_again(
    site_dir: Path, clock: Clock, state: StateOf, look: Look
) -> None:
    """The run did not look at waivers, and afterwards no criterion is left to waive."""
    with earlier_rules(4):
        ledger = begun(site_dir, clock)
    with ledger:
        adopt_small_plan(ledger)
        bought(ledger)
        racked(ledger)
        passed(ledger, clock)
        waive(ledger, "lead", NAME, "link.up", "no tool", due=DUE)
        ran(ledger, LOSS, UNREAD)

        assert state(NAME) == "checked_not_met"
        assert why(look(), NAME).needs == ("a decision: retry or attest",)
        with pytest.raises(NotSatisfiedError) as refused:
            waive(ledger, "lead", NAME, "link.up", "no tool", due=DUE)
    assert refused.value.hint == f"clusterwright retry {NAME}"
    assert audit(site_dir) == []


def test_a_waiver_on_done_work_is_made_good_by_a_reading(ready: Ledger, state: StateOf, look: Look) -> None:
    """It stays done, and nobody opens it again. Another criterion of it, and what the run has read, are not read any more."""
    waive(ready, "lead", NAME, "link.up", "no tool", due=DUE)
    ran(ready, LOSS, UNREAD)
    with pytest.raises(NotSatisfiedError, match="only a criterion that is waived"):
        measure(ready, "tech", NAME, "link.loss", Decimal("0.1"), "dB", item=AT)
    measure(ready, "tech", NAME, "link.up", False, "", item=AT)
    assert ([p.id for p in punch(look(), DUE)], ncrs(look(), open_only=True)) == (["W-0001"], [])

    measure(ready, "tech", NAME, "link.up", True, "", item=AT)

    assert (state(NAME), punch(look(), DUE)) == ("done", [])
    assert require_activity(look(), NAME).waived
    assert audit(ready.site_dir) == []


def test_what_a_run_read_and_a_waiver_passed_is_read_again_by_a_run(ready: Ledger) -> None:
    """A reading by hand does not replace it, on done work either."""
    waive(ready, "lead", NAME, "link.up", "known", due=DUE)
    ran(ready, LOSS, Measured("link.up", False, "", AT))

    with pytest.raises(NotSatisfiedError, match=r"has read link\.up") as refused:
        measure(ready, "tech", NAME, "link.up", True, "", item=AT)

    assert "clusterwright reopen" in refused.value.hint


def test_by_earlier_rules_nothing_is_measured_of_done_work(of_version_4: Ledger) -> None:
    """Its waived criterion neither, until the owner puts version 5 in force. Nobody gives an approval up then: it has all it needs."""
    site = of_version_4
    with pytest.raises(NotSatisfiedError, match="is done"):
        measure(site, "tech", SIMPLE, "link.loss", Decimal("0.1"), "dB")
    assert audit(site.site_dir) == []

    raise_rules(site, "pm", "waivers are made good")
    with open_snapshot(site.site_dir) as snapshot:
        assert shut_out(snapshot, require_activity(snapshot, SIMPLE), "lead2") is None
    measure(site, "tech", SIMPLE, "link.loss", Decimal("0.1"), "dB")

    assert audit(site.site_dir) == []


@pytest.fixture
def of_version_4(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    """Return a site of version 4 of the rules with people's work that is done under a waiver."""
    with earlier_rules(4):
        site = begun(tmp_path, clock)
    with site:
        measured = activity(SIMPLE, criteria=[criterion("link.loss", "<=", Decimal("0.5"), "dB")])
        adopt_plan(site, "pm", small_plan(activities=[measured], links=[], orders=[]), reason="first plan")
        start(site, "tech", SIMPLE)
        waive(site, "lead", SIMPLE, "link.loss", "no tool", due=DUE)
        finish(site, "tech", SIMPLE)
        sign(site, "lead", SIMPLE)
        yield site


def test_a_reading_that_nothing_judges_leads_nowhere(empty: Ledger, clock: Clock) -> None:
    """A step without criteria that was only looked at is not done because somebody noted a figure."""
    plan = small_plan()
    activities = tuple(
        replace(a, step="031", kind=Kind.AUTOMATE, effect=Effect.READ, criteria=()) if a.id == NAME else a
        for a in plan.activities
    )
    adopt_plan(empty, "pm", plan.model_copy(update={"activities": activities}), reason="first plan")
    bought(empty)
    racked(empty)
    passed(empty, clock)
    ran(empty)

    measure(empty, "tech", NAME, "boot.uptime_s", Decimal(1), "s")

    with open_snapshot(empty.site_dir, clock.now) as snapshot:
        assert require_activity(snapshot, NAME).state.value == "checked_not_met"


def test_the_plan_says_what_may_be_read_besides_the_criteria(empty: Ledger, clock: Clock) -> None:
    """The catalog of the machine on which somebody measures has no say in it."""
    plan = small_plan()
    also = (AlsoRead("fan.speed", "rpm"),)
    activities = tuple(replace(a, step="031", also_reads=also) if a.id == NAME else a for a in plan.activities)
    adopt_plan(empty, "pm", plan.model_copy(update={"activities": activities}), reason="first plan")
    bought(empty)
    racked(empty)
    passed(empty, clock)
    ran(empty, LOSS, UNREAD)

    measure(empty, "tech", NAME, "fan.speed", Decimal(4000), "rpm")

    with pytest.raises(InputError, match=r"has no criterion 'boot\.uptime_s'"):
        measure(empty, "tech", NAME, "boot.uptime_s", Decimal(1), "s")
