"""Items of an activity as they were found."""

from __future__ import annotations

from ledger.log.payloads.base import Batch, Part, Payload, Shown


class ItemReadingPart(Part):
    """One metric read at an item."""

    metric: str
    value: str
    unit: str


class ItemPart(Part):
    """One item as it was found: passed where nothing is `failing`, else under the non-conformance `ncr`.

    `failing` are the metrics that were not met, and `result` where a person said so. `photos` are digests.
    """

    item: str
    failing: tuple[str, ...] = ()
    readings: tuple[ItemReadingPart, ...] = ()
    note: str = ""
    serial: str = ""
    photos: tuple[str, ...] = ()
    ncr: str | None = None


class ItemsChecked(Payload):
    """Items of an activity were checked: few stand in the event, many in `batches`.

    `ncr` is the non-conformance that it opens, none where nothing failed or all that did stands under an older one.
    """

    kind = "items.checked"
    source: str
    passed: int
    failed: int
    checks: tuple[ItemPart, ...]
    batches: tuple[Batch, ...]
    photos: tuple[Shown, ...]
    ncr: str | None
    ncr_class: str
    reason: str
