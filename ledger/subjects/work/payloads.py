"""What people record about the work of an activity."""

from __future__ import annotations

from decimal import Decimal

from ledger.log.payload import Decided, Payload, ReadingPart


class Assigned(Payload):
    """An activity was assigned to a person."""

    kind = "activity.assigned"
    person: str


class Started(Payload):
    """A person started an activity. `out_of_sequence` says why, if something before it was open. It is empty otherwise."""

    kind = "activity.started"
    version = 2
    out_of_sequence: str


class Progressed(Payload):
    """A person reported progress: the number of items done, the percentage done, or a note."""

    kind = "activity.progressed"
    items_done: int | None
    percent: Decimal | None
    note: str


class MeasurementRecorded(Payload):
    """A person recorded a reading. A failed one opens the non-conformance `ncr`, or belongs to `under`, which is open already.

    `result` is the activity's new state if its run had lacked only this reading. None leaves the state unchanged.
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
    """The work was finished. `result` is awaiting_sign_off or done. `out_of_sequence` is as in `Started`.

    For a gate it says that what the gate asks for has happened, before the gate could be passed. Nobody performed it then.
    """

    kind = "activity.finished"
    version = 2
    performers: tuple[str, ...]
    out_of_sequence: str
    result: str


class Attached(Payload):
    """A file was attached as evidence. `removed` names what was taken out of it before it was stored."""

    kind = "evidence.attached"
    version = 2
    evidence: str
    digest: str
    name: str
    size: int
    media_type: str | None
    removed: tuple[str, ...]


class Held(Payload):
    """An activity was put on hold until it is resumed."""

    kind = "activity.held"
    reason: str


class Resumed(Payload):
    """An activity was resumed. `result` is its state, the same as before the hold."""

    kind = "activity.resumed"
    reason: str
    result: str


class NotApplicable(Decided):
    """A person decided that an activity does not apply. What comes after it then waits for what came before it."""

    kind = "activity.not_applicable"
    version = 2
    reason: str
    role: str


class Commented(Payload):
    """A person wrote a comment."""

    kind = "activity.commented"
    longest = 200_000
    text: str


class Reopened(Payload):
    """An activity was opened again as its next attempt. Everything done that comes after it becomes stale.

    If `hosts` are named, it is done again on these alone: the results of the hosts in `kept` stay valid, and of what comes after it
    only what is at the same unit becomes stale.
    """

    kind = "activity.reopened"
    reason: str
    hosts: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


class Attested(Payload):
    """A person stated that the step was done outside Clusterwright. `digests` are its evidence.

    `removed` names what was taken out of those files before they were stored.
    """

    kind = "activity.attested"
    version = 2
    reason: str
    digests: tuple[str, ...]
    removed: tuple[str, ...]
    result: str
