"""Runs of software: claims and leases, fencing, and what an outcome leads to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from ledger.entries import Artifact, ItemResult, RunOutcome
from ledger.evidence.store import store
from ledger.machine_time import machine_time
from ledger.questions.case import require_activity
from ledger.questions.log import last_events
from ledger.questions.ncrs import ncrs
from ledger.questions.records import evidence, items, measurements, requests, runs
from ledger.questions.site import head
from ledger.questions.why import criteria, why
from ledger.rules.access import ENGINE
from ledger.subjects.runs.decisions import lapsed_claims, release, renew, settle
from ledger.subjects.runs.request_decisions import answer_request, request_cancel, request_retry, request_run
from ledger.subjects.work.decisions import comment
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from steps.acceptance.measured import Measured
from tests.ledger.conftest import Clock, Look, StateOf
from tests.ledger.journey import GOOD, MTU, take

NAME = "030@pod-001"


def test_claim_is_exclusive_and_settled_by_its_owner_only(ready: Ledger, state: StateOf) -> None:
    """Two engines on one site must not both believe that they run a step."""
    assert take(ready, NAME)
    assert state(NAME) == "running"
    assert take(ready, NAME, "engine-2") is None
    with pytest.raises(NotSatisfiedError, match="lost lease"):
        settle(ready, "engine-2", NAME, RunOutcome("ok", measurements=GOOD))

    settle(ready, "engine-1", NAME, RunOutcome("ok", measurements=GOOD))

    assert state(NAME) == "done"
    with pytest.raises(NotSatisfiedError, match="lost lease"):
        settle(ready, "engine-1", NAME, RunOutcome("ok", measurements=GOOD))


def test_lapsed_claim_is_found_settled_and_run_again(ready: Ledger, state: StateOf, look: Look) -> None:
    """The late owner's result is refused: the attempt went on without it."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    take(ready, NAME, lease_s=60, machine_now=now)
    renew(ready, "engine-1", NAME, 60, pgid=77, machine_now=now + timedelta(seconds=30))
    assert lapsed_claims(ready, machine_now=now + timedelta(seconds=80)) == []
    lapsed = lapsed_claims(ready, machine_now=now + timedelta(seconds=91))
    assert [(c.owner, c.pgid, c.host, c.boot_id) for c in lapsed] == [("engine-1", 77, "build", "b1")]

    settle(ready, lapsed[0].owner, NAME, RunOutcome("interrupted", summary="engine died"))

    assert state(NAME) == "ready"
    second = take(ready, NAME, "engine-2")
    assert second is not None
    assert second.attempt == 2
    with pytest.raises(NotSatisfiedError, match="lost lease"):
        renew(ready, "engine-1", NAME, 60)
    with pytest.raises(NotSatisfiedError, match="lost lease"):
        settle(ready, "engine-1", NAME, RunOutcome("ok", measurements=GOOD))
    assert [r.status for r in runs(look(), NAME)] == ["interrupted", "running"]


def test_why_says_that_the_engine_of_a_run_does_not_answer(ready: Ledger, look: Look) -> None:
    """A killed engine leaves its run as running: nobody may believe that software is at work on it."""
    now = machine_time()
    take(ready, NAME, lease_s=60, machine_now=now)
    assert why(look(), NAME).needs == ()

    renew(ready, "engine-1", NAME, 60, machine_now=now - timedelta(seconds=90))

    (need,) = why(look(), NAME).needs
    assert "the one at build has not answered since" in need
    assert "clusterwright up" in need


def test_same_owner_of_an_old_attempt_is_fenced_by_the_attempt(ready: Ledger) -> None:
    """An engine that took a step twice must not settle the second with the first's result."""
    first = take(ready, NAME)
    assert first is not None
    settle(ready, "engine-1", NAME, RunOutcome("interrupted"))
    take(ready, NAME)

    with pytest.raises(NotSatisfiedError, match="lost lease"):
        settle(ready, "engine-1", NAME, RunOutcome("ok", measurements=GOOD), attempt=first.attempt)


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_jumps_within_a_lease_takes_no_run_from_the_engine_that_renews_it(
    ready: Ledger, clock: Clock, state: StateOf, look: Look, hours: float
) -> None:
    """A machine's clock is put right by its first answer from a time server, an hour off or more."""
    assert take(ready, NAME, lease_s=60)
    clock.forward(hours)
    renewed = renew(ready, "engine-1", NAME, 60)
    assert lapsed_claims(ready) == []

    settle(ready, "engine-1", NAME, RunOutcome("ok", measurements=GOOD))

    assert state(NAME) == "done"
    assert renewed.owner == "engine-1"
    assert [run.status for run in runs(look(), NAME)] == ["ok"]
    assert audit(ready.site_dir) == []


