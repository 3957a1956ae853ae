"""Checked items of activities."""

from __future__ import annotations

from ledger.log.chain import Event
from ledger.log.payload import ReadingPart
from ledger.state.hands import add_hands, together
from ledger.state.projection import Handlers, Projection
from ledger.state.readings import add_reading
from ledger.subjects.checklists.payloads import ItemPart, ItemsChecked

PASSED = """
SELECT sum(failing = '[]') FROM item_check c WHERE activity = :activity AND attempt = :attempt AND seq = (
  SELECT max(seq) FROM item_check l WHERE l.activity = c.activity AND l.attempt = c.attempt AND l.item = c.item)"""
"""How many items passed by the last entry of each. None if nothing was checked."""


def check(p: Projection, event: Event, payload: ItemsChecked) -> None:
    """Add every item that was checked, its readings and photos, and count the items that passed."""
    row = p.activity(event.subject)
    kept = [ItemPart.model_validate(item) for item in p.batched(payload.batches)]
    checks = [*payload.checks, *kept]
    for one in checks:
        p.record("item_check", event, one)
    read = [(one, reading) for one in checks for reading in one.readings]
    for ordinal, (one, values) in enumerate(read):
        reading = ReadingPart(item=one.item, source=payload.source, **dict(values))
        add_reading(p, event, reading, ordinal, ncr=one.ncr)
    p.add_evidence(event, row.id, *payload.photos)
    p.open_ncr(event, row.id, payload, payload.reason)
    (passed,) = p.ids(PASSED, activity=row.id, attempt=row.attempt)
    p.change(row, performers=together(row.performers, event.actor), items_done=passed)
    add_hands(p, row, event.actor)


HANDLERS: Handlers = {
    ItemsChecked: check,
}
