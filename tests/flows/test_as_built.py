"""As-built documents: written from what the ledger holds, open until the last of it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from flows.engine.performer import Outcome
from flows.engine.state import Engine
from flows.performers import compute as computing
from flows.performers.as_built import AS_BUILT
from flows.performers.compute import compute_mark, prepare_compute
from flows.performers.real import RealPerformer
from flows.rehearsal.people import SimulatedPeople
from flows.rehearsal.performer import Simulator
from flows.rehearsal.planned_times import PlannedTimes
from flows.rehearsal.simulated_time import SimulatedClock
from ledger.entries import FactEntry, ItemResult, RunOutcome
from ledger.evidence.plans import read_plan
from ledger.evidence.store import load
from ledger.questions.case import require_activity
from ledger.questions.records import EvidenceRow, claims, evidence
from ledger.questions.why import criteria
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity
from ledger.subjects.facts.decisions import record_facts
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import settle
from ledger.subjects.sign_off.decisions import waive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, reopen, start
from ledger.subjects.work.evidence_decisions import attach, attest
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.planning.dates.dating import solved
from steps.planning.plan import Plan
from tests.ledger import malicious as bad
from tests.ledger.conftest import T0, Clock, activity, begun, criterion, earlier_rules, link, small_plan
from tests.ledger.journey import take

BY_HAND = {"needed": "by-hand", "roles": ["network-lead"]}
SAMPLE = [
    {"name": "cables.sampled", "unit": "count", "meaning": "followed by hand", "evidence": "audit-sample"},
    {"name": "cables.sample_errors", "unit": "count", "meaning": "not as drawn", "evidence": "audit-sample"},
]
NETWORK = [
    criterion("as_built.switches_covered_ratio", "==", 1, "ratio"),
    criterion("as_built.unexplained_differences", "==", 0, "count"),
    criterion("as_built.sampled_cable_ratio", ">=", Decimal("0.01"), "ratio"),
    criterion("as_built.sampled_cable_errors", "==", 0, "count"),
]
FOUND = [criterion("topology.mismatches", "==", 0, "count")]
PODS = ("pod-001", "pod-002")


def built_plan() -> Plan:
    """Return two pods whose leaves are configured and discovered, a spine, and the as-built documents."""
    by_hand = {"effect": "read", "policy": BY_HAND}
    made = [
        activity("050@site", items=2, items_of="spine switches"),
        *(activity(f"048@{pod}", kind="verify", items=8, items_of="leaf switches", **by_hand) for pod in PODS),
        *(
            activity(f"062@{pod}", kind="verify", items=100, items_of="links", criteria=FOUND, **by_hand)
            for pod in PODS
        ),
        activity(
            "070@site",
            kind="compute",
            items=18,
            items_of="switches",
            facts=SAMPLE,
            criteria=NETWORK,
            policy=BY_HAND | {"evidence": ["as-built-network", "audit-sample"]},
        ),
        activity("091@site", kind="gate", criteria=[criterion("ground_resistance", "<=", 1, "ohm")]),
        activity(
            "094@site",
            kind="compute",
            criteria=[criterion("asbuilt.open_differences", "==", 0, "count")],
            policy={"evidence": ["single-line", "panel-schedule"]},
        ),
    ]
    links = [
        link("062@pod-001", "070@site"),
        link("062@pod-002", "070@site", type="FF", map="as-they-come"),
        link("091@site", "094@site"),
    ]
    design = {"management_switches": 0, "rack_feed_v": 415, "rack_breaker_a": 80}
    return small_plan(activities=made, links=links, orders=[], design=design)


class Built:
    """The site, and an engine that works on it without a server."""

    def __init__(self, folder: Path, ledger: Ledger, clock: Clock) -> None:
        self.folder, self.ledger, self.clock = folder, ledger, clock
        self.engine = Engine(
            site_dir=folder,
            ledger=ledger,
            plan=_plan(folder),
            revision=1,
            clock=clock,
            performer=RealPerformer(folder, None, hands_off=True),
            linger_s=0,
            rehearsal=False,
        )

    def row(self, name: str) -> Activity:
        return _row(self.folder, name, self.clock())

    def compute(self, name: str) -> Outcome:
        with self.engine.snapshot() as snapshot:
            job = prepare_compute(self.engine, snapshot, require_activity(snapshot, name))
        return job()

    def mark(self, name: str) -> str:
        with self.engine.snapshot() as snapshot:
            return compute_mark(snapshot, require_activity(snapshot, name))

    def discovered(self, pod: str, mismatches: int = 0) -> None:
        assert take(self.ledger, f"062@{pod}")
        found = Measured("topology.mismatches", Decimal(mismatches), "count", source="ibdiagnet")
        settle(self.ledger, "engine-1", f"062@{pod}", RunOutcome("ok", measurements=(found,)))

    def configured(self, pod: str, leaves: int = 8) -> None:
        assert take(self.ledger, f"048@{pod}")
        results = tuple(ItemResult(f"{pod}-leaf-{n}", "ok") for n in range(leaves))
        settle(self.ledger, "engine-1", f"048@{pod}", RunOutcome("ok", results, ()))

    def spines(self) -> None:
        start(self.ledger, "tech", "050@site")
        finish(self.ledger, "tech", "050@site")
        sign(self.ledger, "lead", "050@site")

    def sampled(self, cables: int = 4, errors: int = 0) -> None:
        entries = [FactEntry("cables.sampled", Decimal(cables)), FactEntry("cables.sample_errors", Decimal(errors))]
        record_facts(self.ledger, "tech", "070@site", entries, evidence=[b"the sheet of the sample"])

    def kept(self, name: str) -> dict[str, list[EvidenceRow]]:
        attempt = self.row(name).attempt
        found: dict[str, list[EvidenceRow]] = {}
        with open_snapshot(self.folder) as snapshot:
            for item in evidence(snapshot, name):
                if item.attempt == attempt:
                    found.setdefault(item.kind, []).append(item)
        return found

    def document(self, name: str, kind: str) -> dict[str, Any]:
        files = {e.name: e.digest for e in self.kept(name)[kind]}
        json_file = next(digest for file, digest in files.items() if file.endswith(".json"))
        document: dict[str, Any] = json.loads(load(self.folder, json_file))
        return document


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Built]:
    monkeypatch.setattr(computing, "publish_calculation", lambda *_: None)
    clock = Clock()
    with earlier_rules(), begun(tmp_path / "site", clock) as ledger:
        adopt_plan(ledger, "pm", built_plan(), reason="first plan")
        yield Built(tmp_path / "site", ledger, clock)


def test_the_network_stays_open_until_the_last_pod_is_discovered(built: Built) -> None:
    built.spines()
    for pod in PODS:
        built.configured(pod)
    built.discovered("pod-001")
    asks = built.compute("070@site")
    built.sampled()
    held = built.compute("070@site")
    marked = built.mark("070@site")
    assert (asks.name, asks.asked) == ("Waits for facts", True)
    assert (held.name, held.asked) == ("Waits for others", False)
    assert held.message == "its end waits for 1: 062@pod-002"
    assert built.row("070@site").state.value == "ready"

    built.discovered("pod-002")

    assert built.mark("070@site") == marked.removesuffix(" held back") != marked
    assert built.compute("070@site").name == "Done"
    document = built.document("070@site", "as-built-network")
    assert document["results"]["as_built.switches_covered_ratio"]["value"] == "1"
    assert document["results"]["as_built.sampled_cable_ratio"]["value"] == "0.02"
    pods = {r["activity"]: r for r in document["records"]}
    assert pods["062@pod-002"]["measurements"][0]["source"] == "ibdiagnet"
    assert len(pods["048@pod-001"]["hosts"]) == 8
    assert [e.by for e in built.kept("070@site")["audit-sample"]] == ["tech"]
    assert audit(built.folder) == []


def test_a_mismatch_that_was_waived_is_still_a_difference(built: Built) -> None:
    built.spines()
    for pod in PODS:
        built.configured(pod)
    built.discovered("pod-001", mismatches=3)
    waive(built.ledger, "lead", "062@pod-001", "topology.mismatches", "swapped in spring", date(2026, 6, 1))
    built.discovered("pod-002")
    built.sampled()

    outcome = built.compute("070@site")

    assert outcome.name == "Checked, not met"
    found = built.document("070@site", "as-built-network")["results"]["as_built.unexplained_differences"]
    assert found["value"] == "3"
    assert "062@pod-001 topology.mismatches 3 count (waived)" in found["from"]


def test_what_was_done_outside_is_not_counted(built: Built) -> None:
    built.spines()
    built.configured("pod-001")
    attest(built.ledger, "tech", "048@pod-002", "by the maker")
    sign(built.ledger, "lead", "048@pod-002")
    for pod in PODS:
        built.discovered(pod)
    built.sampled()

    outcome = built.compute("070@site")

    assert outcome.name == "Checked, not met"
    assert "not measured: as_built.switches_covered_ratio" in outcome.message


def test_a_switch_that_no_run_reached_is_missing(built: Built) -> None:
    built.spines()
    built.configured("pod-001", leaves=7)
    built.configured("pod-002")
    for pod in PODS:
        built.discovered(pod)
    built.sampled()

    built.compute("070@site")

    results = built.document("070@site", "as-built-network")["results"]
    assert results["as_built.switches_covered"]["value"] == "17"


def test_facts_are_evidence_of_a_later_attempt_too(built: Built) -> None:
    built.spines()
    for pod in PODS:
        built.configured(pod)
        built.discovered(pod)
    built.sampled()
    built.compute("070@site")

    reopen(built.ledger, "lead", "070@site", "a rack was moved")
    assert built.compute("070@site").name == "Done"

    assert [e.by for e in built.kept("070@site")["audit-sample"]] == ["engine"]


def test_power_is_written_when_it_was_inspected_and_signed_with_the_engineers_drawing(built: Built) -> None:
    from ledger.subjects.work.decisions import measure

    assert built.row("094@site").state.value == "blocked"
    measure(built.ledger, "tech", "091@site", "ground_resistance", Decimal("0.4"), "ohm", source="meter")
    sign(built.ledger, "lead", "091@site")

    assert built.compute("094@site").name == "Awaiting sign-off"

    records = built.document("094@site", "panel-schedule")["records"]
    assert records[0]["measurements"][0]["value"] == "0.4"
    with pytest.raises(NotSatisfiedError, match="evidence is missing: single-line"):
        sign(built.ledger, "lead", "094@site")
    attach(built.ledger, "tech", "094@site", bad.pdf(), "single-line")
    sign(built.ledger, "lead", "094@site")
    assert built.row("094@site").state.value == "done"
    assert audit(built.folder) == []


def test_a_waived_reading_of_the_inspection_is_an_open_difference(built: Built) -> None:
    from ledger.subjects.work.decisions import measure

    measure(built.ledger, "tech", "091@site", "ground_resistance", Decimal(3), "ohm", source="meter")
    waive(built.ledger, "lead", "091@site", "ground_resistance", "second rod ordered", date(2026, 6, 1))
    sign(built.ledger, "lead", "091@site")

    assert built.compute("094@site").name == "Checked, not met"
    with open_snapshot(built.folder) as snapshot:
        assert [c.measured for c in criteria(snapshot, "094@site")] == ["1 count"]


def test_a_calculation_that_breaks_off_leaves_no_claim(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    from ledger.subjects.work.decisions import measure

    measure(built.ledger, "tech", "091@site", "ground_resistance", Decimal("0.4"), "ohm", source="meter")
    sign(built.ledger, "lead", "091@site")

    def broken(*_: object) -> None:
        raise ValueError("no such rack")

    monkeypatch.setitem(AS_BUILT, "094", broken)

    outcome = built.compute("094@site")

    assert outcome.failed
    assert outcome.message == "the calculation broke off: no such rack"
    assert built.row("094@site").state.value == "failed"
    with open_snapshot(built.folder) as snapshot:
        assert not claims(snapshot)


def test_a_rehearsal_holds_the_as_built_back_too(tmp_path: Path) -> None:
    folder, clock = tmp_path / "rehearsal", SimulatedClock(T0)
    with begun(folder, clock, rehearsal=True) as ledger:
        adopt_plan(ledger, "pm", solved(built_plan()).plan, reason="rehearse")
        plan = _plan(folder)
        people = SimulatedPeople(ledger, plan, clock)
        simulator = Simulator(clock, PlannedTimes(plan), people)
        engine = Engine(folder, ledger, plan, 1, clock, simulator, linger_s=0, rehearsal=True)

        def states() -> dict[str, str]:
            names = ("062@pod-001", "062@pod-002", "070@site")
            return {name: _row(folder, name, clock()).state.value for name in names}

        def begin(name: str) -> None:
            with engine.snapshot() as snapshot:
                job = simulator.prepare(engine, snapshot, require_activity(snapshot, name))
            job()

        for name in ("062@pod-001", "070@site"):
            begin(name)
            for decision in clock.move_to(clock() + timedelta(days=9)):
                decision()
        assert states() == {"062@pod-001": "done", "062@pod-002": "ready", "070@site": "running"}
        simulator.retry_held_back()
        assert states()["070@site"] == "running"

        begin("062@pod-002")
        for decision in clock.move_to(clock() + timedelta(days=9)):
            decision()
        simulator.retry_held_back()

        assert set(states().values()) == {"done"}


def _plan(folder: Path) -> Plan:
    with open_snapshot(folder) as snapshot:
        return read_plan(snapshot)


def _row(folder: Path, name: str, now: datetime) -> Activity:
    with open_snapshot(folder, now) as snapshot:
        return require_activity(snapshot, name)
