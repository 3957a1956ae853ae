"""What a question says may be done now, the decision accepts; what it says is blocked, the decision refuses in the same words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from ledger.entries import ItemEntry, RunOutcome
from ledger.questions.activities import activities
from ledger.questions.case import case_of, require_activity
from ledger.questions.checks import latest_entries, unchecked_items
from ledger.questions.facts import fact_needs
from ledger.questions.inbox import VERBS, inbox, may_now
from ledger.questions.ncrs import ncrs
from ledger.questions.records import comments
from ledger.questions.snapshot import Snapshot
from ledger.questions.why import criteria, unmet_of
from ledger.reading import open_snapshot
from ledger.rules.readings import asked_of
from ledger.subjects.checklists import decisions as checklists
from ledger.subjects.facts import decisions as facts
from ledger.subjects.orders import change_decisions as changes
from ledger.subjects.orders import decisions as orders
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs import decisions as run_decisions
from ledger.subjects.runs import request_decisions as requests
from ledger.subjects.runs.decisions import settle
from ledger.subjects.sign_off import decisions as sign_off
from ledger.subjects.sign_off.kinds import signed
from ledger.subjects.work import decisions as work
from ledger.subjects.work import evidence_decisions as evidence
from ledger.subjects.work.kinds import organisation_assigned
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, InputError, NotPermittedError
from steps.value import Value
from tests.ledger.conftest import PEOPLE, Clock, small_plan
from tests.ledger.deciding import IDS, Site, voltage
from tests.ledger.journey import take
from tests.ledger.trying import Trial, trials

SETTINGS = settings(
    max_examples=12,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)

Take = Callable[[Ledger, str, str], object]


def outcome(ledger: Ledger, decide: Callable[[], object]) -> ClusterwrightError | None:
    """Return the refusal of a decision, None where it is accepted. Nothing stays recorded."""
    with trials(ledger) as trial:
        return outcome_of(trial, decide)


def outcome_of(trial: Trial, decide: Callable[[], object]) -> ClusterwrightError | None:
    """Return the refusal of one of several decisions, None where it is accepted. Nothing stays recorded."""
    with trial():
        try:
            decide()
        except ClusterwrightError as refused:
            return refused
        return None


def in_words(refusal: ClusterwrightError | None) -> tuple[type, str, str] | None:
    """Return a refusal as a person reads it."""
    return None if refusal is None else (type(refusal), refusal.what, refusal.hint)


PLAIN: dict[str, Take] = {
    "start": work.start,
    "finish": work.finish,
    "sign": signed.sign,
    "reject": lambda ledger, person, name: sign_off.reject(ledger, person, name, "no"),
    "break-glass": lambda ledger, person, name: sign_off.break_glass(ledger, person, name, "the truck waits"),
    "attest": lambda ledger, person, name: evidence.attest(ledger, person, name, "outside"),
    "release": lambda ledger, person, name: run_decisions.release(
        ledger, person, name, hosts=["n1"], count=1, playbook_digest="d"
    ),
    "hold": lambda ledger, person, name: work.hold(ledger, person, name, "wait"),
    "resume": work.resume,
    "na": lambda ledger, person, name: work.na(ledger, person, name, "no need"),
    "reopen": lambda ledger, person, name: work.reopen(ledger, person, name, "again"),
    "comment": lambda ledger, person, name: work.comment(ledger, person, name, "seen"),
    "progress": lambda ledger, person, name: work.progress(ledger, person, name, note="seen"),
    "attach": lambda ledger, person, name: evidence.attach(ledger, person, name, b"photo", "photo"),
    "run": requests.request_run,
    "retry": requests.request_retry,
    "cancel": requests.request_cancel,
}
"""Decisions that need nothing but the activity and the person, besides words."""


def ways(snapshot: Snapshot, verb: str, name: str) -> list[Take]:
    """Return the ways in which a decision may be taken: one of them has to be accepted where it may be taken at all."""
    if verb in PLAIN:
        return [PLAIN[verb]]
    row = require_activity(snapshot, name)
    if verb == "waive":
        metrics = unmet_of(snapshot, name) or ["no.such"]
        return [partial(waive, metric) for metric in metrics]
    if verb == "measure":
        items = ["", *_hosts(snapshot, name)]
        asked = [(a.metric, a.criterion.value if a.criterion else Decimal(1), a.unit) for a in asked_of(row).values()]
        wanted = product(asked or [("no.such", Decimal(1), "")], items)
        return [partial(read, *reading, item) for reading, item in wanted]
    if verb == "check":
        entered = latest_entries(snapshot, row)
        good = [item for item, entry in entered.items() if not entry.failing]
        item = next(iter([*unchecked_items(snapshot, row), *good, "item-1"]))
        return [lambda b, p, n: checklists.check(b, p, n, [ItemEntry(item)])]
    known = {need.name: need.known for need in fact_needs(snapshot, row)}.get("feed.voltage")
    volts = 208 if known is not None and known.value == Decimal(415) else 415
    return [lambda b, p, n: facts.record_facts(b, p, n, [voltage(volts)], evidence=[b"letter"])]


def waive(metric: str, ledger: Ledger, person: str, name: str) -> object:
    """Waive one criterion."""
    return sign_off.waive(ledger, person, name, metric, "short", date(2026, 3, 1))


def read(metric: str, value: Value, unit: str, item: str, ledger: Ledger, person: str, name: str) -> object:
    """Record the limit of a criterion as what was read."""
    return work.measure(ledger, person, name, metric, value, unit, item=item)


def organised(ledger: Ledger, organisation: str) -> None:
    """Let one person belong to an organisation and everybody else to another."""
    people = [
        person.model_copy(update={"organisation": organisation if person.id == "tech" else "Somebody"})
        for person in small_plan().people
    ]
    adopt_plan(ledger, "pm", small_plan().model_copy(update={"people": tuple(people)}), reason="organisations")


def _hosts(snapshot: Snapshot, name: str) -> list[str]:
    case = case_of(snapshot, name, "tech")
    return sorted({read.item for read in case.reads} | {"pod-001-n1"})


class Agreeing(Site):
    """The random life of a site, at any moment of which questions and decisions are compared."""

    @rule(activity=st.sampled_from(IDS), person=st.sampled_from([*sorted(PEOPLE), "nobody"]))
    def every_verb_agrees(self, activity: str, person: str) -> None:
        """For one person and one activity, every verb."""
        with open_snapshot(self.site, self.clock.now) as snapshot:
            answers = may_now(snapshot, person, activity)
            asked = {verb: ways(snapshot, verb, activity) for verb in answers}
        with trials(self.ledger) as trial:
            for verb, refusal in answers.items():
                decisions = [partial(take, self.ledger, person, activity) for take in asked[verb]]
                self.agree(verb, refusal, [in_words(outcome_of(trial, decide)) for decide in decisions])

    def agree(
        self,
        verb: str,
        refusal: ClusterwrightError | None,
        outcomes: list[tuple[type, str, str] | None],
    ) -> None:
        """Compare what a question says with a decision that was taken in every way."""
        if refusal is None:
            assert None in outcomes, (verb, outcomes)
        else:
            assert set(outcomes) == {in_words(refusal)}, verb

    @rule(person=st.sampled_from(sorted(PEOPLE)))
    def the_inbox_agrees(self, person: str) -> None:
        """Everything that waits for a person is accepted from them, or says why not."""
        with open_snapshot(self.site, self.clock.now) as snapshot:
            waiting = [row for row in inbox(snapshot, person) if row.action != "decide"]
            asked = [self.taking(snapshot, row.action, row.activity, row.title) for row in waiting]
        with trials(self.ledger) as trial:
            for row, ways_of_it in zip(waiting, asked, strict=True):
                decisions = [partial(take, self.ledger, person, row.activity) for take in ways_of_it]
                outcomes = [outcome_of(trial, decide) for decide in decisions]
                words = {refusal.what if refusal else "" for refusal in outcomes}
                assert row.blocked_by in words, (row, words)

    def taking(self, snapshot: Snapshot, action: str, name: str, title: str) -> list[Take]:
        """Return how what an inbox names is done."""
        if action == "order":
            return [orders.order]
        if action == "change":
            return [
                lambda ledger, person, _: changes.decide_change(ledger, person, title.partition(":")[0], approved=True)
            ]
        return ways(snapshot, action, name)


@pytest.mark.slow
@pytest.mark.hypothesis
def test_questions_and_decisions_agree(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """At random moments of a site's life, for anybody, about anything."""
    monkeypatch.setattr(Agreeing, "request", request)
    run_state_machine_as_test(Agreeing, settings=SETTINGS)


