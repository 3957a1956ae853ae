"""Values that a form offers while a person types: people, roles, items, criteria and answers that the ledger knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ledger.questions.case import activity
from ledger.questions.checks import unchecked_items
from ledger.questions.people import people
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.subjects.ncr.rules import DISPOSITIONS
from tui.acting.command import Field

Offer = Callable[[Snapshot, str], Sequence[str]]


def _people(snapshot: Snapshot, _subject: str) -> Sequence[str]:
    return [person.id for person in people(snapshot)]


def _roles(snapshot: Snapshot, _subject: str) -> Sequence[str]:
    return snapshot.column("SELECT DISTINCT role FROM person_role ORDER BY role")


def _items(snapshot: Snapshot, subject: str) -> Sequence[str]:
    row = activity(snapshot, subject)
    return [] if row is None else unchecked_items(snapshot, row)


def _metrics(snapshot: Snapshot, subject: str) -> Sequence[str]:
    row = activity(snapshot, subject)
    return [] if row is None else [criterion.metric for criterion in row.plan.criteria]


def _evidence(snapshot: Snapshot, subject: str) -> Sequence[str]:
    row = activity(snapshot, subject)
    return [] if row is None else row.plan.policy.evidence


OFFERS: Mapping[str, Offer] = {
    "person": _people,
    "owner": _people,
    "to": _people,
    "role": _roles,
    "item": _items,
    "metric": _metrics,
    "kind": _evidence,
    "disposition": lambda _snapshot, _subject: DISPOSITIONS,
}
"""By the name of a field."""


def suggestions(folder: Path, fields: Sequence[Field], subjects: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return what is offered, by the names of the fields that have an offer."""
    offered: dict[str, Sequence[str]] = {field.name: field.choices for field in fields if field.choices}
    with open_snapshot(folder) as snapshot:
        for field in fields:
            if field.name in OFFERS and not field.flag:
                offered[field.name] = OFFERS[field.name](snapshot, subjects[0] if subjects else "")
    return offered
