"""Facts about the facility: entered by people with evidence, kept for the unit, and what rests on them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from msgspec import to_builtins

from ledger.entries import FactEntry, RunOutcome
from ledger.questions.case import require_activity
from ledger.questions.facts import fact_mark, fact_needs, facts
from ledger.questions.inbox import inbox
from ledger.questions.records import evidence
from ledger.questions.why import why
from ledger.reading import open_snapshot
from ledger.subjects.facts.decisions import record_facts
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import settle
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from steps.acceptance.measured import Measured
from steps.planning.plan import Plan
from tests.ledger.conftest import Clock, Look, activity, criterion, link, small_plan
from tests.ledger.journey import take

FEED = {"name": "feed.voltage", "unit": "V", "meaning": "voltage at the rack"}
PLUG = {"name": "plug", "unit": "choice", "meaning": "inlet of the server", "options": ["C14", "C20"]}
LETTER = b"the facility's letter"


def plan_with_facts(**changes: Any) -> Plan:
    """Return the small plan with two steps that ask for facts at the site, and one of people's after the first."""
    plan = small_plan().model_dump(mode="json")
    compute = {"kind": "compute", "phase": "power", "policy": {"needed": "by-hand"}}
    extra = [
        activity("085@site", facts=[FEED], criteria=[criterion("rack.kw", ">=", 40, "kW")], **_copied(compute)),
        activity("086@site", facts=[FEED, PLUG], **_copied(compute)),
        activity("087@site", phase="power"),
    ]
    links = [link("085@site", "087@site")]
    return small_plan(activities=plan["activities"] + extra, links=plan["links"] + links, **changes)


def _copied(given: dict[str, Any]) -> dict[str, Any]:
    return {key: dict(value) if isinstance(value, dict) else value for key, value in given.items()}


@pytest.fixture
def asking(empty: Ledger) -> Ledger:
    adopt_plan(empty, "pm", plan_with_facts(), reason="first plan")
    return empty


def settled(ledger: Ledger, kw: int, name: str = "085@site") -> None:
    """Have the engine work it out."""
    assert take(ledger, name)
    settle(ledger, "engine-1", name, RunOutcome("ok", measurements=(Measured("rack.kw", Decimal(kw), "kW"),)))


def voltage(ledger: Ledger, volts: int, unit: str = "V") -> None:
    """Enter the facts about the facility."""
    entry = FactEntry("feed.voltage", Decimal(volts), unit)
    record_facts(ledger, "tech", "085@site", [entry], evidence=[LETTER], source="letter of 5 January")


def test_what_is_asked_for_and_not_known_is_said_with_the_command(asking: Ledger, look: Look, clock: Clock) -> None:
    """A person who waits for a number must read which one, and how to enter it."""
    needs = why(look(clock.now), "086@site").needs

    assert needs == (
        "feed.voltage in V: voltage at the rack",
        "plug in choice: inlet of the server",
        "from technician: clusterwright fact 086@site feed.voltage=VALUEV plug=C14|C20 --evidence FILE",
    )
    assert ("085@site", "fact") in {(r.activity, r.action) for r in inbox(look(clock.now), "tech")}


def test_a_fact_is_known_at_its_unit_to_all_that_ask(asking: Ledger, look: Look, clock: Clock) -> None:
    """Nobody is asked twice for the same voltage."""
    before = fact_mark(look(), require_activity(look(), "086@site"))
    voltage(asking, 415)

    known = {need.name: need.known for need in fact_needs(look(), require_activity(look(), "086@site"))}
    assert known["plug"] is None
    assert known["feed.voltage"] is not None
    assert (known["feed.voltage"].value, known["feed.voltage"].by) == (Decimal(415), "tech")
    assert before == 0 < fact_mark(look(), require_activity(look(), "086@site"))
    assert why(look(clock.now), "085@site").needs == ()
    assert [(e.kind, e.by) for e in evidence(look(), "085@site")] == [("facility-fact", "tech")]
    assert audit(asking.site_dir) == []


def test_a_fact_is_kept_in_the_unit_that_is_asked_for(asking: Ledger, look: Look) -> None:
    """0.4 kV is 400 V."""
    record_facts(asking, "tech", "085@site", [FactEntry("feed.voltage", Decimal("0.4"), "kV")], evidence=[LETTER])

    fact = facts(look(), "site")[0]
    assert (fact.value, fact.unit_of_measure) == (Decimal(400), "V")


