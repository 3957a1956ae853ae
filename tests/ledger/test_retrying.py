"""A retry: hosts that are done stay done, the others are tried again, unless a playbook needs all hosts together."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from msgspec.structs import replace

from ledger.entries import ItemResult, ItemStatus, RunOutcome
from ledger.questions.activities import activities, hosts_of
from ledger.questions.ncrs import ncrs
from ledger.questions.records import items, measurements, runs
from ledger.reading import open_snapshot
from ledger.subjects.ncr.decisions import close_ncr, disposition_ncr
from ledger.subjects.ncr.rules import ONE_BY_CAUSE
from ledger.subjects.plan import decisions
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import settle
from ledger.subjects.runs.payloads import RunSettled
from ledger.subjects.runs.request_decisions import request_retry
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import measure, reopen
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.catalog.terms import Waves
from steps.planning.plan import Plan
from tests.ledger.conftest import Clock, activity, link, small_plan
from tests.ledger.journey import GOOD, bought, passed, racked, take

NAME = "030@pod-001"
DIGEST = "d"
HOSTS = ("n1", "n2", "n3")
WAVES = Waves(canary=1, size=2, max_failed_percent=50, source="assumption")


def plan_in_waves(
    *,
    waves: Waves | None = WAVES,
    leads: tuple[str, ...] | None = None,
    each: str | None = None,
) -> Plan:
    """The small plan, three hosts in its first pod, step 030 in waves over two of them and a shared one."""
    plan = small_plan()
    units = tuple(
        u.model_copy(update={"hosts": ("n1", "n2", "unplayed"), "shared": ("n3",)} if u.id == "pod-001" else {})
        for u in plan.units
    )
    activities = []
    for a in plan.activities:
        criteria = tuple(replace(c, each=each) for c in a.criteria)
        mine = replace(a, waves=waves, leads=leads, criteria=criteria, plays="servers")
        activities.append(mine if a.id == NAME else a)
    return plan.model_copy(update={"units": units, "activities": tuple(activities), "host_sets": {"servers": HOSTS}})


@pytest.fixture
def begun(empty: Ledger, clock: Clock) -> Callable[[Plan], Ledger]:
    """Put a plan in force and bring the step to where it is ready."""

    def begin(plan: Plan) -> Ledger:
        adopt_plan(empty, "pm", plan, reason="first plan")
        bought(empty)
        racked(empty)
        passed(empty, clock)
        return empty

    return begin


def run(ledger: Ledger, results: dict[str, ItemStatus], loss: dict[str, str], digest: str = DIGEST) -> str:
    """Let a run end with these results and readings. Return the state that follows."""
    take(ledger, NAME)
    outcome = RunOutcome(
        "failed" if {"failed", "unreachable"} & set(results.values()) else "ok",
        results=tuple(ItemResult(host, status) for host, status in results.items()),
        measurements=tuple(
            Measured(m.metric, Decimal(loss[host]) if m.metric == "link.loss" else m.value, m.unit, host, m.source)
            for host in loss
            for m in GOOD
        ),
        playbook_digest=digest,
    )
    event = settle(ledger, "engine-1", NAME, outcome)
    assert isinstance(event.payload, RunSettled)
    return event.payload.result


def to_touch(ledger: Ledger, digest: str = DIGEST) -> tuple[str, ...]:
    with open_snapshot(ledger.site_dir) as snapshot:
        return hosts_of(snapshot, NAME, digest)


def test_a_retry_touches_the_failed_host_alone_and_the_others_still_count(begun: Callable[[Plan], Ledger]) -> None:
    ledger = begun(plan_in_waves())
    assert to_touch(ledger) == HOSTS
    assert run(ledger, {"n1": "ok", "n2": "unreachable", "n3": "changed"}, {"n1": "0.2", "n3": "0.2"}) == "failed"

    request_retry(ledger, "lead", NAME)

    assert to_touch(ledger) == ("n2",)
    assert run(ledger, {"n2": "ok"}, {"n2": "0.2"}) == "done"
    with open_snapshot(ledger.site_dir) as snapshot:
        last = runs(snapshot, NAME)[-1]
        assert {i.host: i.status for i in items(snapshot, last.id)} == {"n1": "kept", "n2": "ok", "n3": "kept"}
        notes = {m.item: m.note for m in measurements(snapshot, NAME) if m.attempt == 2 and m.metric == "link.loss"}
    assert notes == {"n1": "read in attempt 1", "n2": "", "n3": "read in attempt 1"}
    assert audit(ledger.site_dir) == []


def test_a_host_that_ran_but_does_not_meet_a_criterion_is_tried_again_too(begun: Callable[[Plan], Ledger]) -> None:
    ledger = begun(plan_in_waves())
    run(ledger, {"n1": "ok", "n2": "ok", "n3": "ok"}, {"n1": "0.2", "n2": "0.9", "n3": "0.2"})

    request_retry(ledger, "lead", NAME)

    assert to_touch(ledger) == ("n2",)
    assert run(ledger, {"n2": "ok"}, {"n2": "0.9"}) != "done"
    request_retry(ledger, "lead", NAME)
    assert to_touch(ledger) == ("n2",)
    assert run(ledger, {"n2": "ok"}, {"n2": "0.2"}) == "done"


def test_a_host_that_only_a_person_read_is_tried_again(begun: Callable[[Plan], Ledger]) -> None:
    """A host is kept for what software read there; a reading by hand counts in its own attempt, under its reader's name."""
    ledger = begun(plan_in_waves())
    run(ledger, {"n1": "ok", "n2": "ok", "n3": "ok"}, {"n1": "0.2", "n3": "0.9"})
    measure(ledger, "tech", NAME, "link.loss", Decimal("0.2"), "dB", item="n2")
    measure(ledger, "tech", NAME, "link.up", True, "", item="n2")

    request_retry(ledger, "lead", NAME)

    assert to_touch(ledger) == ("n2", "n3")


