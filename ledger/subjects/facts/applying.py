"""Facts about the facility that people recorded."""

from __future__ import annotations

from ledger.log.chain import Event
from ledger.state.projection import Handlers, Projection
from ledger.state.reopening import mark_resting, open_again
from ledger.subjects.facts.payloads import FactsRecorded


def record_facts(p: Projection, event: Event, payload: FactsRecorded) -> None:
    """Add facts. Activities whose results were worked out from other values are opened again."""
    for again in payload.reopened:
        open_again(p, again.activity, again.why)
    mark_resting(p, [again.activity for again in payload.reopened], event.seq)
    for ordinal, fact in enumerate(payload.facts):
        about = {"unit": payload.unit, "unit_of_measure": fact.unit, "source": payload.source}
        p.record("fact", event, fact, ordinal=ordinal, **about)
    p.add_evidence(event, event.subject, *payload.evidence)


HANDLERS: Handlers = {
    FactsRecorded: record_facts,
}
