"""Facts about the facility, recorded by a person with evidence.

A fact belongs to a unit of the site. It is recorded once and serves every activity there that needs it, until another value
is recorded under the same name. Activities whose results were worked out from the earlier value are opened again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ledger.entries import FactEntry
from ledger.log.chain import Event
from ledger.subjects.facts import making as made
from ledger.writing import Ledger
from schedule.errors import InputError


def record_facts(
    ledger: Ledger,
    actor: str,
    activity: str,
    entries: Sequence[FactEntry],
    *,
    evidence: Sequence[Path | bytes],
    source: str = "",
) -> Event:
    """Record facts that an activity needs, with their evidence. The engine then works the activity out, or works it out again."""
    if not evidence:
        raise InputError("a fact needs evidence", hint="add --evidence FILE: the document or photo that shows it")
    intake = ledger.intake()
    named = [(item, "fact.txt" if isinstance(item, bytes) else item.name) for item in evidence]
    kept = [intake.take(item, name) for item, name in named]
    with ledger.case(activity, actor) as case:
        found = made.entered(case, entries)
        files = [taken.shown(found[0][0].evidence) for taken in kept]
        return case.record(made.facts_recorded(case, found, files, source))
