"""Facts about the facility: those that are recorded, and those that an activity still needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot, rows_of, table
from ledger.rules.activity import Activity
from steps.value import Value

_LAST = "SELECT max(g.seq) FROM fact g WHERE g.unit = t.unit AND g.name = t.name"
_SHOWN = "coalesce((SELECT json_group_array(e.digest) FROM evidence_item e WHERE e.seq = t.seq), '[]')"


@table("fact", by="t.person", evidence=_SHOWN)
class FactRow(NamedTuple):
    """A recorded fact about the facility at a unit of the site. `evidence` are the digests of its evidence."""

    seq: int
    unit: str
    name: str
    value: Value
    unit_of_measure: str
    source: str
    activity: str
    by: str
    at: datetime
    evidence: tuple[str, ...]


class FactNeedRow(NamedTuple):
    """A fact that an activity needs. `known` is the recorded fact. It is None if nobody recorded it yet."""

    name: str
    unit_of_measure: str
    meaning: str
    options: tuple[str, ...]
    evidence: str
    known: FactRow | None


def facts(snapshot: Snapshot, unit: str | None = None) -> list[FactRow]:
    """Return the facts of a unit of the site, or of all units. Of each name only the last recorded value counts."""
    wanted = f"WHERE (:unit IS NULL OR t.unit = :unit) AND t.seq = ({_LAST}) ORDER BY t.unit, t.name"
    return rows_of(snapshot, FactRow, wanted, unit=unit)


def fact_needs(snapshot: Snapshot, row: Activity) -> list[FactNeedRow]:
    """Return the facts that an activity needs, each with the fact that is recorded at the activity's unit."""
    if not row.plan.facts:
        return []
    known = {fact.name: fact for fact in facts(snapshot, row.plan.unit)}
    return [
        FactNeedRow(
            fact.name,
            fact.unit,
            fact.meaning,
            fact.options,
            fact.evidence,
            known.get(fact.name),
        )
        for fact in row.plan.facts
    ]


def lacking_facts(snapshot: Snapshot, row: Activity) -> list[FactNeedRow]:
    """Return the facts that an activity needs and that nobody recorded yet."""
    return [need for need in fact_needs(snapshot, row) if need.known is None]


def fact_mark(snapshot: Snapshot, row: Activity) -> int:
    """Return the number of the last event that recorded a fact which an activity needs. 0 if there is none."""
    known = (need.known for need in fact_needs(snapshot, row))
    return max((fact.seq for fact in known if fact is not None), default=0)


def how_to_record(activity: str, lacking: Sequence[FactNeedRow]) -> str:
    """Return the command that records the facts that an activity lacks."""
    values = " ".join(f"{need.name}={_example(need)}" for need in lacking)
    return f"clusterwright fact {activity} {values} --evidence FILE"


def _example(need: FactNeedRow) -> str:
    return "|".join(need.options) if need.options else f"VALUE{need.unit_of_measure}"