@pytest.mark.parametrize(
    ("name", "entries", "says"),
    [
        ("085@site", [FactEntry("feed.voltage", Decimal(415), "kW")], "cannot be compared"),
        ("085@site", [FactEntry("feed.voltage", "much")], "is a number in V"),
        ("085@site", [FactEntry("feed.voltage", Decimal(-1))], "cannot be -1"),
        ("085@site", [FactEntry("feed.current", Decimal(80))], "does not ask for 'feed.current'"),
        ("086@site", [FactEntry("plug", "C13")], "one of C14, C20"),
        ("086@site", [FactEntry("plug", "C14"), FactEntry("plug", "C20")], "there twice"),
        ("001@site", [FactEntry("plug", "C14")], "does not ask for"),
        ("085@site", [], "there is no fact to record"),
    ],
)
def test_what_is_not_a_fact_that_is_asked_for_is_refused(
    asking: Ledger, name: str, entries: list[FactEntry], says: str
) -> None:
    """A wrong unit, an unknown name, a word that is no option."""
    with pytest.raises(InputError, match=says):
        record_facts(asking, "tech", name, entries, evidence=[LETTER])


def test_a_fact_needs_a_person_and_evidence(asking: Ledger) -> None:
    """The engine knows nothing of the facility, and nobody's word alone counts."""
    entries = [FactEntry("feed.voltage", Decimal(415))]
    with pytest.raises(InputError, match="needs evidence"):
        record_facts(asking, "tech", "085@site", entries, evidence=[])
    with pytest.raises(NotSatisfiedError, match="the engine may not record a fact"):
        record_facts(asking, "engine", "085@site", entries, evidence=[LETTER])


def test_another_value_opens_again_what_rested_on_it(asking: Ledger, look: Look, clock: Clock) -> None:
    """A result that rests on 415 V is no result at 208 V; the same value again changes nothing."""
    voltage(asking, 415)
    settled(asking, 46)
    start(asking, "tech", "087@site")
    finish(asking, "tech", "087@site")
    sign(asking, "lead", "087@site")
    voltage(asking, 415)
    assert require_activity(look(clock.now), "085@site").state.value == "done"

    voltage(asking, 208)

    opened = require_activity(look(clock.now), "085@site")
    assert (opened.state.value, opened.attempt) == ("ready", 2)
    assert opened.last_note == "feed.voltage is 208 V, was 415"
    assert require_activity(look(clock.now), "087@site").flags == {"stale"}
    assert require_activity(look(clock.now), "086@site").attempt == 1
    assert audit(asking.site_dir) == []


def test_a_corrected_fact_lets_what_was_not_met_be_judged_again(asking: Ledger, look: Look, clock: Clock) -> None:
    """Who typed 41 V for 415 corrects it, and need not ask for another try."""
    voltage(asking, 41)
    settled(asking, 4)
    assert require_activity(look(clock.now), "085@site").state.value == "checked_not_met"

    voltage(asking, 415)

    assert require_activity(look(clock.now), "085@site").state.value == "ready"


def test_who_entered_a_fact_does_not_approve_what_rests_on_it(empty: Ledger, clock: Clock) -> None:
    """The person who gave the number took part in the work; another reviews it, and may send it back to be worked out."""
    always = [to_builtins(a) for a in plan_with_facts().activities]
    next(a for a in always if a["id"] == "085@site")["policy"]["needed"] = "always"
    adopt_plan(empty, "pm", small_plan(activities=always, links=plan_with_facts().links), reason="first plan")
    entry = FactEntry("feed.voltage", Decimal(415))
    record_facts(empty, "lead", "085@site", [entry], evidence=[LETTER])
    settled(empty, 46)
    with pytest.raises(NotSatisfiedError, match="lead did the work of 085@site"):
        sign(empty, "lead", "085@site")
    reject(empty, "lead2", "085@site", "which letter?")

    with open_snapshot(empty.site_dir, clock.now) as snapshot:
        assert require_activity(snapshot, "085@site").state.value == "ready"
    settled(empty, 46)
    sign(empty, "lead2", "085@site")
    assert audit(empty.site_dir) == []


def test_a_fact_is_refused_while_the_step_runs(asking: Ledger) -> None:
    """What is being worked out must not change under the calculator's hands."""
    voltage(asking, 415)
    take(asking, "085@site")

    with pytest.raises(NotSatisfiedError, match="cannot take 'fact' now"):
        voltage(asking, 208)


def test_a_ledger_of_before_there_were_facts_gets_them_from_its_events(asking: Ledger, clock: Clock) -> None:
    """A file of 0.1.0 has no such tables: they are drawn from the plan in force and from what was recorded."""
    voltage(asking, 415)
    site = asking.site_dir
    with asking.write() as writing:
        connection = writing.projection.connection
        connection.exec_driver_sql("DROP TABLE fact")
        connection.exec_driver_sql("PRAGMA user_version=1")
    asking.close()

    with Ledger.open(site, clock=clock), open_snapshot(site) as snapshot:
        assert [fact.value for fact in facts(snapshot)] == [Decimal(415)]
        assert len(fact_needs(snapshot, require_activity(snapshot, "086@site"))) == 2
    assert audit(site) == []
