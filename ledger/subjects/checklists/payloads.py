"""Items of an activity that were checked one by one."""

from __future__ import annotations

from ledger.log.payload import Batch, Part, Payload, Shown


class ItemReadingPart(Part):
    """One reading of a metric at an item."""

    metric: str
    value: str
    unit: str


class ItemPart(Part):
    """One checked item. It passed if `failing` is empty. Otherwise it belongs to the non-conformance `ncr`.

    `failing` has the metrics that were not met. It has the word `result` if a person recorded the item as failed. `photos` are
    digests.
    """

    item: str
    failing: tuple[str, ...] = ()
    readings: tuple[ItemReadingPart, ...] = ()
    note: str = ""
    serial: str = ""
    photos: tuple[str, ...] = ()
    ncr: str | None = None


class ItemsChecked(Payload):
    """Items of an activity were checked. A few are in `checks`. Many are in files, which `batches` names.

    `ncr` is the non-conformance that this event opens. It is None if no item failed, or if each failed item belongs to an
    earlier non-conformance that is still open.
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
