"""Payloads about facts: values of the facility that people record, and the activities that these open again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.entries import FactEntry
from ledger.log.payload import Again as Reopened
from ledger.log.payload import Shown
from ledger.questions.case import LookedUp, select
from ledger.questions.facts import facts as known_facts
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Action, State
from ledger.rules.approval import permitted, stored_state
from ledger.subjects.again import Tables, about_case
from ledger.subjects.facts import rules
from ledger.subjects.facts.payloads import FactPart, FactsRecorded
from ledger.subjects.work.rules import record_facts as may_record
from schedule.errors import InputError
from steps.planning.activity import PlanFact
from steps.value import Value, text_value, value_text


def entered(case: LookedUp, entries: Sequence[FactEntry]) -> list[tuple[PlanFact, Value]]:
    """Return the entered facts in the units that the activity asks for. Raise if the actor may not record them."""
    may_record(case)
    return rules.facts_of(case.row, entries)


def facts_recorded(
    case: LookedUp,
    found: Sequence[tuple[PlanFact, Value]],
    files: Sequence[Shown],
    source: str,
) -> FactsRecorded:
    """Return facts with their evidence, and the activities whose results were worked out from other values."""
    if not files:
        raise InputError("a fact needs evidence", hint="add --evidence FILE: the document or photo that shows it")
    row = case.row
    facts = []
    for need, value in found:
        text = value_text(value) or ""
        facts.append(FactPart(name=need.name, value=text, unit=need.unit))
    reopened = tuple(_resting(case.snapshot, row.plan.unit, facts))
    is_reopened = row.id in {again.activity for again in reopened}
    permitted(case, Action.FACT, State.OPEN if is_reopened else stored_state(row))
    return FactsRecorded(
        unit=row.plan.unit,
        facts=tuple(facts),
        source=source,
        evidence=tuple(files),
        reopened=reopened,
    )


def _resting(snapshot: Snapshot, unit: str, facts: Sequence[FactPart]) -> Iterator[Reopened]:
    """Yield the activities of the unit whose result was worked out from another value of a fact."""
    known = {fact.name: value_text(fact.value) for fact in known_facts(snapshot, unit)}
    changed = [fact for fact in facts if known.get(fact.name) != fact.value]
    for row in select(snapshot, "unit = :unit", unit=unit) if changed else ():
        asked = {need.name for need in row.plan.facts}
        mine = [fact for fact in changed if fact.name in asked]
        if mine and rules.rests(row.state):
            why = (f"{f.name} is {f.value} {f.unit}, was {known.get(f.name) or 'not known'}" for f in mine)
            yield Reopened(activity=row.id, why="; ".join(why))


def _recorded_again(case: LookedUp, p: FactsRecorded) -> FactsRecorded:
    options = {need.name: need.options for need in case.row.plan.facts}
    entries = []
    for fact in p.facts:
        value = fact.value if options.get(fact.name) else text_value(fact.value)
        entries.append(FactEntry(fact.name, fact.value if value is None else value, fact.unit))
    return facts_recorded(case, entered(case, entries), p.evidence, p.source)


AGAIN: Tables = {FactsRecorded: about_case(_recorded_again)}
