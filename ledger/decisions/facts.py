"""Facts about the facility, recorded by a person with evidence.

A fact belongs to a unit of the site. It is recorded once and serves every activity there that needs it, until another value
is recorded under the same name. Activities whose results were worked out from the earlier value are opened again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from ledger.entries import FactEntry
from ledger.log.chain import Event
from ledger.log.payloads.base import Again
from ledger.log.payloads.facts import FactPart, FactsRecorded
from ledger.questions.case import select
from ledger.questions.facts import facts as known_facts
from ledger.questions.snapshot import Snapshot
from ledger.rules import facts as rules
from ledger.rules.activity import Action, State
from ledger.rules.approval import permitted, stored_state
from ledger.rules.work import record_facts as may_record
from ledger.writing import Ledger
from steps.errors import InputError
from steps.value import value_text


def record_facts(
    ledger: Ledger,
    actor: str,
    activity: str,
    entries: Sequence[FactEntry],
    *,
    evidence: Sequence[Path | bytes],
    source: str = "",
    at: datetime | None = None,
) -> Event:
    """Record facts that an activity needs, with their evidence. The engine then works the activity out, or works it out again."""
    if not evidence:
        raise InputError("a fact needs evidence", hint="add --evidence FILE: the document or photo that shows it")
    intake = ledger.intake()
    named = [(item, "fact.txt" if isinstance(item, bytes) else item.name) for item in evidence]
    kept = [intake.take(item, name) for item, name in named]
    with ledger.case(activity, actor, at) as case:
        row = case.row
        may_record(case)
        found = rules.facts_of(row, entries)
        facts = tuple(
            FactPart(
                name=need.name,
                value=value_text(value) or "",
                unit=need.unit,
            )
            for need, value in found
        )
        reopened = tuple(_resting(case.snapshot, row.plan.unit, facts))
        is_reopened = row.id in {again.activity for again in reopened}
        permitted(case, Action.FACT, State.OPEN if is_reopened else stored_state(row))
        files = tuple(taken.shown(found[0][0].evidence) for taken in kept)
        payload = FactsRecorded(
            unit=row.plan.unit,
            facts=facts,
            source=source,
            evidence=files,
            reopened=reopened,
        )
        return case.record(payload)


def _resting(snapshot: Snapshot, unit: str, facts: Sequence[FactPart]) -> Iterator[Again]:
    """Yield the activities of the unit whose result was worked out from another value of a fact."""
    known = {fact.name: value_text(fact.value) for fact in known_facts(snapshot, unit)}
    changed = [fact for fact in facts if known.get(fact.name) != fact.value]
    for row in select(snapshot, "unit = :unit", unit=unit) if changed else ():
        asked = {need.name for need in row.plan.facts}
        mine = [fact for fact in changed if fact.name in asked]
        if mine and rules.rests(row.state):
            why = (f"{f.name} is {f.value} {f.unit}, was {known.get(f.name) or 'not known'}" for f in mine)
            yield Again(activity=row.id, why="; ".join(why))
