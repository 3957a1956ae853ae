"""Making the payload of a recorded event again: from the record before the event, and from what the payload itself says was decided.

Most makers take what was decided under the names of the payload's own fields. These are made again by those names.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from schedule.errors import InputError

if TYPE_CHECKING:
    from ledger.log.chain import Event
    from ledger.log.payload import Payload
    from ledger.questions.case import LookedUp
    from ledger.questions.moment import Moment
    from ledger.questions.snapshot import Snapshot


Again = Callable[["Moment", "Event", Any], "Payload"]
"""Returns the payload that a decision makes. It takes the record before the event, the event, and the event's own payload."""

Make = Callable[..., "Payload"]
"""Returns a payload."""

Fields = dict[str, Any]
"""Fields of a payload, by name."""

Tables = dict["type[Payload]", Again]
"""By kind of payload: how it is made again."""

Key = TypeVar("Key")
Row = TypeVar("Row")


class Named(NamedTuple, Generic[Key, Row]):
    """What a decision names although its event is about something else, as a non-conformance of an activity.

    `field` of the payload has its id, and `find` returns its row, of which `subject` is the field with what the event is about.
    """

    field: str
    find: Callable[[Snapshot, Key], Row]
    subject: str


def subject_of(payload: Payload) -> str:
    """Return the subject of an event about the site."""
    return payload.about.format(payload)


def about_activity(make: Make) -> Again:
    """Return how an event about an activity is made again. `make` takes the case, and fields of the payload."""
    given = _fields_for(make, 1)

    def again(moment: Moment, event: Event, payload: Payload) -> Payload:
        return make(moment.case(event.subject, event.actor), **given(payload))

    return again


def about_case(make: Callable[[LookedUp, Any], Payload]) -> Again:
    """Return how an event about an activity is made again. `make` takes the case, and the payload as a whole."""

    def again(moment: Moment, event: Event, payload: Payload) -> Payload:
        return make(moment.case(event.subject, event.actor), payload)

    return again


def about_supply(make: Make) -> Again:
    """Return how an event about an order or a delivery is made again. `make` takes moment, actor and subject, and fields of the payload."""
    given = _fields_for(make, 3)

    def again(moment: Moment, event: Event, payload: Payload) -> Payload:
        return make(moment, event.actor, event.subject, **given(payload))

    return again


def about_site(make: Make) -> Again:
    """Return how an event about the site is made again. `make` takes moment and actor, and fields of the payload."""
    given = _fields_for(make, 2)

    def again(moment: Moment, event: Event, payload: Payload) -> Payload:
        refuse_other_subject(event, subject_of(payload))
        return make(moment, event.actor, **given(payload))

    return again


def about_named(named: Named[Any, Any], make: Make) -> Again:
    """Return how an event about what the payload names is made again. `make` takes moment, actor and row, and fields of the payload."""
    given = _fields_for(make, 3)

    def again(moment: Moment, event: Event, payload: Payload) -> Payload:
        found = named.find(moment.snapshot, getattr(payload, named.field))
        refuse_other_subject(event, getattr(found, named.subject))
        return make(moment, event.actor, found, **given(payload))

    return again


def refuse_other_subject(event: Event, subject: str) -> None:
    """Raise InputError if an event is not about what its payload says."""
    if event.subject != subject:
        raise InputError(f"it is about {subject}, and its event says {event.subject}")


def _fields_for(make: Make, after: int) -> Callable[[Payload], Fields]:
    """Return what reads from a payload the fields that a maker takes after its first parameters."""
    names = tuple(signature(make).parameters)[after:]
    return lambda payload: {name: getattr(payload, name) for name in names}
