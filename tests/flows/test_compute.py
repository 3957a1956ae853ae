"""Compute steps in the flow: worked out, kept as evidence, waiting for facts, and worked out again."""

from __future__ import annotations

import csv
import io
import json
import weakref
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from flows.dashboard.server import PrefectServer
from ledger.entries import FactEntry
from ledger.evidence.store import load
from ledger.project_time import project_now
from ledger.questions.records import evidence, sign_offs
from ledger.questions.why import criteria
from ledger.reading import open_snapshot
from ledger.subjects.facts.decisions import record_facts
from ledger.subjects.plan.decisions import adopt_plan
from ledger.trust.audit import audit
from ledger.writing import Ledger
from steps.catalog.loader import read_roles
from steps.design.design import design_of
from steps.design.site import Site
from steps.planning.plan import Plan
from steps.planning.planner import Hosts, Surroundings, make_plan
from tests.flows.conftest import Running, Start, row, state, task_runs, until
from tests.ledger.conftest import begun
from tests.shipped import shipped_catalog

pytestmark = pytest.mark.slow

ALONE = ("036", "037", "071", "072", "073", "096", "121")
"""Worked out with nothing but the design, from the first day."""
FEED = {"feed.voltage": 415, "feed.breaker": 100, "feed.count": 2, "feed.phases": 3}


def real_plan(**overrides: float) -> Plan:
    """Return the plan of one scalable unit, made as the command line makes it."""
    site = Site.model_validate(
        {
            "name": "one-unit",
            "time_zone": "Etc/UTC",
            "country": "US",
            "currency": "USD",
            "preset": "superpod-1su",
            "start": "2026-01-05",
            "overrides": {"rack_feeds": 2} | overrides,
            "people": [
                {"id": "pm", "roles": ["owner-pm", "electrical-engineer"]},
                {"id": "lead", "roles": ["electrical-lead", "mechanical-lead", "network-lead", "architect"]},
            ],
        }
    )
    roles = {slug: role.title for slug, role in read_roles().items()}
    return make_plan(site, design_of(site), shipped_catalog(), Surroundings(roles=roles, hosts=Hosts(), digests={}))


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """One scalable unit on its first day, with its plan in force."""
    folder = tmp_path / "unit"
    with begun(folder, project_now) as ledger:
        adopt_plan(ledger, "pm", real_plan(), reason="first plan")
    return folder


def all_done(site: Path, *steps: str, attempt: int = 1) -> Callable[[], bool]:
    """Return a condition: whether these steps are done at the site."""

    def done() -> bool:
        rows = [row(site, f"{step}@site") for step in steps]
        return all(r.state.value == "done" and r.attempt == attempt for r in rows)

    return done


def documents(site: Path, name: str) -> dict[str, str]:
    """Return the evidence of an activity's present attempt: kind and content by file name."""
    attempt = row(site, name).attempt
    with open_snapshot(site) as snapshot:
        found = [e for e in evidence(snapshot, name) if e.attempt == attempt]
    return {f"{e.kind}: {e.name}": load(site, e.digest).decode() for e in found}


def task(server: PrefectServer, running: Running, begins: str) -> dict[str, Any]:
    """Return the state of the task whose name begins so."""
    found = [run["state"] or {} for run in task_runs(server, running) if run["name"].startswith(begins)]
    return found[-1] if found else {}


def record(site: Path, name: str, facts: dict[str, Any]) -> None:
    """Enter facts as a person does."""
    entries = [FactEntry(key, Decimal(v) if isinstance(v, int) else v) for key, v in facts.items()]
    with Ledger.open(site) as ledger:
        record_facts(ledger, "pm", name, entries, evidence=[b"letter of the facility"], source="letter")


