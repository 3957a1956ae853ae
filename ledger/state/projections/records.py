"""Checked items of activities, and facts about the facility."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.log.payloads.base import ReadingPart
from ledger.log.payloads.checklists import ItemPart, ItemsChecked
from ledger.log.payloads.facts import FactsRecorded
from ledger.state.projection import Handlers, Projection
from ledger.state.projections.hands import add_hands, together
from ledger.state.projections.readings import add_reading
from ledger.state.reopening import mark_resting, open_again

if TYPE_CHECKING:
    from ledger.log.chain import Event

_PASSED = """
SELECT sum(failing = '[]') FROM item_check c WHERE activity = :activity AND attempt = :attempt AND seq = (
  SELECT max(seq) FROM item_check l WHERE l.activity = c.activity AND l.attempt = c.attempt AND l.item = c.item)"""


def check(p: Projection, event: Event, payload: ItemsChecked) -> None:
    """Add every item that was checked, its readings and photos, and count the items that passed."""
    row = p.activity(event.subject)
    kept = [ItemPart.model_validate(item) for item in p.batched(payload.batches)]
    checks = [*payload.checks, *kept]
    for one in checks:
        columns = one.model_dump(exclude={"readings"})
        p.record("item_check", event, row.id, seq=event.seq, **columns)
    read = [(one, reading) for one in checks for reading in one.readings]
    for ordinal, (one, values) in enumerate(read):
        reading = ReadingPart(item=one.item, source=payload.source, **dict(values))
        add_reading(p, event, reading, ordinal, ncr=one.ncr)
    p.add_evidence(event, row.id, *payload.photos)
    p.open_ncr(event, row.id, payload, payload.reason)
    (passed,) = p.ids(_PASSED, activity=row.id, attempt=row.attempt)
    p.change(row, performers=together(row.performers, event.actor), items_done=passed)
    add_hands(p, row, event.actor)


def record_facts(p: Projection, event: Event, payload: FactsRecorded) -> None:
    """Add facts. Activities whose results were worked out from other values are opened again."""
    for again in payload.reopened:
        open_again(p, again.activity, again.why)
    mark_resting(p, [again.activity for again in payload.reopened], event.seq)
    for ordinal, fact in enumerate(payload.facts):
        p.add(
            "fact",
            seq=event.seq,
            ordinal=ordinal,
            unit=payload.unit,
            name=fact.name,
            value=fact.value,
            unit_of_measure=fact.unit,
            source=payload.source,
            activity=event.subject,
            person=event.actor,
            at=event.effective_at,
        )
    p.add_evidence(event, event.subject, *payload.evidence)


HANDLERS: Handlers = {
    ItemsChecked: check,
    FactsRecorded: record_facts,
}
