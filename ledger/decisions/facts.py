"""What a person found the facility to be: recorded with evidence, once for every activity that asks for it.

A fact belongs to a unit of the site and holds until another of its name is recorded there. A result that rested on another
value is opened again.
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
    """Record facts that an activity asks for. It is then worked out, or worked out again."""
    if not evidence:
        raise InputError("a fact needs evidence", hint="give --evidence FILE: the document or photograph that shows it")
    intake = ledger.intake()
    kept = [intake.take(item, item.name if isinstance(item, Path) else "fact.txt") for item in evidence]
    with ledger.write() as writing:
        case = writing.case(activity, actor, at)
        row = case.row
        may_record(case)
        found = rules.facts_of(row, entries)
        facts = tuple(FactPart(name=need.name, value=value_text(value) or "", unit=need.unit) for need, value in found)
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
        return writing.record(case, payload)


def _resting(snapshot: Snapshot, unit: str, facts: Sequence[FactPart]) -> Iterator[Again]:
    """Yield the activities of the unit whose result rests on another value of a fact."""
    known = {fact.name: value_text(fact.value) for fact in known_facts(snapshot, unit)}
    changed = [fact for fact in facts if known.get(fact.name) != fact.value]
    for row in select(snapshot, "unit = :unit", unit=unit) if changed else ():
        asked = {need.name for need in row.plan.facts}
        mine = [fact for fact in changed if fact.name in asked]
        if mine and rules.rests(row.state):
            why = (f"{f.name} is {f.value} {f.unit}, was {known.get(f.name) or 'not known'}" for f in mine)
            yield Again(activity=row.id, why="; ".join(why))
