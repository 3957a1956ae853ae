"""What a person found the facility to be: recorded with evidence, once for every activity that asks for it.

A fact belongs to a unit of the site and holds until another of its name is recorded there. A result that
rested on another value is opened again, by the one rule of reopening.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.events import Event
from ledger.judging import converted, is_comparable
from ledger.payloads import Again, FactPart, FactsRecorded
from ledger.services.permitting import may
from ledger.services.taking import take
from ledger.tables import Activity, Fact, FactNeed
from ledger.transitions import Action, State, is_open_to
from ledger.writing import Writing
from steps.errors import InputError
from steps.value import Value, value_text

RESTED = frozenset({State.DONE, State.AWAITING_SIGN_OFF, State.FAILED, State.CHECKED_NOT_MET})
"""States in which there is a result that rests on the facts as they were."""


class FactEntry(NamedTuple):
    """One fact as it is entered; a number without a unit is in the unit that is asked for."""

    name: str
    value: Value
    unit: str = ""


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
    """Record facts that an activity asks for; it is then worked out, or worked out again."""
    if not evidence:
        raise InputError("a fact needs evidence", hint="give --evidence FILE: the document or photograph that shows it")
    kept = [take(ledger, item, item.name if isinstance(item, Path) else "fact.txt") for item in evidence]
    with ledger.write() as writing:
        row = writing.activity(activity)
        may(writing, actor, "record_facts", row=row)
        needs = {need.name: need for need in _needs(writing, row.id)}
        facts = tuple(_checked(row, needs, entries))
        reopened = tuple(_resting(writing, row.unit, facts, at))
        result = State.OPEN if row.id in {again.activity for again in reopened} else State(row.state)
        writing.permitted(row, Action.FACT, at, result)
        kind = needs[facts[0].name].evidence
        files = tuple(taken.shown(kind) for taken in kept)
        payload = FactsRecorded(unit=row.unit, facts=facts, source=source, evidence=files, reopened=reopened)
        return writing.append(actor, payload, subject=row.id, at=at)


def _needs(writing: Writing, activity: str) -> list[FactNeed]:
    wanted = select(FactNeed).where(col(FactNeed.activity) == activity).order_by(col(FactNeed.ordinal))
    return list(writing.session.scalars(wanted).all())


def _checked(row: Activity, needs: dict[str, FactNeed], entries: Sequence[FactEntry]) -> Iterator[FactPart]:
    """Give the facts in the units that are asked for; refuse what nobody asks, twice, or what cannot be compared."""
    asked = ", ".join(f"{n.name} ({n.unit_of_measure})" for n in needs.values())
    if not entries:
        raise InputError("no fact is given", hint=f"{row.id} asks for: {asked or 'none'}")
    for index, entry in enumerate(entries):
        need = needs.get(entry.name)
        if need is None:
            raise InputError(f"{row.id} does not ask for {entry.name!r}", hint=f"it asks for: {asked or 'none'}")
        if entry.name in {other.name for other in entries[:index]}:
            raise InputError(f"{entry.name} is given twice")
        yield FactPart(name=entry.name, value=value_text(_value(need, entry)) or "", unit=need.unit_of_measure)


def _value(need: FactNeed, entry: FactEntry) -> Value:
    options = need.options.splitlines()
    if options:
        if entry.value not in options:
            raise InputError(f"{need.name} is one of {', '.join(options)}, not {value_text(entry.value)!r}")
        return entry.value
    if isinstance(entry.value, bool | str):
        raise InputError(f"{need.name} is a number in {need.unit_of_measure}, not {value_text(entry.value)!r}")
    if not is_comparable(entry.unit or need.unit_of_measure, need.unit_of_measure):
        raise InputError(f"{need.name} is given in {need.unit_of_measure}; {entry.unit!r} does not compare with it")
    value = converted(entry.value, entry.unit or need.unit_of_measure, need.unit_of_measure)
    if not isinstance(value, Decimal) or value < 0:
        raise InputError(f"{need.name} cannot be {value_text(entry.value)} {entry.unit}".strip())
    return value


def _resting(writing: Writing, unit: str, facts: Sequence[FactPart], at: datetime | None) -> Iterator[Again]:
    """Give the activities of the unit whose result rests on another value of a fact."""
    changed = [(held, fact) for fact in facts if (held := _held(writing, unit, fact.name)) != fact.value]
    names = [fact.name for _, fact in changed]
    asking = (
        select(Activity)
        .join(FactNeed, col(FactNeed.activity) == col(Activity.id))
        .where(col(Activity.unit) == unit, col(FactNeed.name).in_(names))
        .order_by(col(Activity.ordinal))
        .distinct()
    )
    for row in writing.session.scalars(asking).all():
        state = writing.seen(row, writing.when(at))
        if state in RESTED and is_open_to(state, Action.FACT):
            mine = {need.name for need in _needs(writing, row.id)}
            said = [
                f"{f.name} is {f.value} {f.unit}, was {held or 'not known'}" for held, f in changed if f.name in mine
            ]
            yield Again(activity=row.id, why="; ".join(said))


def _held(writing: Writing, unit: str, name: str) -> str | None:
    held = select(col(Fact.value)).where(col(Fact.unit) == unit, col(Fact.name) == name)
    return writing.session.execute(held.order_by(col(Fact.seq).desc()).limit(1)).scalar()
