"""What each kind of event says: a closed, frozen payload a kind, with its schema version.

A payload records the fact and the decision that the rules drew from it (`result`), so that replay never
has to ask the rules of a later version. Figures are decimals, instants are UTC; no floats.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Payload(BaseModel):
    """Base of all payloads."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: ClassVar[str]
    version: ClassVar[int] = 1


class Decided(Payload):
    """Base of what a person puts their name to; `statement` is what they signed, none where it is only recorded."""

    statement: str | None = None


class Part(BaseModel):
    """A record inside a payload."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Genesis(Payload):
    """The first event: which site, and whether it is a rehearsal."""

    kind = "genesis"
    site_uuid: str
    format: int
    name: str
    time_zone: str
    rehearsal: bool
    owner: str
    owner_key: str | None = None


class Again(Part):
    """An activity that is decided to be opened or signed again, and why."""

    activity: str
    why: str


class PlanAdopted(Decided):
    """A plan revision is in force; the document lies in the evidence store.

    `reopened` and `sign_again` are what the rules drew from what the revision changes. None is version 1,
    which did not say: there the projection asks the rule of that time. `people` are the digests of the documents
    that hold names; in version 1 the names stand in the plan itself.
    """

    kind = "plan.adopted"
    version = 2
    revision: int
    document: str
    reason: str
    baseline: str | None
    activities: int
    digests: dict[str, str]
    reopened: tuple[Again, ...] | None
    sign_again: tuple[Again, ...] | None
    people: dict[str, str] | None


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


class Reading(Part):
    """One metric read; value None is `not measured`."""

    metric: str
    value: str | None
    unit: str
    item: str = ""
    source: str = ""
    instrument: str = ""
    note: str = ""


class MeasurementRecorded(Payload):
    """A person read an instrument; a reading that fails opens the non-conformance `ncr`, or stands `under` one that is open.

    `result` is where it leads what ran and lacked only this; None leaves the state as it is.
    """

    kind = "activity.measured"
    version = 3
    reading: Reading
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


class Witnessed(Part):
    """A role that was invited to see it done, and who came; nobody where it did not attend."""

    role: str
    person: str | None


class WitnessInvited(Payload):
    """Roles were told when an activity takes place; `earliest` is when their notice was over.

    `agreed` says that they agreed to a shorter notice.
    """

    kind = "witness.invited"
    roles: tuple[str, ...]
    on: datetime
    notice_h: Decimal
    earliest: datetime
    agreed: bool


class WitnessNoted(Payload):
    """Somebody came in a role to see it done, or nobody did."""

    kind = "witness.noted"
    role: str
    person: str | None
    note: str


class Signed(Decided):
    """A person approved. `begins` marks a gate passed without separate work; `witnesses` are those who were invited."""

    kind = "activity.signed"
    version = 2
    role: str
    meaning: str
    comment: str
    assurance: str
    policy_roles: tuple[str, ...]
    quorum: int
    evidence: tuple[str, ...]
    begins: bool
    result: str
    delegation: str | None = None
    witnesses: tuple[Witnessed, ...] = ()


class Rejected(Decided):
    """A person refused the work; it goes back under a non-conformance."""

    kind = "activity.rejected"
    version = 2
    role: str
    reason: str
    ncr: str
    ncr_class: str
    result: str


class Waived(Decided):
    """A criterion is left unmet by decision."""

    kind = "criterion.waived"
    version = 2
    waiver: str
    metric: str
    reason: str
    due: date
    role: str
    result: str


class Attested(Payload):
    """A person states that the step was done outside; `removed` as in what is attached, file by file."""

    kind = "activity.attested"
    version = 2
    reason: str
    digests: tuple[str, ...]
    removed: tuple[str, ...]
    result: str


class Released(Decided):
    """Leave to change these hosts with this playbook, once."""

    kind = "run.released"
    version = 2
    release: str
    attempt: int
    hosts: tuple[str, ...]
    count: int
    playbook_digest: str
    role: str
    differences: str | None = None
    """SHA-256 of what check mode showed of it, where the policy wants that seen."""


class DuplicateSettled(Payload):
    """Completed by what others did."""

    kind = "duplicate.settled"
    by: tuple[str, ...]


class OrganisationAssigned(Payload):
    """An activity or an order belongs to an organisation; an empty name takes it back."""

    kind = "organisation.assigned"
    organisation: str


class OrderPlaced(Payload):
    """An order went out; `organisation` is whose people report on it, `value` is in `currency`."""

    kind = "order.placed"
    version = 2
    promised: date | None
    supplier: str
    reference: str
    value: Decimal | None
    currency: str
    budget_line: str
    organisation: str


class OrderAcknowledged(Payload):
    """The supplier accepted an order on a day, under its own reference."""

    kind = "order.acknowledged"
    on: date
    reference: str
    promised: date | None


class OrderPromised(Payload):
    """The supplier named another date."""

    kind = "order.promised"
    promised: date
    reason: str


class OrderExpedited(Payload):
    """Somebody pays, or presses, for an order or a delivery to come sooner."""

    kind = "order.expedited"
    reason: str
    cost: Decimal
    currency: str


class TrancheShipped(Payload):
    """A delivery left the supplier; `handling` is what tilt and shock indicators are to show."""

    kind = "tranche.shipped"
    shipped: date
    carrier: str
    tracking: str
    handling: str


class Left(Part):
    """A file that was kept."""

    digest: str
    evidence: str
    name: str
    size: int


class Difference(Part):
    """A serial number on which manifest, scan and record disagree; `why` is the sort, `where` lines or a delivery."""

    serial: str
    why: str
    where: str


class TrancheReceived(Payload):
    """Something arrived; `complete` when the whole delivery is here.

    Where it was held against a manifest, both files and every difference are named, and the non-conformance.
    """

    kind = "tranche.received"
    version = 2
    quantity: Decimal
    serials: tuple[str, ...]
    note: str
    complete: bool
    manifest: Left | None
    scan: Left | None
    differences: tuple[Difference, ...]
    ncr: str | None
    ncr_class: str


class ChangeAsked(Payload):
    """Somebody asks for another quantity of a delivery, or another value of an order."""

    kind = "change.asked"
    change: str
    quantity: Decimal | None
    value: Decimal | None
    reason: str


class ChangeDecided(Decided):
    """A change order is approved or refused; `completes` says that what came is then all of the delivery."""

    kind = "change.decided"
    change: str
    approved: bool
    meaning: str
    asked_by: str
    quantity: Decimal | None
    quantity_before: Decimal | None
    value: Decimal | None
    value_before: Decimal | None
    currency: str
    completes: bool
    role: str
    reason: str


class RunClaimed(Payload):
    """Software took an activity."""

    kind = "run.claimed"
    run: str
    owner: str
    attempt: int
    host: str
    hosts: tuple[str, ...]
    release: str | None


class Batch(Part):
    """Rows kept as evidence: their digest and how many."""

    digest: str
    rows: int


class RunSettled(Payload):
    """What a run did, and what follows from it."""

    kind = "run.settled"
    run: str
    owner: str
    attempt: int
    status: str
    result: str
    summary: str
    results: tuple[Batch, ...]
    tally: dict[str, int]
    measurements: tuple[Reading, ...]
    measurement_batches: tuple[Batch, ...]
    artifacts: tuple[Left, ...]
    playbook_digest: str | None
    simulated: bool
    ncr: str | None
    ncr_class: str


class Previewed(Payload):
    """What a playbook would change on these hosts, seen in check mode."""

    kind = "run.previewed"
    attempt: int
    hosts: tuple[str, ...]
    playbook_digest: str
    summary: str
    differences: Left


class Shown(Left):
    """A file that a person gave to show something; `removed` as in what is attached."""

    media_type: str | None = None
    removed: tuple[str, ...] = ()


class ItemReading(Part):
    """One metric read at an item."""

    metric: str
    value: str
    unit: str


class ItemCheck(Part):
    """One item as it was found: passed where nothing is `failing`, else under the non-conformance `ncr`.

    `failing` are the metrics that were not met, and `result` where a person said so. `photos` are digests.
    """

    item: str
    failing: tuple[str, ...] = ()
    readings: tuple[ItemReading, ...] = ()
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
    checks: tuple[ItemCheck, ...]
    batches: tuple[Batch, ...]
    photos: tuple[Shown, ...]
    ncr: str | None
    ncr_class: str
    reason: str


class FactPart(Part):
    """One thing known of the facility: its name, value and unit."""

    name: str
    value: str
    unit: str


class FactsRecorded(Payload):
    """What a person found the facility to be, with evidence; `unit` is the unit of the site it is about.

    `reopened` are the activities whose result rested on another value.
    """

    kind = "facts.recorded"
    unit: str
    facts: tuple[FactPart, ...]
    source: str
    evidence: tuple[Shown, ...]
    reopened: tuple[Again, ...]


class RequestMade(Payload):
    """A front end asks the dispatcher for something."""

    kind = "request.made"
    request: str
    action: str
    kept: tuple[str, ...] = ()
    """Hosts that a retry does not touch again: what the last attempt showed of them stands."""


class RequestAnswered(Payload):
    """The dispatcher's answer."""

    kind = "request.answered"
    request: str
    answer: str


