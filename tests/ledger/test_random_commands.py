"""Whatever people and engines try, in any order, some things always hold."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.audit import audit
from ledger.database import Ledger
from ledger.reads import Reader
from ledger.services import buying, changing, conforming, contracting, runs, signing, work
from ledger.services.planning import adopt_plan, create_ledger
from ledger.services.runs import RunOutcome
from ledger.transitions import State
from steps.errors import ClusterwrightError
from steps.schedule.plan import Plan
from tests.ledger.conftest import PEOPLE, Clock, criterion, share_if_asked, small_plan
from tests.ledger.journey import GOOD, MTU, take
from tests.ledger.test_facts import plan_with_facts

POD = [f"{step}@pod-001" for step in ("010", "020", "030", "040", "050")]
IDS = ["001@site", *POD, "085@site", "086@site", "195@site"]

Command = Callable[[Ledger, str, str, Clock], object]

COMMANDS: dict[str, Command] = {
    "start": lambda b, p, a, _: work.start(b, p, a),
    "finish": lambda b, p, a, _: work.finish(b, p, a),
    "sign": lambda b, p, a, _: signing.sign(b, p, a),
    "photo": lambda b, p, a, _: work.attach(b, p, a, b"photo", "photo"),
    "reject": lambda b, p, a, _: signing.reject(b, p, a, "no"),
    "decide": lambda b, p, _a, _: conforming.disposition_ncr(
        b, p, "NCR-0001", "rework", owner="tech", due=date(2026, 3, 1)
    ),
    "close": lambda b, p, _a, _: conforming.close_ncr(b, p, "NCR-0001"),
    "hold": lambda b, p, a, _: work.hold(b, p, a, "wait"),
    "resume": lambda b, p, a, _: work.resume(b, p, a),
    "na": lambda b, p, a, _: work.na(b, p, a, "no need"),
    "reopen": lambda b, p, a, _: work.reopen(b, p, a, "again"),
    "attest": lambda b, p, a, _: work.attest(b, p, a, "outside"),
    "waive": lambda b, p, a, _: signing.waive(b, p, a, "link.loss", "short", date(2026, 3, 1)),
    "release": lambda b, p, a, _: signing.release(b, p, a, hosts=["n"], count=1, playbook_digest="d"),
    "claim": lambda b, _p, a, _: take(b, a),
    "good": lambda b, _p, a, _: runs.settle(b, "engine-1", a, RunOutcome("ok", measurements=(*GOOD, *MTU))),
    "bad": lambda b, _p, a, _: runs.settle(b, "engine-1", a, RunOutcome("ok")),
    "stopped": lambda b, _p, a, _: runs.settle(b, "engine-1", a, RunOutcome("interrupted")),
    "retry": lambda b, p, a, _: runs.request_retry(b, p, a),
    "duplicate": lambda b, _p, a, _: work.settle_duplicate(b, "engine", a),
    "order": lambda b, p, _a, _: buying.order(b, p, "001@site#gpu-server"),
    "receive": lambda b, p, _a, _: buying.receive(b, p, "001@site#gpu-server/1"),
    "part": lambda b, p, _a, _: buying.receive(b, p, "001@site#gpu-server/1", 3),
    "more": lambda b, p, _a, _: changing.ask_change(b, p, "001@site#gpu-server/1", quantity=17, value=5, reason="more"),
    "less": lambda b, p, _a, _: changing.ask_change(b, p, "001@site#gpu-server/1", quantity=3, reason="less"),
    "approve": lambda b, p, _a, _: changing.decide_change(b, p, "CO-0001", approve=True),
    "give": lambda b, p, a, _: contracting.assign_organisation(b, p, a, ""),
    "day": lambda _b, _p, _a, c: c.forward(24),
    "adopt": lambda b, p, _a, _: adopt_plan(b, p, plan_with_facts(), reason="again"),
    "revise": lambda b, p, _a, _: adopt_plan(b, p, otherwise(), reason="otherwise"),
    "low": lambda b, p, a, _: work.record_facts(b, p, a, [voltage(208)], evidence=[b"letter"]),
    "high": lambda b, p, a, _: work.record_facts(b, p, a, [voltage(415)], evidence=[b"letter"]),
}


def voltage(volts: int) -> work.FactEntry:
    """Give what the facility gives."""
    return work.FactEntry("feed.voltage", Decimal(volts))


def otherwise() -> Plan:
    """Give the plan with another threshold, another policy and another quantity."""
    changed = {
        "030@pod-001": {"criteria": [criterion("link.loss", "<=", Decimal("0.3"), "dB")]},
        "020@pod-001": {"items": 4, "ncr_class": "A"},
        "001@site": {"title": "Step 001, renamed"},
    }
    plan = plan_with_facts().model_dump()
    activities = [a | changed.get(a["id"], {}) for a in plan["activities"]]
    return small_plan(activities=activities, links=plan["links"])


STEPS = st.lists(
    st.tuples(st.sampled_from(sorted(COMMANDS)), st.sampled_from(sorted(PEOPLE)), st.sampled_from(IDS)),
    min_size=5,
    max_size=60,
)


def prelude(ledger: Ledger, clock: Clock) -> None:
    """Most random walks never get past the order; begin some of them behind it."""
    from tests.ledger.journey import bought, racked

    bought(ledger)
    racked(ledger)
    clock.forward(24)


def check(reader: Reader, clock: Clock) -> None:
    """What must hold after any sequence."""
    rows = {row.id: row for row in reader.activities(clock.now)}
    for row in rows.values():
        if row.state is State.DONE and row.kind in {"procure", "field", "gate"} and "before" not in row.flags:
            signed = [s for s in reader.sign_offs(row.id) if s.attempt == row.attempt and s.decision == "approved"]
            assert len({s.person for s in signed}) >= row.quorum
        if row.state is State.READY:
            for link in reader.predecessors(row.id, clock.now):
                assert link.state in {"done", "not_applicable", "placed", "received", "stale"}, (row.id, link)
        if row.state is State.DONE and row.kind == "verify" and not row.flags & {"attested", "waived"}:
            is_open = {c.verdict for c in reader.criteria(row.id)} - {"met"}
            assert not is_open or row.completed_by
    for ncr in reader.ncrs(open_only=True):
        if ncr.ncr_class == "A":
            assert rows["195@site"].state is not State.DONE or "stale" in rows["195@site"].flags
            assert rows[ncr.activity].state is not State.DONE
    running = {row.id for row in rows.values() if row.state is State.RUNNING}
    assert {c.activity for c in reader.claims()} == running
    assert reader.counts(clock.now).total == len(rows)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS, late=st.booleans())
def test_random_commands_keep_the_rules(
    request: pytest.FixtureRequest, steps: list[tuple[str, str, str]], late: bool
) -> None:
    """Refusals are fine; broken rules, a broken chain or a replay that differs are not."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        share_if_asked(site, request)
        with create_ledger(site, site_name="S", time_zone="UTC", rehearsal=False, owner="pm", clock=clock) as ledger:
            adopt_plan(ledger, "pm", plan_with_facts(), reason="first")
            if late:
                prelude(ledger, clock)
            for verb, person, activity in steps:
                try:
                    COMMANDS[verb](ledger, person, activity, clock)
                except ClusterwrightError:
                    continue
            with Reader.open(site) as reader:
                check(reader, clock)
        assert audit(site) == []