def test_what_a_kept_host_lacks_is_not_made_up(begun: Callable[[Plan], Ledger]) -> None:
    """A wave that did not begin leaves hosts that were skipped: they are tried, and count only with readings."""
    ledger = begun(plan_in_waves())
    run(ledger, {"n1": "failed", "n2": "skipped", "n3": "skipped"}, {})

    request_retry(ledger, "lead", NAME)

    assert to_touch(ledger) == HOSTS


def test_after_a_reopening_every_host_is_tried(begun: Callable[[Plan], Ledger]) -> None:
    ledger = begun(plan_in_waves())
    run(ledger, {"n1": "ok", "n2": "failed", "n3": "ok"}, {"n1": "0.2", "n3": "0.2"})
    request_retry(ledger, "lead", NAME)
    run(ledger, {"n2": "ok"}, {"n2": "0.2"})

    reopen(ledger, "lead", NAME, "the image was changed")

    assert to_touch(ledger) == HOSTS


def test_what_was_done_on_a_replaced_server_is_done_again_there_alone_and_the_others_still_count(
    begun: Callable[[Plan], Ledger],
) -> None:
    ledger = begun(plan_in_waves(waves=None, leads=(), each="host"))
    run(ledger, {"n1": "ok", "n2": "ok", "n3": "ok"}, {"n1": "0.2", "n2": "0.3", "n3": "0.2"})

    reopen(ledger, "lead", NAME, "RMA 4711: board replaced", hosts=("n2",))

    assert to_touch(ledger) == ("n2",)
    assert run(ledger, {"n2": "ok"}, {"n2": "0.4"}) == "done"
    with open_snapshot(ledger.site_dir) as snapshot:
        last = runs(snapshot, NAME)[-1]
        assert {i.host: i.status for i in items(snapshot, last.id)} == {"n1": "kept", "n2": "ok", "n3": "kept"}
        read = {m.item: m.value for m in measurements(snapshot, NAME) if m.attempt == 2 and m.metric == "link.loss"}
    assert read == {"n1": Decimal("0.2"), "n2": Decimal("0.4"), "n3": Decimal("0.2")}
    assert audit(ledger.site_dir) == []


