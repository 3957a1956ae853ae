"""Values that a form offers while a person types: people, roles, items, criteria and answers that the ledger knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ledger.questions.case import activity
from ledger.questions.checks import unchecked_items
from ledger.questions.people import people
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity
from ledger.subjects.ncr.rules import DISPOSITIONS
from tui.acting.command import Field


def _people(snapshot: Snapshot) -> Sequence[str]:
    return [person.id for person in people(snapshot)]


OFFERS: Mapping[str, Callable[[Snapshot], Sequence[str]]] = {
    "person": _people,
    "owner": _people,
    "to": _people,
    "role": lambda snapshot: snapshot.column("SELECT DISTINCT role FROM person_role ORDER BY role"),
    "disposition": lambda _: DISPOSITIONS,
}
"""By the name of a field: what the site has."""

OF_ACTIVITY: Mapping[str, Callable[[Snapshot, Activity], Sequence[str]]] = {
    "item": unchecked_items,
    "metric": lambda _, row: [criterion.metric for criterion in row.plan.criteria],
    "unit": lambda _, row: list(dict.fromkeys(criterion.unit for criterion in row.plan.criteria)),
    "kind": lambda _, row: row.plan.policy.evidence,
}
"""By the name of a field: what the activity has that a form is about."""


def suggestions(folder: Path, fields: Sequence[Field], subjects: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return what is offered, by the names of the fields that have an offer."""
    offered: dict[str, Sequence[str]] = {field.name: field.choices for field in fields if field.choices}
    with open_snapshot(folder) as snapshot:
        row = activity(snapshot, subjects[0]) if subjects else None
        for name in (field.name for field in fields if not field.flag):
            if name in OFFERS:
                offered[name] = OFFERS[name](snapshot)
            elif name in OF_ACTIVITY:
                offered[name] = [] if row is None else OF_ACTIVITY[name](snapshot, row)
    return offered
