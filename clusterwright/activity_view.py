"""One activity whole, for eyes and as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from clusterwright.catalog_view import seed_line
from clusterwright.check_view import counts
from clusterwright.output import clean, minute

if TYPE_CHECKING:
    from ledger.reads import ActivityRow, CriterionRow, NcrRow, OrderRow, Reader


def activity_document(reader: Reader, row: ActivityRow, now: datetime) -> dict[str, Any]:
    """Give everything the ledger knows of an activity, with stable keys."""
    return {
        "activity": row,
        "seed_says": seed_says(row.step),
        "why": reader.why(row.id, now),
        "predecessors": reader.predecessors(row.id),
        "successors": reader.successors(row.id),
        "criteria": reader.criteria(row.id),
        "checklist": reader.checklist(row.id),
        "checks": reader.check_history(row.id),
        "facts": reader.fact_needs(row.id),
        "measurements": reader.measurements(row.id),
        "evidence": reader.evidence(row.id),
        "sign_offs": reader.sign_offs(row.id),
        "invitation": reader.invitation(row.id),
        "witnesses": reader.attendances(row.id),
        "preview": reader.preview(row.id),
        "ncrs": reader.ncrs(name=row.id),
        "orders": [order for order in reader.orders(now) if order.id.partition("#")[0] == row.id],
        "runs": reader.runs(row.id),
        "comments": reader.comments(row.id),
    }


def seed_says(step: str) -> str | None:
    """Return what the list of 195 steps says of a step; None for hold points and a site's own steps."""
    from steps.catalog.loader import shipped_step

    shipped = shipped_step(step)
    return None if shipped is None else shipped.seed_says


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
    lines += [seed_line(said)] if (said := seed_says(row.step)) else []
    lines += [f"waits for {u.predecessor} {u.title} ({u.state}): {u.reason}" for u in answer.unmet]
    lines += [f"needs {need}" for need in answer.needs]
    for f in reader.fact_needs(row.id):
        said = "not known" if f.known is None else f"{f.known.value} {f.unit_of_measure} by {f.known.by}"
        lines.append(f"fact {f.name}: {said} ({f.meaning})")
    for c in reader.criteria(row.id):
        each = f" each {c.each}" if c.each else ""
        fleet = f" and within {c.fleet_z} robust deviations" if c.fleet_z is not None else ""
        lines.append(
            f"criterion {c.metric} {c.op} {c.value} {c.unit}{each}{fleet}: {c.verdict} {c.measured or ''}{read_by(c)}"
        )
        lines += [f"  likely cause {number}: {cause}" for number, cause in enumerate(c.causes, start=1)]
    if (done := reader.checklist(row.id)) is not None:
        lines.append(f"checklist {counts(done)}; `clusterwright check {row.id}` lists them")
    lines += [f"evidence {e.kind} {e.name} {e.digest[:12]} by {e.by}" for e in reader.evidence(row.id)]
    if (seen := reader.preview(row.id)) is not None:
        lines.append(f"check mode {minute(seen.at, zone)}: {seen.summary}")
    lines += witness_lines(reader, row.id, zone)
    for s in reader.sign_offs(row.id):
        witnessed = f"; {s.witnessed}" if s.witnessed else ""
        lines.append(
            f"{s.decision} by {s.name} as {s.role}, {minute(s.at, zone)} ({s.assurance}) {s.comment}{witnessed}"
        )
    if row.valid_until is not None:
        lines.append(f"its approval holds until {minute(row.valid_until, zone)}")
    lines += [ncr_line(n) for n in reader.ncrs(name=row.id)]
    lines += [order_line(o) for o in reader.orders(now) if o.id.partition("#")[0] == row.id]
    lines += [f"run {r.id}: {r.status} {r.summary}" for r in reader.runs(row.id)]
    lines += [f"note by {c.person}, {minute(c.at, zone)}: {c.text}" for c in reader.comments(row.id)]
    print(clean("\n".join(lines)))


def read_by(c: CriterionRow) -> str:
    """Name the people who read a criterion, where software did not."""
    return f", read by {', '.join(c.readers)}" if c.readers else ""


def witness_lines(reader: Reader, activity: str, zone: str) -> list[str]:
    """Say what the witnesses of an activity were told, and who came."""
    invited = reader.attendances(activity)
    if not invited:
        return []
    held = reader.invitation(activity)
    told = "not invited yet"
    if held is not None:
        agreed = ", a shorter notice agreed" if held.agreed else ""
        told = f"invited for {minute(held.on, zone)} by {held.by}{agreed}"
    lines = [f"witnesses {', '.join(row.role for row in invited)}: {told}"]
    for row in invited:
        if row.noted:
            said = f"witness {row.role}: " + (row.witness or "did not attend")
            lines.append(f"{said}, noted by {row.by} {minute(row.at, zone)} {row.note}".rstrip())
    return lines


def ncr_line(n: NcrRow) -> str:
    """Say all of a non-conformance in a line."""
    parts = [f"class {n.ncr_class}", "open" if n.closed_at is None else f"closed: {n.disposition}"]
    if n.closed_at is None and n.decided:
        parts.append(f"decided: {n.decided}")
    parts += [f"owner {n.owner}"] if n.owner else []
    parts += [f"due {n.due}"] if n.due else []
    parts += [f"inspected again {n.inspections} times"] if n.inspections else []
    return f"non-conformance {n.id} ({', '.join(parts)}): {n.reason}"


def order_line(o: OrderRow) -> str:
    """Say how an order stands and what it costs, in a line."""
    parts = [o.state, f"{o.quantity} {o.unit_of_measure}"]
    parts += [f"{o.value} {o.currency}"] if o.value is not None else []
    parts += [f"budget line {o.budget_line}"] if o.budget_line else []
    parts += [f"acknowledged {o.acknowledged} ({o.acknowledgement})"] if o.acknowledged else []
    parts += [f"promised {o.promised}"] if o.promised else []
    return f"order {o.id} {o.title}: {', '.join(parts)}"
