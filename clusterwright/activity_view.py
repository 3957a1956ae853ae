"""One activity whole, for eyes and as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from clusterwright.output import clean, minute

if TYPE_CHECKING:
    from ledger.reads import ActivityRow, Reader


def activity_document(reader: Reader, row: ActivityRow, now: datetime) -> dict[str, Any]:
    """Give everything the ledger knows of an activity, with stable keys."""
    return {
        "activity": row,
        "why": reader.why(row.id, now),
        "predecessors": reader.predecessors(row.id),
        "successors": reader.successors(row.id),
        "criteria": reader.criteria(row.id),
        "facts": reader.fact_needs(row.id),
        "measurements": reader.measurements(row.id),
        "evidence": reader.evidence(row.id),
        "sign_offs": reader.sign_offs(row.id),
        "runs": reader.runs(row.id),
        "comments": reader.comments(row.id),
    }


def print_activity(reader: Reader, row: ActivityRow, now: datetime) -> None:
    """Print an activity's page."""
    zone = reader.site().time_zone
    answer = reader.why(row.id, now)
    flags = f" [{', '.join(sorted(row.flags))}]" if row.flags else ""
    lines = [
        f"{row.id}  {row.title}",
        f"{row.phase} · {row.kind} · {row.role} · attempt {row.attempt}{flags}",
        f"{answer.state_sentence}",
        f"planned {minute(row.early_start, zone)} to {minute(row.early_finish, zone)}"
        + (", critical" if row.critical else f", float {row.total_float_h or 0:.0f} h"),
    ]
    lines += [f"waits for {u.predecessor} {u.title} ({u.state}): {u.reason}" for u in answer.unmet]
    lines += [f"needs {need}" for need in answer.needs]
    for f in reader.fact_needs(row.id):
        said = "not known" if f.known is None else f"{f.known.value} {f.unit_of_measure} by {f.known.by}"
        lines.append(f"fact {f.name}: {said} ({f.meaning})")
    for c in reader.criteria(row.id):
        each = f" each {c.each}" if c.each else ""
        lines.append(f"criterion {c.metric} {c.op} {c.value} {c.unit}{each}: {c.verdict} {c.measured or ''}")
    lines += [f"evidence {e.kind} {e.name} {e.digest[:12]} by {e.by}" for e in reader.evidence(row.id)]
    lines += [
        f"{s.decision} by {s.name} as {s.role}, {minute(s.at, zone)} ({s.assurance}) {s.comment}"
        for s in reader.sign_offs(row.id)
    ]
    lines += [f"run {r.id}: {r.status} {r.summary}" for r in reader.runs(row.id)]
    lines += [f"note by {c.person}, {minute(c.at, zone)}: {c.text}" for c in reader.comments(row.id)]
    print(clean("\n".join(lines)))