@pytest.mark.parametrize(("hosts", "stale"), [(("n2",), ["060@pod-001"]), ((), ["060@pod-001", "061@site"])])
def test_with_a_replaced_server_its_pod_is_accepted_anew_and_not_the_whole_site(
    begun: Callable[[Plan], Ledger], hosts: tuple[str, ...], stale: list[str]
) -> None:
    plan = plan_in_waves(waves=None, leads=(), each="host").model_dump()
    gates = [activity(name, kind="gate", policy={"hold_point": True}) for name in ("060@pod-001", "061@site")]
    links = [link(NAME, gate["id"]) for gate in gates]
    ledger = begun(
        Plan.model_validate(plan | {"activities": [*plan["activities"], *gates], "links": [*plan["links"], *links]})
    )
    run(ledger, {"n1": "ok", "n2": "ok", "n3": "ok"}, {"n1": "0.2", "n2": "0.3", "n3": "0.2"})
    for gate in gates:
        sign(ledger, "lead", gate["id"])

    reopen(ledger, "lead", NAME, "RMA 4711: board replaced", hosts=hosts)

    with open_snapshot(ledger.site_dir) as snapshot:
        assert [row.id for row in activities(snapshot) if row.stale] == stale


def test_a_replaced_server_that_fails_leaves_the_step_not_done(begun: Callable[[Plan], Ledger]) -> None:
    ledger = begun(plan_in_waves(waves=None, leads=(), each="host"))
    run(ledger, {"n1": "ok", "n2": "ok", "n3": "ok"}, {"n1": "0.2", "n2": "0.3", "n3": "0.2"})
    reopen(ledger, "lead", NAME, "RMA 4711", hosts=("n2",))

    assert run(ledger, {"n2": "ok"}, {"n2": "0.9"}) == "checked_not_met"


@pytest.mark.parametrize(
    ("leads", "host", "said"), [((), "n9", "no run that played n9"), (None, "n2", "played together")]
)
def test_what_cannot_be_done_again_on_one_host_is_not_opened(
    begun: Callable[[Plan], Ledger], leads: tuple[str, ...] | None, host: str, said: str
) -> None:
    ledger = begun(plan_in_waves(waves=None, leads=leads))
    run(ledger, {"n1": "ok", "n2": "ok", "n3": "ok"}, {"n1": "0.2", "n2": "0.2", "n3": "0.2"})

    with pytest.raises((InputError, NotSatisfiedError), match=said):
        reopen(ledger, "lead", NAME, "RMA 4711", hosts=(host,))


def test_without_waves_too_only_the_hosts_that_are_not_done_are_tried_again(begun: Callable[[Plan], Ledger]) -> None:
    """32 of 67 hosts that were absent made the other 35 be played again."""
    ledger = begun(plan_in_waves(waves=None, leads=(), each="host"))
    run(ledger, {"n1": "ok", "n2": "unreachable", "n3": "ok"}, {"n1": "0.2", "n3": "0.9"})

    request_retry(ledger, "lead", NAME)

    assert to_touch(ledger) == ("n2", "n3")
    assert run(ledger, {"n2": "ok", "n3": "ok"}, {"n2": "0.2", "n3": "0.2"}) == "done"
    assert audit(ledger.site_dir) == []


def test_hosts_with_plays_of_their_own_are_played_with_those_that_need_them(begun: Callable[[Plan], Ledger]) -> None:
    """The first of management serves the others, and what it reads is about all of them."""
    ledger = begun(plan_in_waves(waves=None, leads=("n3",)))
    run(ledger, {"n1": "ok", "n2": "failed", "n3": "ok"}, {"n3": "0.2"})

    request_retry(ledger, "lead", NAME)

    assert to_touch(ledger) == ("n2", "n3")
    assert audit(ledger.site_dir) == []


def test_where_every_host_is_done_and_the_step_is_not_all_are_tried_again(begun: Callable[[Plan], Ledger]) -> None:
    ledger = begun(plan_in_waves(waves=None, leads=()))
    run(ledger, {"n1": "ok", "n2": "ok", "n3": "ok"}, {})

    request_retry(ledger, "lead", NAME)

    assert to_touch(ledger) == HOSTS


def test_hosts_that_depend_on_one_another_are_all_tried_again(begun: Callable[[Plan], Ledger]) -> None:
    ledger = begun(plan_in_waves(waves=None))
    run(ledger, {"n1": "ok", "n2": "failed", "n3": "ok"}, {"n1": "0.2", "n3": "0.2"})

    request_retry(ledger, "lead", NAME)

    assert to_touch(ledger) == HOSTS


