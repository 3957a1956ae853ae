"""The payload of genesis, the first event."""

from __future__ import annotations

from ledger.log.chain import Event
from ledger.log.payloads.plan import Genesis
from ledger.questions.moment import Moment
from schedule.errors import InputError


def genesis_again(moment: Moment, event: Event, payload: Genesis) -> Genesis:  # noqa: ARG001  every kind is made so
    """Return genesis again. Nothing comes before it, so only its own agreement can be checked."""
    if event.seq != 1 or event.actor != payload.owner or event.subject != payload.site_uuid:
        raise InputError("genesis is the first event, is the owner's, and is about its own site")
    return payload
