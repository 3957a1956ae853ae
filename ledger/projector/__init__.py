"""From events to rows. Deterministic and clock-free: append and replay use the same function."""

from __future__ import annotations

from ledger.events import Event
from ledger.projector import buying, checks, facts, keys, people, planning, runs, signing, witnesses, work
from ledger.projector.base import Handler, Projection

HANDLERS: dict[str, Handler] = {
    **planning.HANDLERS,
    **work.HANDLERS,
    **checks.HANDLERS,
    **signing.HANDLERS,
    **witnesses.HANDLERS,
    **buying.HANDLERS,
    **runs.HANDLERS,
    **facts.HANDLERS,
    **keys.HANDLERS,
    **people.HANDLERS,
}
"""Every kind of event and what it changes; a test holds it against the list of payloads."""


def apply(projection: Projection, event: Event) -> None:
    """Change the projections as the event says."""
    HANDLERS[event.kind](projection, event, event.payload)
    keys.note_statement(projection, event)
    projection.settle()
