"""How a site stands, for eyes and as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from clusterwright.output import clean, day
from ledger.questions.ncrs import ncrs
from ledger.questions.orders import orders
from ledger.questions.site import counts, head, phases, site_of

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot

_COLUMNS = ("done", "running", "in_progress", "awaiting", "ready", "blocked", "failed", "on_hold", "not_applicable")


def status_document(reader: Snapshot, now: datetime) -> dict[str, Any]:
    """Give the status as one document with stable keys."""
    site, found = site_of(reader), counts(reader)
    return {
        "site": site,
        "as_of": now,
        "head": head(reader),
        "counts": {
            "total": found.total,
            "by_state": {state.value: n for state, n in found.by_state.items()},
            "waived": found.waived,
            "attested": found.attested,
            "stale": found.stale,
            "simulated": found.simulated,
        },
        "phases": phases(reader),
        "orders_to_place": [o.id for o in orders(reader) if o.state == "planned"],
        "open_ncrs": len(ncrs(reader, open_only=True)),
    }


def print_status(reader: Snapshot, now: datetime) -> None:
    """Print the status on one screen, in plain text."""
    site, found = site_of(reader), counts(reader)
    zone = site.time_zone
    mark = "REHEARSAL, nothing here was really done. " if site.rehearsal else ""
    print(clean(f"{mark}{site.name}: {site.preset}, {site.facility}; plan revision {site.revision}"))
    print(f"go-live planned {day(site.plan_finish, zone)}; as of {day(now, zone)}")
    header = ("phase", "total", "done", "running", "work", "sign", "ready", "blocked", "failed", "hold", "n/a", "late")
    print(f"{header[0]:<17}" + "".join(f"{name:>8}" for name in header[1:]))
    for row in phases(reader):
        cells = (row.total, *(getattr(row, name) for name in _COLUMNS), row.late)
        print(f"{row.phase:<17}" + "".join(f"{cell:>8}" for cell in cells))
    print(
        f"{found.total} activities; waived {found.waived}, attested {found.attested}, "
        f"stale {found.stale}, simulated {found.simulated}"
    )
    planned = [o for o in orders(reader) if o.state == "planned"]
    late = [o for o in planned if o.order_by and o.order_by < now]
    if planned:
        first = min(planned, key=lambda o: (o.order_by is None, o.order_by))
        print(
            clean(
                f"{len(planned)} orders to place, {len(late)} past their date; "
                f"first {first.id} by {day(first.order_by, zone)}"
            )
        )