def test_every_verb_is_compared(ready: Ledger, clock: Clock) -> None:
    """A verb that a question answers and this file does not take would never be compared."""
    with open_snapshot(ready.site_dir, clock.now) as snapshot:
        assert {verb: len(ways(snapshot, verb, "030@pod-001")) > 0 for verb in VERBS} == dict.fromkeys(VERBS, True)


NUMBERS = st.one_of(
    st.decimals(allow_nan=True, allow_infinity=True),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=200),
    st.sampled_from(
        ["NaN", "sNaN", "nan", "inf", "-Infinity", "", " ", "0", "٣", "1_000", "1e999999", "9" * 5000, "0,2"]
    ),
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(value=NUMBERS)
def test_whatever_is_typed_is_judged_once(reading: Callable[[Any], None], value: Any) -> None:
    """A reading is refused and leaves no trace, or the event and the question say the same of it."""
    reading(value)


@pytest.fixture
def reading(ready: Ledger, clock: Clock) -> Callable[[Any], None]:
    """Return what types a value for a criterion that a run could not read, and compares; nothing stays recorded."""
    name, metric = "030@pod-001", "link.loss"
    take(ready, name)
    settle(ready, "engine-1", name, RunOutcome("ok"))

    def of(value: Any) -> None:
        try:
            with trials(ready) as trial, trial() as writing:
                event = work.measure(ready, "tech", name, metric, value, "dB", item="n1")
                asked = writing.at()
                (judged,) = [c for c in criteria(asked, name) if c.metric == metric]
                payload: Any = event.payload
                assert judged.verdict == ("failed" if payload.ncr else "met")
                assert {ncr.id for ncr in ncrs(asked)} == ({payload.ncr} if payload.ncr else set())
                assert Decimal(payload.reading.value).is_finite()
                return
        except InputError as refused:
            said = refused.what
        assert "link.loss is a number in dB" in said

    return of


