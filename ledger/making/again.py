"""Making the payload of a recorded event again: the types that the tables of the subjects share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger.log.chain import Event
from ledger.log.payloads.base import Payload
from ledger.questions.case import LookedUp
from ledger.questions.moment import Moment

Again = Callable[[Moment, Event, Any], Payload]
"""Returns the payload that a decision makes. It takes the record before the event, the event, and the event's own payload."""

Tables = dict[type[Payload], Again]
"""By kind of payload: how it is made again."""


def about_activity(make: Callable[[LookedUp, Any], Payload]) -> Again:
    """Return how the payload of an event is made again whose subject is an activity. `make` takes the case and the payload."""

    def again(moment: Moment, event: Event, payload: Any) -> Payload:
        return make(moment.case(event.subject, event.actor), payload)

    return again
