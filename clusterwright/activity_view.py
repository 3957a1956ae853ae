"""One activity whole, for eyes and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterwright.check_view import counts
from clusterwright.flat import flat_activity
from clusterwright.output import clean, minute
from ledger.questions.case import require_activity
from ledger.questions.checks import check_history, checklist
from ledger.questions.facts import fact_needs
from ledger.questions.links import predecessors, successors
from ledger.questions.ncrs import ncrs
from ledger.questions.orders import orders
from ledger.questions.records import comments, evidence, measurements, preview, runs, sign_offs
from ledger.questions.site import site_of
from ledger.questions.why import criteria, why
from ledger.questions.witnesses import attendances, invitation

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot
    from ledger.questions.why import CriterionRow
    from ledger.rules.activity import Activity
    from ledger.rules.rows import NcrRow, OrderRow


def activity_document(reader: Snapshot, row: Activity) -> dict[str, Any]:
    """Give everything the ledger knows of an activity, with stable keys."""
    return {
        "activity": flat_activity(row),
        "why": why(reader, row.id),
        "predecessors": predecessors(reader, row.id),
        "successors": successors(reader, row.id),
        "criteria": criteria(reader, row.id),
        "checklist": checklist(reader, require_activity(reader, row.id)),
        "checks": check_history(reader, require_activity(reader, row.id)),
        "facts": fact_needs(reader, require_activity(reader, row.id)),
        "measurements": measurements(reader, row.id),
        "evidence": evidence(reader, row.id),
        "sign_offs": sign_offs(reader, row.id),
        "invitation": invitation(reader, require_activity(reader, row.id)),
        "witnesses": attendances(reader, require_activity(reader, row.id)),
        "preview": preview(reader, row.id),
        "ncrs": ncrs(reader, name=row.id),
        "orders": [order for order in orders(reader) if order.id.partition("#")[0] == row.id],
        "runs": runs(reader, row.id),
        "comments": comments(reader, row.id),
    }


def print_activity(reader: Snapshot, row: Activity) -> None:
    """Print an activity's page."""
    zone = site_of(reader).time_zone
    answer = why(reader, row.id)
    flags = f" [{', '.join(sorted(row.flags))}]" if row.flags else ""
    lines = [
        f"{row.id}  {row.plan.title}",
        f"{row.plan.phase} · {row.plan.kind} · {row.plan.role} · attempt {row.attempt}{flags}",
        f"{answer.state_sentence}",
        _planned(row, zone),
    ]
    lines += [f"waits for {u.predecessor} {u.title} ({u.state}): {u.reason}" for u in answer.unmet]
    lines += [f"needs {need}" for need in answer.needs]
    for f in fact_needs(reader, require_activity(reader, row.id)):
        said = "not known" if f.known is None else f"{f.known.value} {f.unit_of_measure} by {f.known.by}"
        lines.append(f"fact {f.name}: {said} ({f.meaning})")
    for c in criteria(reader, row.id):
        each = f" each {c.each}" if c.each else ""
        fleet = f" and within {c.fleet_z} robust deviations" if c.fleet_z is not None else ""
        lines.append(
            f"criterion {c.metric} {c.op} {c.value} {c.unit}{each}{fleet}: {c.verdict} {c.measured or ''}{read_by(c)}"
        )
        lines += [f"  likely cause {number}: {cause}" for number, cause in enumerate(c.causes, start=1)]
    if (done := checklist(reader, require_activity(reader, row.id))) is not None:
        lines.append(f"checklist {counts(done)}; `clusterwright check {row.id}` lists them")
    lines += [f"evidence {e.kind} {e.name} {e.digest[:12]} by {e.by}" for e in evidence(reader, row.id)]
    if (seen := preview(reader, row.id)) is not None:
        lines.append(f"check mode {minute(seen.at, zone)}: {seen.summary}")
    lines += witness_lines(reader, row.id, zone)
    for s in sign_offs(reader, row.id):
        witnessed = f"; {s.witnessed}" if s.witnessed else ""
        lines.append(
            f"{s.decision} by {s.name} as {s.role}, {minute(s.at, zone)} ({s.assurance}) {s.comment}{witnessed}"
        )
    if row.valid_until is not None:
        lines.append(f"its approval holds until {minute(row.valid_until, zone)}")
    lines += [ncr_line(n) for n in ncrs(reader, name=row.id)]
    lines += [order_line(o) for o in orders(reader) if o.id.partition("#")[0] == row.id]
    lines += [f"run {r.id}: {r.status} {r.summary}" for r in runs(reader, row.id)]
    lines += [f"note by {c.person}, {minute(c.at, zone)}: {c.text}" for c in comments(reader, row.id)]
    print(clean("\n".join(lines)))


def _planned(row: Activity, zone: str) -> str:
    dates = row.plan.dates
    if dates is None:
        return "planned  to , float 0 h"
    left = "critical" if row.is_critical else f"float {dates.total_float_h:.0f} h"
    return f"planned {minute(dates.early_start, zone)} to {minute(dates.early_finish, zone)}, {left}"


def read_by(c: CriterionRow) -> str:
    """Name the people who read a criterion, where software did not."""
    return f", read by {', '.join(c.readers)}" if c.readers else ""


def witness_lines(reader: Snapshot, activity: str, zone: str) -> list[str]:
    """Say what the witnesses of an activity were told, and who came."""
    invited = attendances(reader, require_activity(reader, activity))
    if not invited:
        return []
    held = invitation(reader, require_activity(reader, activity))
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