class BeforeRow(Part):
    """An activity, order or delivery that was done before Clusterwright."""

    subject: str
    state: str
    started: datetime | None
    finished: datetime | None
    by: str
    note: str


class ProgressAdopted(Payload):
    """What was done before Clusterwright, as somebody recorded it."""

    kind = "progress.adopted"
    rows: tuple[BeforeRow, ...]


class ForecastPublished(Payload):
    """A finish date that was told to others."""

    kind = "forecast.published"
    finish: datetime
    phases: dict[str, datetime]
    note: str


class NcrClosed(Decided):
    """A non-conformance has its disposition."""

    kind = "ncr.closed"
    version = 2
    ncr: str
    disposition: str
    role: str


class NcrDispositioned(Decided):
    """What is to be done about a non-conformance, by whom and by when; the waiver that use-as-is rests on, if any."""

    kind = "ncr.dispositioned"
    ncr: str
    disposition: str
    owner: str
    due: date | None
    reason: str
    waiver: str | None
    role: str


class PersonRedacted(Decided):
    """A person is shown by their id alone from here on; the documents with their name were taken away."""

    kind = "person.redacted"
    person: str
    reason: str
    role: str


class KeyRevoked(Decided):
    """A person's key no longer counts: what it signs after `since` does not hold."""

    kind = "key.revoked"
    person: str
    key: str
    since: datetime
    reason: str
    role: str


class Delegated(Decided):
    """A person lets another act in one of their roles for a time."""

    kind = "authority.delegated"
    delegation: str
    role: str
    to: str
    since: datetime
    until: datetime
    reason: str


class Withdrawn(Decided):
    """A delegation ends before its time."""

    kind = "authority.withdrawn"
    delegation: str
    role: str
    reason: str


class Overridden(Decided):
    """Glass was broken: an activity passed against its policy; `lacking` says what of the policy was not met."""

    kind = "policy.overridden"
    role: str
    reason: str
    lacking: tuple[str, ...]
    result: str


KINDS: dict[str, type[Payload]] = {
    payload.kind: payload for base in (Payload, Decided) for payload in base.__subclasses__() if payload is not Decided
}
"""Every kind of event and its payload."""
