"""The rows of readings, which are a quarter of a large record."""

from __future__ import annotations

from operator import attrgetter

from ledger.log.chain import Event
from ledger.log.payload import ReadingPart
from ledger.state.projection import Projection, Shape
from steps.stamps import stamp

FIELDS = tuple(ReadingPart.model_fields)
MEASUREMENT: Shape = (
    "measurement",
    ("activity", "attempt", "person", "at", "seq", "ordinal", "ncr", *FIELDS),
)

_fields_of = attrgetter(*FIELDS)


def add_reading(
    p: Projection,
    event: Event,
    reading: ReadingPart,
    ordinal: int = 0,
    *,
    ncr: str | None = None,
) -> None:
    """Add a reading of an activity's present attempt. `ncr` is the non-conformance to which a failed one belongs."""
    row = (
        event.subject,
        p.activity(event.subject).attempt,
        event.actor,
        stamp(event.effective_at),
        event.seq,
        ordinal,
        ncr,
        *_fields_of(reading),
    )
    p.add_stored(MEASUREMENT, row)
