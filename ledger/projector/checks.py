"""Checklists: items as they were found, their readings as measurements, and progress as their count."""

from __future__ import annotations

from sqlmodel import Session

from ledger import payloads as say
from ledger.batches import rows_in
from ledger.checklist import latest_checks
from ledger.events import Event
from ledger.projector.base import Handler, Projection
from ledger.projector.finishing import add_evidence, add_reading
from ledger.projector.signing import open_ncr
from ledger.tables import Activity, ItemCheck


def _checked(p: Projection, event: Event, payload: say.ItemsChecked) -> None:
    row = p.activity(event.subject)
    checks = list(payload.checks)
    checks += [say.ItemCheck.model_validate(kept) for kept in rows_in(p.site_dir, payload.batches)]
    for check in checks:
        p.keep(
            ItemCheck,
            seq=event.seq,
            item=check.item,
            activity=row.id,
            attempt=row.attempt,
            failing=check.failing,
            note=check.note,
            serial=check.serial,
            photos=check.photos,
            ncr=check.ncr,
            person=event.actor,
            at=event.effective_at,
        )
    read = [(check, reading) for check in checks for reading in check.readings]
    for ordinal, (check, r) in enumerate(read):
        reading = say.Reading(metric=r.metric, value=r.value, unit=r.unit, item=check.item, source=payload.source)
        add_reading(p, event, reading, ordinal, ncr=check.ncr)
    for ordinal, photo in enumerate(payload.photos):
        add_evidence(p, event, photo, ordinal)
    if payload.ncr is not None:
        open_ncr(p, event, ncr=payload.ncr, ncr_class=payload.ncr_class, reason=payload.reason)
    row.performers = tuple(dict.fromkeys((*row.performers, event.actor)))
    row.items_done = passed_items(p.unflushed, row)


def passed_items(session: Session, row: Activity) -> int | None:
    """Give how many items passed in this attempt; none where no item was checked."""
    found = latest_checks(session, row)
    return sum(not check.failing for check in found.values()) if found else None


HANDLERS: dict[str, Handler] = {say.ItemsChecked.kind: _checked}