def test_what_another_playbook_has_done_is_done_again(begun: Callable[[Plan], Ledger]) -> None:
    """A playbook that was corrected between two attempts has shown nothing of the hosts that the old one did."""
    ledger = begun(plan_in_waves())
    run(ledger, {"n1": "ok", "n2": "failed", "n3": "ok"}, {"n1": "0.2", "n3": "0.2"})
    request_retry(ledger, "lead", NAME)

    assert to_touch(ledger, "corrected") == HOSTS
    assert run(ledger, {"n1": "ok", "n2": "ok", "n3": "failed"}, {"n1": "0.2", "n2": "0.2"}, "corrected") == "failed"
    with open_snapshot(ledger.site_dir) as snapshot:
        last = runs(snapshot, NAME)[-1]
        assert {i.host: i.status for i in items(snapshot, last.id)} == {"n1": "ok", "n2": "ok", "n3": "failed"}


def fail(ledger: Ledger, messages: dict[str, str], task: str = "Test the links") -> RunSettled:
    """Let a run end that failed on these hosts for these reasons."""
    take(ledger, NAME)
    results = tuple(
        ItemResult(host, "failed" if said else "ok", failed_task=task if said else "", message=said)
        for host, said in messages.items()
    )
    event = settle(ledger, "engine-1", NAME, RunOutcome("failed", results=results, playbook_digest=DIGEST))
    assert isinstance(event.payload, RunSettled)
    return event.payload


def test_retries_that_fail_for_the_same_cause_are_one_non_conformance_with_its_attempts(
    begun: Callable[[Plan], Ledger],
) -> None:
    """Each opened another one: a lead had five to decide about for one cable. Numbers and hosts may differ."""
    ledger = begun(plan_in_waves())
    first = fail(ledger, {"n1": "n1: 14 errors on mlx5_0", "n2": "n2: 9 errors on mlx5_0", "n3": ""})

    for count in (3, 250):
        request_retry(ledger, "lead", NAME)
        again = fail(ledger, {"n1": "", "n2": f"n2: {count} errors on mlx5_0"})
        assert (again.ncr, again.under) == (None, first.ncr)

    with open_snapshot(ledger.site_dir) as snapshot:
        (found,) = ncrs(snapshot, name=NAME)
    assert (found.id, found.inspections, found.closed_at) == (first.ncr, 2, None)
    assert audit(ledger.site_dir) == []


def test_another_cause_opens_another_non_conformance(begun: Callable[[Plan], Ledger]) -> None:
    ledger = begun(plan_in_waves())
    opened = []
    for said in ("14 errors on mlx5_0", "no power", "14 errors on mlx5_0", "no power"):
        settled = fail(ledger, {"n1": said})
        opened.append(settled.ncr)
        request_retry(ledger, "lead", NAME)

    assert opened == [opened[0], opened[1], None, None]
    assert opened[0] != opened[1]
    assert audit(ledger.site_dir) == []


def test_a_cause_that_was_closed_and_comes_again_opens_another_one(begun: Callable[[Plan], Ledger]) -> None:
    ledger = begun(plan_in_waves())
    first = fail(ledger, {"n1": "no power"})
    assert first.ncr
    disposition_ncr(ledger, "lead", first.ncr, "rework")
    close_ncr(ledger, "lead", first.ncr)
    request_retry(ledger, "lead", NAME)

    assert fail(ledger, {"n1": "no power"}).ncr not in {None, first.ncr}


def test_by_earlier_rules_each_failed_run_opened_one(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger of an earlier release has them, and its audit is clean."""
    monkeypatch.setattr(decisions, "RULES", ONE_BY_CAUSE - 1)
    ledger = request.getfixturevalue("begun")(plan_in_waves())
    numbers = []
    for _ in range(2):
        numbers.append(fail(ledger, {"n1": "no power"}).ncr)
        request_retry(ledger, "lead", NAME)

    assert len({*numbers}) == 2
    assert audit(ledger.site_dir) == []