def test_a_clock_that_is_set_back_in_a_run_ends_no_run_before_it_began(ready: Ledger, clock: Clock, look: Look) -> None:
    """What happens now happens after what was recorded last. A lag after the run would be over too early otherwise."""
    take(ready, NAME)
    clock.forward(-2)
    settle(ready, "engine-1", NAME, RunOutcome("ok", measurements=GOOD))

    (run,) = runs(look(), NAME)
    assert run.settled_at is not None
    assert run.settled_at >= run.started_at


def test_a_release_is_used_by_one_run_and_no_second(ready: Ledger, state: StateOf, look: Look) -> None:
    """Two engines begin at the same moment, and later one of them again, after its run was cut off."""
    name, terms = "040@pod-001", {"hosts": ["n1"], "playbook_digest": "d"}
    release(ready, "lead", name, hosts=["n1"], count=1, playbook_digest="d")
    with ThreadPoolExecutor(2) as pool:
        taken = list(pool.map(lambda engine: take(ready, name, engine, **terms), ("engine-1", "engine-2")))
    (held,) = filter(None, taken)
    settle(ready, held.owner, name, RunOutcome("interrupted"))

    with pytest.raises(NotSatisfiedError, match="nobody released it"):
        take(ready, name, held.owner, **terms)

    assert (state(name), len(runs(look(), name))) == ("ready", 1)


def test_where_nobody_can_tell_a_person_decides(ready: Ledger, state: StateOf) -> None:
    """An old process on an unknown machine may still be at work."""
    take(ready, NAME)

    settle(ready, "engine-1", NAME, RunOutcome("interrupted", summary="host unknown"), needs_person=True)

    assert state(NAME) == "on_hold"


def test_no_two_runs_touch_one_host(ready: Ledger) -> None:
    """Firmware of a host is not flashed while its burn-in runs."""
    release(ready, "lead", "040@pod-001", hosts=["n1"], count=1, playbook_digest="d")
    take(ready, NAME, hosts=["n1", "n2"])

    assert take(ready, "040@pod-001", hosts=["n1"], playbook_digest="d") is None


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (RunOutcome("ok", measurements=GOOD), "done"),
        (RunOutcome("ok", measurements=GOOD[:1]), "checked_not_met"),
        (RunOutcome("ok", measurements=(GOOD[0], Measured("link.up", False, ""))), "checked_not_met"),
        (RunOutcome("ok", measurements=(GOOD[0], Measured("link.up", None, "", note="gone"))), "checked_not_met"),
        (RunOutcome("ok", (ItemResult("n2", "skipped"),), GOOD), "checked_not_met"),
        (RunOutcome("ok", (ItemResult("n2", "unreachable"),), GOOD), "failed"),
        (RunOutcome("failed", (ItemResult("n2", "failed", 2.5, "Read links"),), GOOD), "failed"),
    ],
)
def test_result_decides_the_state(ready: Ledger, state: StateOf, outcome: RunOutcome, expected: str) -> None:
    """Done is only what was read, on every host, and meets every criterion."""
    take(ready, NAME)

    settle(ready, "engine-1", NAME, outcome)

    assert state(NAME) == expected
    assert audit(ready.site_dir) == []


def test_change_whose_criteria_fail_has_failed_and_opens_a_non_conformance(
    ready: Ledger, state: StateOf, look: Look
) -> None:
    """It was changed and is not as it should be: that is not a mere check."""
    name = "040@pod-001"
    release(ready, "lead", name, hosts=["n1"], count=1, playbook_digest="d")
    take(ready, name, hosts=["n1"], playbook_digest="d")

    settle(ready, "engine-1", name, RunOutcome("ok", measurements=(Measured("mtu", Decimal(1500), "B", "n1"),)))

    assert state(name) == "failed"
    assert [n.activity for n in ncrs(look(), open_only=True)] == [name]


def test_units_are_converted_and_strangers_are_not_measured(ready: Ledger, state: StateOf) -> None:
    """9 kB is 9000 B; 9000 without a unit that compares is nothing."""
    name = "040@pod-001"
    for reading, expected in (
        (Measured("mtu", Decimal(9000), "V"), "failed"),
        (Measured("mtu", Decimal(9), "kB"), "done"),
    ):
        release(ready, "lead", name, hosts=["n1"], count=1, playbook_digest="d")
        take(ready, name, hosts=["n1"], playbook_digest="d")
        settle(ready, "engine-1", name, RunOutcome("ok", measurements=(reading,)))
        assert state(name) == expected
        if expected == "failed":
            request_retry(ready, "lead", name)


