"""What is known of the facility, and which of it an activity still waits for."""

from __future__ import annotations

from datetime import UTC, datetime

from ledger.reads.connected import Connected
from ledger.reads.rows import FactNeedRow, FactRow
from steps.stamps import instant
from steps.value import text_value

_NEVER = datetime.min.replace(tzinfo=UTC)


class FactReads(Connected):
    """Questions about facts."""

    def facts(self, unit: str | None = None) -> list[FactRow]:
        """Give the facts that hold, of a unit of the site or of all: the last recorded of each name."""
        found = self.rows(
            "SELECT seq, unit, name, value, unit_of_measure, source, activity, person, at,"
            " (SELECT group_concat(digest, ' ') FROM evidence_item e WHERE e.seq = f.seq) FROM fact f"
            " WHERE (? IS NULL OR unit = ?) AND seq = (SELECT max(seq) FROM fact g"
            "  WHERE g.unit = f.unit AND g.name = f.name) ORDER BY unit, name",
            unit,
            unit,
        )
        return [
            FactRow._make((*r[:3], text_value(r[3]), *r[4:8], instant(r[8]) or _NEVER, tuple((r[9] or "").split())))
            for r in found
        ]

    def fact_needs(self, name: str) -> list[FactNeedRow]:
        """Give the facts that an activity needs, each with what is recorded of it at the activity's unit."""
        found = self.rows(
            "SELECT n.name, n.unit_of_measure, n.meaning, n.options, n.evidence, a.unit FROM fact_need n"
            " JOIN activity a ON a.id = n.activity WHERE n.activity = ? ORDER BY n.ordinal",
            name,
        )
        known = {fact.name: fact for fact in self.facts(found[0][5])} if found else {}
        return [FactNeedRow._make((*r[:3], tuple(r[3].splitlines()), r[4], known.get(r[0]))) for r in found]

    def fact_mark(self, name: str) -> int:
        """Give the number of the last event that brought a fact which an activity needs; 0 where none did."""
        found = self.row(
            "SELECT max(f.seq) FROM fact_need n JOIN activity a ON a.id = n.activity"
            " JOIN fact f ON f.unit = a.unit AND f.name = n.name WHERE n.activity = ?",
            name,
        )
        return int(found[0] or 0) if found else 0


def how_to_record(activity: str, lacking: list[FactNeedRow]) -> str:
    """Give the command that records what an activity lacks."""
    given = " ".join(f"{need.name}={_example(need)}" for need in lacking)
    return f"clusterwright fact {activity} {given} --evidence FILE"


def _example(need: FactNeedRow) -> str:
    return "|".join(need.options) if need.options else f"VALUE{need.unit_of_measure}"
