"""What people record about the work of an activity."""

from __future__ import annotations

from decimal import Decimal

from ledger.log.payloads.base import Payload, ReadingPart


class Assigned(Payload):
    """An activity belongs to a person."""

    kind = "activity.assigned"
    person: str


class Started(Payload):
    """People began."""

    kind = "activity.started"


class Progressed(Payload):
    """How far the work has come."""

    kind = "activity.progressed"
    items_done: int | None
    percent: Decimal | None
    note: str


class MeasurementRecorded(Payload):
    """A person read an instrument; a reading that fails opens the non-conformance `ncr`, or stands `under` one that is open.

    `result` is where it leads what ran and lacked only this; None leaves the state as it is.
    """

    kind = "activity.measured"
    version = 3
    reading: ReadingPart
    ncr: str | None
    ncr_class: str
    reason: str
    under: str | None
    result: str | None


class Finished(Payload):
    """The work is finished; `result` is awaiting_sign_off or done."""

    kind = "activity.finished"
    performers: tuple[str, ...]
    result: str


class Attached(Payload):
    """A file was laid on the table; `removed` says what was taken out of it before it was kept."""

    kind = "evidence.attached"
    version = 2
    evidence: str
    digest: str
    name: str
    size: int
    media_type: str | None
    removed: tuple[str, ...]


class Held(Payload):
    """Stopped until resumed."""

    kind = "activity.held"
    reason: str


class Resumed(Payload):
    """Goes on in `result`, the state it was held in."""

    kind = "activity.resumed"
    reason: str
    result: str


class NotApplicable(Payload):
    """Decided to have nothing to do; bridged."""

    kind = "activity.not_applicable"
    reason: str
    role: str


class Commented(Payload):
    """Something written down."""

    kind = "activity.commented"
    text: str


class Reopened(Payload):
    """Open again, in the next attempt; what rested on it becomes stale."""

    kind = "activity.reopened"
    reason: str


class Attested(Payload):
    """A person states that the step was done outside; `removed` as in what is attached, file by file."""

    kind = "activity.attested"
    version = 2
    reason: str
    digests: tuple[str, ...]
    removed: tuple[str, ...]
    result: str


class DuplicateSettled(Payload):
    """Completed by what others did."""

    kind = "duplicate.settled"
    by: tuple[str, ...]


class OrganisationAssigned(Payload):
    """An activity or an order belongs to an organisation; an empty name takes it back."""

    kind = "organisation.assigned"
    organisation: str
