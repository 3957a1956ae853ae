"""What is found at an activity: items of checklists, and facts about the facility."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.log.payloads.base import ReadingPart
from ledger.log.payloads.checklists import ItemPart, ItemsChecked
from ledger.log.payloads.facts import FactsRecorded
from ledger.state.projection import Handler, Projection

if TYPE_CHECKING:
    from ledger.log.chain import Event

_PASSED = """
SELECT sum(failing = '[]') FROM item_check c WHERE activity = :activity AND attempt = :attempt AND seq = (
  SELECT max(seq) FROM item_check l WHERE l.activity = c.activity AND l.attempt = c.attempt AND l.item = c.item)"""


def check(p: Projection, event: Event, payload: ItemsChecked) -> None:
    """Keep every item that was checked, and count those that have passed."""
    row = p.activity(event.subject)
    checks = [*payload.checks, *(ItemPart.model_validate(kept) for kept in p.batched(payload.batches))]
    for one in checks:
        p.add(
            "item_check",
            seq=event.seq,
            item=one.item,
            activity=row.id,
            attempt=row.attempt,
            failing=one.failing,
            note=one.note,
            serial=one.serial,
            photos=one.photos,
            ncr=one.ncr,
            person=event.actor,
            at=event.effective_at,
        )
    read = [(one, reading) for one in checks for reading in one.readings]
    for ordinal, (one, r) in enumerate(read):
        source = payload.source
        reading = ReadingPart(
            metric=r.metric,
            value=r.value,
            unit=r.unit,
            item=one.item,
            source=source,
        )
        p.add_reading(event, reading, ordinal, ncr=one.ncr)
    for ordinal, photo in enumerate(payload.photos):
        p.add_evidence(event, row.id, photo, ordinal)
    if payload.ncr is not None:
        p.open_ncr(
            event,
            row.id,
            ncr=payload.ncr,
            ncr_class=payload.ncr_class,
            reason=payload.reason,
        )
    ((passed,),) = p.ask(
        _PASSED,
        activity=row.id,
        attempt=row.attempt,
    )
    performers = tuple(dict.fromkeys((*row.performers, event.actor)))
    p.change(row, performers=performers, items_done=passed)


def record_facts(p: Projection, event: Event, payload: FactsRecorded) -> None:
    """Keep facts. A result that rested on another value is opened again."""
    for again in payload.reopened:
        p.open_again(again.activity, again.why)
    p.mark_resting([again.activity for again in payload.reopened], event.seq)
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
    for ordinal, file in enumerate(payload.evidence):
        p.add_evidence(event, event.subject, file, ordinal)


HANDLERS: dict[str, tuple[Handler, ...]] = {
    ItemsChecked.kind: (check,),
    FactsRecorded.kind: (record_facts,),
}