NAMES = ["Ørsted", "Straße GmbH", "ACME  Power", "İstanbul Elektrik", "Δelta", "電力"]


@pytest.mark.parametrize("name", NAMES)
def test_an_organisation_is_the_same_to_questions_and_decisions(ledger: Ledger, clock: Clock, name: str) -> None:
    """However its name is typed, its work is listed to whom the decision lets report on it, and to nobody else."""
    organised(ledger, name)
    organisation_assigned.assign_organisation(ledger, "pm", "001@site", name)
    for typed in (name, name.upper(), name.lower(), f"  {name} ", name.casefold(), "Somebody else"):
        with open_snapshot(ledger.site_dir, clock.now) as snapshot:
            is_listed = "001@site" in {row.id for row in activities(snapshot, organisation=typed)}
        refusal = outcome(ledger, partial(organisation_assigned.assign_organisation, ledger, "pm", "001@site", typed))
        assert is_listed == (refusal is None), typed
    assert outcome(ledger, lambda: work.start(ledger, "tech", "001@site")) is None
    assert isinstance(outcome(ledger, lambda: work.start(ledger, "lead", "001@site")), NotPermittedError)


@pytest.mark.parametrize("text", ["x", "é" * 100_000, "\U0001f600 \u202e mixed"], ids=["short", "huge", "scripts"])
def test_what_is_written_is_read_back(ledger: Ledger, clock: Clock, text: str) -> None:
    """Huge text and any script come back as they were written; text of nothing but space is refused."""
    work.comment(ledger, "tech", "001@site", text)
    with open_snapshot(ledger.site_dir, clock.now) as snapshot:
        assert [comment.text for comment in comments(snapshot, "001@site")] == [text]
    with pytest.raises(InputError):
        work.comment(ledger, "tech", "001@site", " \t")