def test_what_follows_from_the_design_is_done_without_a_person(unit: Path, start: Start, server: PrefectServer) -> None:
    shared = weakref.ref(start(unit).engine.calculator)
    until(all_done(unit, *ALONE), seconds=60)
    until(lambda: shared() is None, seconds=30)  # an engine that is idle keeps no cables

    kept = documents(unit, "037@site")
    sheet = json.loads(kept["port-count-sheet: 037-site.json"])
    assert sheet["results"]["design.leaf_switches"] == {
        "value": "8",
        "unit": "count",
        "from": "counted on the cable schedule: leaf switches with a cable",
    }
    assert sheet["inputs"]["radix"]["value"] == "64"
    cables = list(csv.DictReader(io.StringIO(kept["cable-schedule: cable-schedule.csv"])))
    assert len(cables) == 32 * 8 + 8 * 32
    assert {"rail-map: rail-map.csv", "topology-drawing: 036-site.json"} == set(documents(unit, "036@site"))
    assert set(documents(unit, "072@site")) == {"power-calculation: 072-site.json"}
    with open_snapshot(unit) as snapshot:
        assert not sign_offs(snapshot, "037@site")
        assert {c.verdict for step in ALONE for c in criteria(snapshot, f"{step}@site")} == {"met"}
    shown = [a for a in server.api.some("artifacts", {}) if a["key"] == "calculation-072-site"]
    assert shown[0]["type"] == "table"
    assert "power.it_mw" in shown[0]["data"]
    assert audit(unit) == []


def test_a_step_waits_for_its_facts_and_goes_on_when_they_are_there(
    unit: Path, start: Start, server: PrefectServer
) -> None:
    running = start(unit)
    until(lambda: task(server, running, "085 ").get("name") == "Waits for facts", seconds=60)
    said = task(server, running, "085 ")["message"]
    assert "clusterwright fact 085@site feed.voltage=VALUEV feed.breaker=VALUEA" in said
    assert state(unit, "085@site") == "ready"
    assert not documents(unit, "085@site")

    record(unit, "085@site", FEED)
    until(all_done(unit, "085"), seconds=15)

    kept = documents(unit, "085@site")
    calculation = json.loads(kept["breaker-calculation: 085-site.json"])
    assert calculation["facts"]["feed.voltage"]["value"] == "415"
    assert calculation["results"]["rack.kw_one_feed_lost"]["value"] == "57.504087"
    assert kept["facility-fact: fact.txt"] == "letter of the facility"
    with open_snapshot(unit) as snapshot:
        assert not sign_offs(snapshot, "085@site")


def test_facts_that_do_not_carry_the_design_are_not_met_until_they_do(unit: Path, start: Start) -> None:
    record(unit, "085@site", FEED | {"feed.voltage": 208, "feed.breaker": 60})
    start(unit)
    until(lambda: state(unit, "085@site") == "checked_not_met", seconds=60)
    with open_snapshot(unit) as snapshot:
        verdict = {c.metric: (c.verdict, c.measured) for c in criteria(snapshot, "085@site")}
    assert verdict["rack.kw_one_feed_lost"] == ("failed", "17.292795 kW")

    record(unit, "085@site", FEED)

    until(all_done(unit, "085", attempt=2), seconds=15)
    assert "facility-fact: fact.txt" in documents(unit, "085@site")


def test_a_changed_design_is_worked_out_again_and_nothing_else(unit: Path, start: Start) -> None:
    start(unit)
    until(all_done(unit, *ALONE), seconds=60)

    with Ledger.open(unit) as ledger:
        adopt_plan(ledger, "pm", real_plan(pue=1.2), reason="a better plant")
    until(all_done(unit, "073", attempt=2), seconds=30)

    calculation = json.loads(documents(unit, "073@site")["power-calculation: 073-site.json"])
    assert calculation["plan_revision"] == 2
    assert calculation["inputs"]["pue"]["value"] == "1.2"
    assert {step: (row(unit, f"{step}@site").attempt, row(unit, f"{step}@site").flags) for step in ALONE} == {
        **dict.fromkeys(("036", "037", "071", "072", "121"), (1, frozenset())),
        "073": (2, frozenset()),
        "096": (1, frozenset({"stale"})),
    }
    assert audit(unit) == []