def test_items_and_artifacts_are_kept(ready: Ledger, look: Look) -> None:
    """Per host: what happened, how long, which task failed."""
    digest = store(ready.site_dir, b"log")
    take(ready, NAME)
    settle(
        ready,
        "engine-1",
        NAME,
        RunOutcome(
            "ok",
            (ItemResult("n1", "ok", 1.25), ItemResult("n2", "changed", 2)),
            GOOD,
            artifacts=(Artifact(digest, "run-log", "run.log"),),
        ),
    )

    run = runs(look(), NAME)[0]
    assert (run.status, run.result, run.items) == ("ok", "done", 2)
    assert [(i.host, i.status, i.duration_s) for i in items(look(), run.id)] == [
        ("n1", "ok", 1.25),
        ("n2", "changed", 2.0),
    ]
    assert [e.name for e in evidence(look(), NAME)] == ["run.log"]


def test_many_readings_travel_as_evidence(ready: Ledger, look: Look) -> None:
    """An event stays readable; 600 readings and 12,000 hosts are kept in the store and replay from there."""
    readings = tuple(Measured("link.loss", Decimal("0.1"), "dB", f"n{i}") for i in range(600))
    hosts = tuple(ItemResult(f"n{i:05d}", "ok") for i in range(12_000))
    take(ready, NAME)

    settle(ready, "engine-1", NAME, RunOutcome("ok", hosts, (*readings, GOOD[1])))

    payload = last_events(look(), 1)[0].payload
    assert payload["measurements"] == []
    assert [b["rows"] for b in payload["results"]] == [10_000, 2_000]
    assert len(measurements(look(), NAME)) == 601
    assert audit(ready.site_dir) == []


def test_rehearsed_result_has_no_place_in_a_real_ledger(ready: Ledger) -> None:
    """A rehearsal can never be mistaken for the real thing."""
    take(ready, NAME)

    with pytest.raises(InputError, match="no place in a real site's ledger"):
        settle(ready, "engine-1", NAME, RunOutcome("rehearsed"))


def test_requests_are_made_answered_and_closed(ready: Ledger, look: Look, state: StateOf) -> None:
    """Screens ask, the dispatcher answers, nothing is asked twice."""
    request_run(ready, "tech", NAME)
    with pytest.raises(NotSatisfiedError, match="nothing to stop"):
        request_cancel(ready, "tech", NAME)
    asked = requests(look())
    assert [(r.activity, r.action, r.by) for r in asked] == [(NAME, "run", "tech")]

    answer_request(ready, ENGINE, asked[0].id, "started")

    assert requests(look()) == []
    with pytest.raises(NotSatisfiedError, match="was answered"):
        answer_request(ready, ENGINE, asked[0].id, "again")


def test_retry_opens_the_next_attempt(ready: Ledger, look: Look, state: StateOf, clock: Clock) -> None:
    """What failed is ready again; earlier readings no longer count."""
    take(ready, NAME)
    settle(ready, "engine-1", NAME, RunOutcome("ok", measurements=GOOD[:1]))

    request_retry(ready, "lead", NAME)

    assert state(NAME) == "ready"
    assert require_activity(look(clock.now), NAME).attempt == 2
    assert {c.verdict for c in criteria(look(), NAME)} == {"not measured"}


def test_restored_ledger_without_claims_still_finds_its_running_work(ready: Ledger) -> None:
    """Claims are the machine's; runs are the ledger's."""
    take(ready, NAME)
    with ready.write() as writing:
        writing.projection.connection.exec_driver_sql("DELETE FROM claim")

    lapsed = lapsed_claims(ready)

    assert [(c.activity, c.owner, c.attempt) for c in lapsed] == [(NAME, "engine-1", 1)]
    settle(ready, "engine-1", NAME, RunOutcome("interrupted"))


def test_mtu_met_completes_a_released_change(ready: Ledger, state: StateOf) -> None:
    """The ordinary way."""
    name = "040@pod-001"
    release(ready, "lead", name, hosts=["n1"], count=1, playbook_digest="d")
    take(ready, name, hosts=["n1"], playbook_digest="d")
    settle(ready, "engine-1", name, RunOutcome("ok", measurements=MTU))

    assert state(name) == "done"


def test_threads_share_one_ledger(ready: Ledger, look: Look) -> None:
    """Flows run activities in threads; decisions take turns and the chain stays whole."""
    before = head(look()).seq

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: comment(ready, "tech", NAME, f"note {n}"), range(40)))

    assert head(look()).seq == before + 40
    assert audit(ready.site_dir) == []
